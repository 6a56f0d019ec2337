// SPDX-License-Identifier: GPL-2.0-or-later
// Documents a second and peak memory of Braid's Indexer, against the loop over Xapian's
// TermGenerator that one would write by hand, with the same database as the outcome. Both read
// their input by Braid's reader, whose own time is the row "(read)". CPU seconds of the user and
// the system together; medians of runs in turn, each in a process of its own.
#include "braid/index.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/processes.h"
#include "braid/bench/common/timing.h"
#include "braid/core/base/random.h"
#include "braid/core/settings/stop_words.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

namespace fs = std::filesystem;

// An input, `times` over; after the first time its documents get other names.
class RepeatingReader final : public braid::DocumentReader {
  public:
    RepeatingReader(std::string path, int times)
        : path_(std::move(path)), reader_(open()), times_(times) {}

    bool next(braid::SourceDocument& document) override {
        while (!reader_->next(document)) {
            if (++done_ >= times_) return false;
            reader_ = open();
        }
        if (done_ > 0) document.id += "." + std::to_string(done_);
        return true;
    }

    std::uint64_t bytes_read() const override { return reader_->bytes_read(); }

  private:
    std::unique_ptr<braid::DocumentReader> open() const {
        return braid::open_documents({path_}, "debian", {});
    }

    std::string path_;
    std::unique_ptr<braid::DocumentReader> reader_;
    int times_;
    int done_ = 0;
};

// Text of the same make where no package list is at hand: words by Zipf's law.
void generate(const std::string& path, int documents) {
    std::ofstream out(path);
    braid::Random random(7);
    for (int i = 0; i < documents; ++i) {
        out << "Package: package" << i << "\nDescription-en: a title of generated words\n";
        for (int line = 0; line < 9; ++line) {
            for (int word = 0; word < 11; ++word) {
                const double rank = std::exp(random.uniform() * std::log(60000.0));
                out << " w" << static_cast<int>(rank);
            }
            out << "\n";
        }
        out << "\n";
    }
}

void index_by_braid(const std::string& input, int times, const std::string& database) {
    RepeatingReader reader(input, times);
    braid::Indexer indexer(database, {});
    indexer.add(reader);
    indexer.finish();
}

void append_json(std::string& out, const std::string& text) {
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", c);
        } else {
            out += c;
        }
    }
}

// One field as Braid's defaults have it.
void index_field(Xapian::TermGenerator& generator, Xapian::Document& document,
                 const braid::SourceField& field) {
    const bool title = field.name == "title";
    const bool name = field.name == "name";
    if (field.name == "section") document.add_boolean_term("XSECTION" + field.text);
    if (field.name == "tag") document.add_boolean_term("XTAG" + field.text);
    if (!title && !name && field.name != "text") return;
    const Xapian::termpos start = generator.get_termpos();
    generator.index_text(field.text, title ? 2 : 1);
    if (title || name) {
        generator.set_termpos(start);
        generator.index_text(field.text, 1, title ? "S" : "XNAME");
    }
    generator.increase_termpos(100);
}

void index_by_hand(const std::string& input, int times, const std::string& database) {
    RepeatingReader reader(input, times);
    Xapian::WritableDatabase out(database, Xapian::DB_CREATE);
    const std::vector<std::string> words = braid::english_stop_words();
    const Xapian::SimpleStopper stopper(words.begin(), words.end());
    Xapian::TermGenerator generator;
    generator.set_stemmer(Xapian::Stem("english"));
    generator.set_stopper(&stopper);
    braid::SourceDocument source;
    while (reader.next(source)) {
        Xapian::Document document;
        generator.set_document(document);
        std::string data = "{";
        std::string last;
        for (const braid::SourceField& field : source.fields) {
            index_field(generator, document, field);
            if (field.name == last) {
                data.back() = '\\';  // a field that comes again, as tags do
                data += 'n';
            } else {
                if (data.size() > 1) data += ',';
                data += '"' + field.name + "\":\"";
            }
            append_json(data, field.text);
            data += '"';
            last = field.name;
        }
        const std::string id_term = "Q" + source.id;
        document.add_boolean_term(id_term);
        document.add_value(0, source.id);
        document.set_data(data + '}');
        out.replace_document(id_term, document);
    }
    out.commit();
}

void read_only(const std::string& input, int times) {
    RepeatingReader reader(input, times);
    braid::SourceDocument source;
    while (reader.next(source)) {
    }
}

// In a process of its own, whose memory is its own.
ProcessCost measure(const std::function<void(const std::string&)>& work,
                    const std::string& database) {
    fs::remove_all(database);
    return run_in_child([&] { work(database); });
}

ProcessCost median(const std::vector<ProcessCost>& all) {
    const auto middle = [&](double ProcessCost::*member) {
        std::vector<double> values;
        values.reserve(all.size());
        for (const ProcessCost& cost : all) values.push_back(cost.*member);
        return percentile(std::move(values), 50);
    };
    return {middle(&ProcessCost::wall), middle(&ProcessCost::processor),
            middle(&ProcessCost::megabytes)};
}

// The first difference between two databases, "" for none: terms, wdf, positions, values, data.
std::string compare(const std::string& path_1, const std::string& path_2) {
    const Xapian::Database first(path_1);
    const Xapian::Database second(path_2);
    if (first.get_doccount() != second.get_doccount()) return "number of documents";
    for (Xapian::docid id = 1; id <= first.get_lastdocid(); id += 7) {
        const Xapian::Document a = first.get_document(id);
        const Xapian::Document b = second.get_document(id);
        if (a.get_data() != b.get_data()) return fmt::format("data of document {}", id);
        if (a.get_value(0) != b.get_value(0)) return fmt::format("name of document {}", id);
        Xapian::TermIterator term_b = b.termlist_begin();
        for (Xapian::TermIterator term_a = a.termlist_begin(); term_a != a.termlist_end();
             ++term_a, ++term_b) {
            if (term_b == b.termlist_end() || *term_a != *term_b ||
                term_a.get_wdf() != term_b.get_wdf() ||
                !std::equal(term_a.positionlist_begin(), term_a.positionlist_end(),
                            term_b.positionlist_begin(), term_b.positionlist_end())) {
                return fmt::format("term {} of document {}", *term_a, id);
            }
        }
        if (term_b != b.termlist_end()) return fmt::format("more terms in document {}", id);
    }
    return "";
}

void run(const std::string& input, int times, std::size_t repetitions,
         const TemporaryFolder& folder) {
    const std::string by_hand = folder.path("by-hand");
    const std::string by_braid = folder.path("by-braid");
    std::vector<ProcessCost> hand;
    std::vector<ProcessCost> braid;
    for (std::size_t i = 0; i < repetitions; ++i) {
        hand.push_back(
            measure([&](const std::string& db) { index_by_hand(input, times, db); }, by_hand));
        braid.push_back(
            measure([&](const std::string& db) { index_by_braid(input, times, db); }, by_braid));
    }
    const ProcessCost reading =
        measure([&](const std::string&) { read_only(input, times); }, by_hand + "-unused");
    const std::string problem = compare(by_hand, by_braid);
    if (!problem.empty()) throw braid::Error("the databases differ: " + problem);
    const double documents = Xapian::Database(by_braid).get_doccount();
    const auto row = [&](const char* name, const ProcessCost& m) {
        fmt::print("{:>9.0f}  {:<6}  {:>7.2f}  {:>7.2f}  {:>9.0f}  {:>8.0f}\n", documents, name,
                   m.wall, m.processor, documents / m.processor, m.megabytes);
    };
    row("(read)", reading);
    row("plain", median(hand));
    row("braid", median(braid));
    fmt::print("           braid / plain: {:.3f} of the throughput\n",
               median(hand).processor / median(braid).processor);
}

struct Options : Arguments {
    std::string input =
        positional("PACKAGE_LIST", &input,
                   "A Debian list with descriptions, as apt-helper cat-file .../*Translation-en* "
                   "prints it; generated text if none");
    std::size_t repetitions = option("--repetitions", &repetitions, "Runs of each loop", 3);
    std::vector<std::size_t> times =
        option("--times", &times, "How many times over the input is indexed, N,N..", {1, 4});
};

void measure_all(const Options& options) {
    const TemporaryFolder folder;
    std::string input = options.input;
    if (input.empty()) {
        input = folder.path("generated");
        generate(input, 60000);
    }
    if (options.repetitions == 0) throw braid::InvalidArgument("--repetitions: expected 1 or more");
    fmt::print("{:>9}  {:<6}  {:>7}  {:>7}  {:>9}  {:>8}\n", "documents", "loop", "wall s", "cpu s",
               "docs/cpu s", "peak MiB");
    for (const std::size_t times : options.times) {
        run(input, static_cast<int>(times), options.repetitions, folder);
    }
}

}  // namespace

void add_index(Program& program) {
    program.add("index", "Indexing by Indexer, beside a loop over Xapian's TermGenerator",
                measure_all);
}

}  // namespace braid::bench
