// SPDX-License-Identifier: GPL-2.0-or-later
// A program that knows nothing of Braid and uses all of Enquire. Its output is compared with and
// without `braid with`: program DATABASE TASK [MILLISECONDS].
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <xapian.h>

namespace {

Xapian::Query words(const std::string& first, const std::string& second) {
    return {Xapian::Query::OP_OR, Xapian::Query("Z" + first), Xapian::Query("Z" + second)};
}

std::string hits_of(const Xapian::MSet& found) {
    std::string text;
    for (auto hit = found.begin(); hit != found.end(); ++hit) text += ' ' + std::to_string(*hit);
    return text;
}

void print(const std::string& name, const Xapian::MSet& found) {
    std::cout << name << ':' << hits_of(found) << '\n';
}

// What isn't ranked, and what a program reads back: the same with Braid.
void read_back(const Xapian::Database& database) {
    Xapian::Enquire enquire(database);
    std::cout << "no query:" << hits_of(enquire.get_mset(0, 10)) << '\n';
    enquire.set_query(words("w1", "w2"), 77);
    const Xapian::MSet found = enquire.get_mset(0, 10);
    std::cout << enquire.get_query().get_description() << '\n';
    for (Xapian::docid docid = 1; docid <= 10; ++docid) {
        for (auto term = enquire.get_matching_terms_begin(docid);
             term != enquire.get_matching_terms_end(docid); ++term) {
            std::cout << ' ' << *term;
        }
        std::cout << '\n';
    }
    std::cout << found.get_termfreq("Zw1") << '\n';
    std::cout << enquire.get_mset(0, 0, database.get_doccount()).get_matches_estimated() << '\n';
    Xapian::RSet relevant;
    relevant.add_document(3);
    relevant.add_document(5);
    const Xapian::ESet expansions = enquire.get_eset(5, relevant);
    for (auto term = expansions.begin(); term != expansions.end(); ++term) {
        std::cout << *term << '\n';
    }
    print("relevant", enquire.get_mset(0, 10, 0, &relevant));
    enquire.set_sort_by_value(0, true);
    print("by value", enquire.get_mset(0, 10));
    enquire.set_sort_by_value_then_relevance(0, false);
    print("by value first", enquire.get_mset(0, 10));
    enquire.set_sort_by_relevance();
    enquire.set_weighting_scheme(Xapian::TradWeight());
    print("another scheme", enquire.get_mset(0, 10));
    enquire.set_weighting_scheme(Xapian::BM25Weight());
    enquire.set_cutoff(80);
    print("cut off", enquire.get_mset(0, 10));
}

// Every way to make an Enquire; with Braid, all lines have the model's ranking.
void handles(const Xapian::Database& database) {
    Xapian::Enquire first(database);
    first.set_query(words("w1", "w2"));
    print("made", first.get_mset(0, 10));
    Xapian::Enquire copy(first);
    print("copied", copy.get_mset(0, 10));
    Xapian::Enquire moved(std::move(copy));
    print("moved", moved.get_mset(0, 10));
    Xapian::Enquire assigned(database);
    assigned = moved;
    assigned = *&assigned;
    print("assigned", assigned.get_mset(0, 10));
    Xapian::Enquire taken(database);
    taken = std::move(assigned);
    print("taken", taken.get_mset(0, 10));
    auto* const heap = new Xapian::Enquire(database);
    heap->set_query(words("w1", "w2"));
    print("heap", heap->get_mset(0, 10));
    delete heap;
    first.set_weighting_scheme(Xapian::BM25Weight(1, 0, 1, 0.1, 0.5));
    print("bm25", first.get_mset(0, 10));
    first.set_sort_by_relevance_then_value(0, false);
    print("relevance first", first.get_mset(0, 10));
    std::string pages;
    for (Xapian::doccount page = 0; page < 10; page += 2) pages += hits_of(first.get_mset(page, 2));
    std::cout << "pages:" << pages << '\n';
}

void search(const std::string& path, std::string& output) {
    for (int i = 0; i < 20; ++i) {
        const Xapian::Database database(path);
        Xapian::Enquire enquire(database);
        enquire.set_query(words("w1", "w2"));
        output = "made:" + hits_of(enquire.get_mset(0, 10)) + '\n';
    }
}

void in_threads(const std::string& path) {
    std::vector<std::string> outputs(8);
    std::vector<std::thread> threads;
    threads.reserve(outputs.size());
    for (std::string& output : outputs) {
        threads.emplace_back([&path, &output] { search(path, output); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& output : outputs) std::cout << output;
}

// Forks `after` milliseconds of a thread's searches; each child searches, too.
void in_children(const std::string& path, int after) {
    std::string unused;
    std::thread other([&] { search(path, unused); });
    std::this_thread::sleep_for(std::chrono::milliseconds(after));
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            std::string output;
            search(path, output);
            static_cast<void>(write(STDOUT_FILENO, output.data(), output.size()) < 0);
            _exit(0);
        }
        children.push_back(child);
    }
    other.join();
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) std::cout << "a child failed\n";
    }
}

// The database gets a commit before each of the searches; the program reopens it as it must.
void while_written(const std::string& path) {
    Xapian::Database database(path);
    Xapian::Enquire enquire(database);
    enquire.set_query(words("w1", "w2"));
    Xapian::WritableDatabase writable(path);
    for (int i = 0; i < 12; ++i) {
        Xapian::Document document;
        document.add_term("Zw1", 1);
        writable.add_document(document);
        writable.commit();
        try {
            std::cout << enquire.get_mset(0, 10).size() << '\n';
        } catch (const Xapian::DatabaseModifiedError&) {
            std::cout << "modified\n";
            database.reopen();
            std::cout << enquire.get_mset(0, 10).size() << '\n';
        }
    }
}

// Twice, so that Xapian gives up the state before.
void commit_twice(const std::string& path) {
    Xapian::WritableDatabase writable(path);
    for (int i = 0; i < 2; ++i) {
        const std::string key = "with_program";
        writable.set_metadata(key, writable.get_metadata(key) + '.');
        for (Xapian::docid docid = 1; docid <= writable.get_lastdocid(); docid += 3) {
            try {
                Xapian::Document document = writable.get_document(docid);
                document.add_boolean_term("XWITH" + std::to_string(i));
                writable.replace_document(docid, document);
            } catch (const Xapian::DocNotFoundError&) {
            }
        }
        writable.commit();
    }
}

// Opens, searches, lets another database take the place of this one, and searches on.
void while_replaced(const std::string& stub) {
    Xapian::Database database(stub);
    Xapian::Enquire enquire(database);
    enquire.set_query(words("w1", "w2"));
    std::cout << enquire.get_mset(0, 10).size() << '\n';
    const std::string other = stub + "-other";
    Xapian::WritableDatabase writable(other, Xapian::DB_CREATE_OR_OVERWRITE);
    Xapian::Document document;
    document.add_term("Zw1", 1);
    writable.add_document(document);
    writable.commit();
    std::ofstream(stub) << "auto " << other << '\n';
    std::cout << enquire.get_mset(0, 10).size() << '\n';
    database.reopen();
    std::cout << enquire.get_mset(0, 10).size() << '\n';
    database = Xapian::Database(stub);
    enquire = Xapian::Enquire(database);
    enquire.set_query(words("w1", "w2"));
    std::cout << enquire.get_mset(0, 10).size() << '\n';
    // The same, in the folder itself.
    writable.close();
    std::filesystem::rename(other, other + "-gone");
    std::filesystem::create_directory(other);
    try {
        database.reopen();
        std::cout << enquire.get_mset(0, 10).size() << '\n';
    } catch (const Xapian::Error& error) {
        std::cout << error.get_type() << '\n';
    }
    std::filesystem::remove_all(other);
    std::filesystem::remove_all(other + "-gone");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const std::string path = argv[1];
    const std::string task = argv[2];
    try {
        if (task == "read-back") read_back(Xapian::Database(path));
        if (task == "handles") handles(Xapian::Database(path));
        if (task == "threads") in_threads(path);
        if (task == "fork") in_children(path, argc > 3 ? std::stoi(argv[3]) : 0);
        if (task == "written") while_written(path);
        if (task == "commit") commit_twice(path);
        if (task == "replaced") while_replaced(path);
        if (task == "writable") {
            Xapian::WritableDatabase writable(path);
            handles(writable);
        }
    } catch (const Xapian::Error& error) {
        std::cout << error.get_description() << '\n';
        return 1;
    }
}
