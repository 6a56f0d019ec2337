// SPDX-License-Identifier: GPL-2.0-or-later
//
// A database under load, by real processes: a writer that opens and closes it for each commit,
// `braid adopt --retrain` and `braid train --install` in turn, and eight readers: four threads with
// a Searcher each, and four loops of `braid run`. Beside them a plain Xapian program reads as
// `braid run` does, to tell what the load itself costs. BRAID_LOAD_SECONDS=300 is the long form.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/open_database.h"
#include "braid/searcher.h"
#include "braid/tests/cli/train_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDocuments = 2000;
constexpr int kThreads = 4;
constexpr int kCommands = 4;

double load_seconds() {
    const char* given = std::getenv("BRAID_LOAD_SECONDS");
    return given == nullptr ? 15 : std::stod(given);
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// What the topic models and the installed model are; "" where a writer was faster.
std::string publication(const Xapian::Database& database) {
    try {
        return database.get_metadata(kTopicCatalogueKey) + '\n' +
               database.get_metadata(kFusionModelKey);
    } catch (const Xapian::DatabaseError&) {
        return "";
    }
}

// One document a commit, in a process of its own until it is killed.
class Writer {
  public:
    Writer(const std::string& path, double commits_per_second) : child_(fork()) {
        if (child_ < 0) throw std::runtime_error("can't fork");
        if (child_ == 0) write(path, commits_per_second);
    }
    ~Writer() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

  private:
    [[noreturn]] static void write(const std::string& path, double commits_per_second) {
        const Clock::time_point start = Clock::now();
        double due = 0;
        for (unsigned i = 0;; ++i) {
            due = std::max(due + 1 / commits_per_second, seconds_since(start));
            try {
                Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
                const Xapian::docid docid = 1 + i * 7 % kDocuments;
                Xapian::Document document = database.get_document(docid);
                document.add_term("Zw" + std::to_string(i % 60));
                database.replace_document(docid, document);
                database.commit();
            } catch (const Xapian::DatabaseLockError&) {
                due = 0;
                pause(0.005);
            }
            const double wait = due - seconds_since(start);
            if (wait > 0) pause(wait);
        }
    }

    pid_t child_;
};

/// What went well and what didn't, of one kind of reader.
struct Tally {
    std::atomic<int> done = 0;
    std::atomic<int> failed = 0;
    std::atomic<int> compared = 0;
    std::atomic<int> wrong = 0;
    std::mutex mutex;
    std::map<std::string, int> errors;

    void fail(const std::string& error) {
        ++failed;
        const std::lock_guard lock(mutex);
        ++errors[error];
    }
    std::string in_words(const std::string& name) {
        std::string text = fmt::format("{}: {} done, {} failed, {} of {} compared wrong\n", name,
                                       done.load(), failed.load(), wrong.load(), compared.load());
        for (const auto& [error, count] : errors) text += fmt::format("  {} x {}\n", count, error);
        return text;
    }
};

// A query as a Xapian program would make it.
Xapian::Query bag(int number) {
    const std::vector<std::string> words = {"Zcommon", fmt::format("Zw{}", number),
                                            fmt::format("Zw{}", 2 * number + 5)};
    return {Xapian::Query::OP_OR, words.begin(), words.end()};
}

long resident_pages() {
    long size = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident;
}

/// When somebody first saw what was published, in the order of seeing.
using Sightings = std::vector<std::pair<std::string, double>>;

class Load {
  public:
    Load(double commits_per_second, double seconds)
        : rate_(commits_per_second), seconds_(seconds), period_(std::min(20.0, seconds / 3)) {
        std::string text;
        for (int i = 0; i < 8; ++i) text += fmt::format("{}\tw{} w{} common\n", i, i, 2 * i + 5);
        write_file(queries_, text);
        text.clear();
        for (int i = 0; i < 160; ++i) text += fmt::format("{} 0 d{} {}\n", i % 8, i, i % 2);
        write_file(qrels_, text);
        if (fixture_.run("adopt", {"--topics", "lsa:16", "--quiet"}).code != 0) {
            throw std::runtime_error("can't adopt");
        }
    }

    void run();
    std::string report();
    double longest_delay() const;

    Tally searches;
    Tally commands;
    Tally plain;
    std::vector<double> retrains;
    std::vector<double> installs;
    std::vector<std::string> failed_work;
    double memory_growth = 0;

  private:
    void search(int number);
    void compare(Searcher& searcher, const SearchRequest& request, const SearchResult& pruned,
                 Xapian::rev revision);
    void run_commands();
    void read_plainly();
    void watch();
    void work();
    bool is_over() const { return seconds_since(start_) > seconds_; }

    double rate_;
    double seconds_;
    double period_;
    TopicFixture fixture_{kDocuments};
    std::string queries_ = fixture_.folder / "queries";
    std::string qrels_ = fixture_.folder / "qrels";
    Clock::time_point start_ = Clock::now();
    Xapian::rev commits_ = 0;  ///< Of the retrains, too.
    Sightings published_;
    std::vector<Sightings> seen_ = std::vector<Sightings>(kThreads);
};

void Load::search(int number) {
    Random random(seed(), static_cast<std::uint64_t>(number));
    Sightings& seen = seen_[static_cast<std::size_t>(number)];
    Searcher searcher(fixture_.database);
    while (!is_over()) {
        SearchRequest request;
        request.text = fmt::format("w{} w{} common", random.below(60), random.below(60));
        request.count = 20;
        try {
            const SearchResult result = searcher.search(request);
            ++searches.done;
            const Xapian::rev revision = searcher.database().get_revision();
            const std::string now = publication(searcher.database());
            if (!now.empty() && (seen.empty() || seen.back().first != now)) {
                seen.emplace_back(now, seconds_since(start_));
            }
            compare(searcher, request, result, revision);
        } catch (const Error& error) {
            searches.fail(error.what());
        } catch (const Xapian::Error& error) {
            searches.fail(error.get_description());
        }
    }
}

// The same search without pruning, where both ran on one state.
void Load::compare(Searcher& searcher, const SearchRequest& request, const SearchResult& pruned,
                   Xapian::rev revision) {
    SearchRequest all = request;
    all.path = SearchRequest::Path::kPlain;
    const SearchResult whole = searcher.search(all);
    ++searches.done;
    if (searcher.database().get_revision() != revision || !pruned.run.pruned) return;
    ++searches.compared;
    bool same = whole.hits.size() == pruned.hits.size();
    for (std::size_t i = 0; same && i < whole.hits.size(); ++i) {
        const double score = whole.hits[i].score;
        // Documents whose scores differ in their last bits are ties.
        same = std::abs(pruned.hits[i].score - score) <= 1e-9 * std::max(1.0, std::abs(score));
    }
    if (!same) ++searches.wrong;
}

void Load::run_commands() {
    while (!is_over()) {
        const CommandResult result =
            run_braid({"run", "--db", fixture_.database, "--queries", queries_, "-q"});
        if (result.code == 0 && !result.out.empty()) {
            ++commands.done;
        } else {
            commands.fail(fmt::format("code {}: {}", result.code, result.err));
        }
    }
}

// What `braid run` reads, as a Xapian program does it: with three tries.
void Load::read_plainly() {
    while (!is_over()) {
        try {
            Xapian::Database database(fixture_.database);
            for (int i = 0, tries = 1; i < 8;) {
                try {
                    Xapian::Enquire enquire(database);
                    enquire.set_query(bag(i));
                    const Xapian::MSet mset = enquire.get_mset(0, 1000);
                    for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
                        hit.get_document().get_value(kNameSlot);
                    }
                    ++i;
                    tries = 1;
                } catch (const Xapian::DatabaseModifiedError&) {
                    if (++tries > 3) throw;
                    database.reopen();
                }
            }
            ++plain.done;
        } catch (const Xapian::Error& error) {
            plain.fail(error.get_type());
        }
        pause(0.02);  // As long as it takes to start a command.
    }
}

// When topics and installed models become visible, and whether memory grows.
void Load::watch() {
    long early = 0;
    while (!is_over()) {
        try {
            const std::string now = publication(Xapian::Database(fixture_.database));
            if (!now.empty() && (published_.empty() || published_.back().first != now)) {
                published_.emplace_back(now, seconds_since(start_));
            }
        } catch (const Xapian::Error&) {  // The writer was faster.
        }
        if (early == 0 && seconds_since(start_) > seconds_ / 2) early = resident_pages();
        pause(0.02);
    }
    memory_growth = static_cast<double>(resident_pages()) / static_cast<double>(early);
}

// Retrains and installs in turn, one of each in a period.
void Load::work() {
    const std::vector<std::string> retrain = {"adopt",     "--db",   fixture_.database,
                                              "--topics",  "lsa:16", "--retrain",
                                              "--threads", "1",      "-q"};
    const std::vector<std::string> install = {
        "train", "--db",      fixture_.database, "--queries",   queries_, "--qrels",
        qrels_,  "--learner", "coordinate",      "--normalise", "none",   "--hold-back",
        "0",     "--install", "--force",         "-q"};
    for (int i = 0; !is_over(); ++i) {
        const Clock::time_point start = Clock::now();
        const CommandResult result = run_braid(i % 2 == 0 ? retrain : install);
        (i % 2 == 0 ? retrains : installs).push_back(seconds_since(start));
        if (result.code != 0) failed_work.push_back(result.err);
        while (!is_over() && seconds_since(start) < period_ / 2) pause(0.05);
    }
}

void Load::run() {
    const Xapian::rev first = open_databases({fixture_.database}).get_revision();
    const Writer writer(fixture_.database, rate_);
    start_ = Clock::now();
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(&Load::search, this, i);
    for (int i = 0; i < kCommands; ++i) threads.emplace_back(&Load::run_commands, this);
    threads.emplace_back(&Load::read_plainly, this);
    threads.emplace_back(&Load::watch, this);
    threads.emplace_back(&Load::work, this);
    for (std::thread& thread : threads) thread.join();
    commits_ = open_databases({fixture_.database}).get_revision() - first;
}

// From when anybody could see a publication to when each Searcher served it or a later one.
double Load::longest_delay() const {
    double longest = 0;
    for (std::size_t i = 1; i < published_.size(); ++i) {
        const double at = published_[i].second;
        if (at > seconds_ - 2) break;
        for (const Sightings& seen : seen_) {
            double served = seconds_;
            for (std::size_t later = i; later < published_.size(); ++later) {
                for (const auto& [what, when] : seen) {
                    if (what == published_[later].first) served = std::min(served, when);
                }
            }
            longest = std::max(longest, served - at);
        }
    }
    return longest;
}

std::string Load::report() {
    double load[3] = {};
    getloadavg(load, 3);
    const auto longest = [](const std::vector<double>& times) {
        return times.empty() ? 0 : *std::max_element(times.begin(), times.end());
    };
    std::string text = fmt::format(
        "{:.0f} s for {} commits a second, {} in all, load {:.1f}\n{} retrains, the longest {:.1f} "
        "s; {} "
        "installs, the longest {:.1f} s; {} publications, served within {:.2f} s; memory x "
        "{:.3f}\n",
        seconds_, rate_, commits_, load[0], retrains.size(), longest(retrains), installs.size(),
        longest(installs), published_.size(), longest_delay(), memory_growth);
    for (const std::string& error : failed_work) text += "  " + error;
    return text + searches.in_words("Searcher") + commands.in_words("braid run") +
           plain.in_words("plain Xapian");
}

}  // namespace

TEST_CASE("Load: searches follow retrains and installs under ten commits a second", "[.slow]") {
    Load load(10, load_seconds());
    load.run();
    WARN(load.report());
    CHECK(load.failed_work.empty());
    CHECK(load.retrains.size() >= 2);
    CHECK(load.installs.size() >= 1);
    for (const double seconds : load.retrains) CHECK(seconds < 60);
    CHECK(load.longest_delay() < 2);
    CHECK(load.searches.done > 0);
    CHECK(load.searches.compared > 0);
    CHECK(load.commands.done > 0);
    CHECK(load.searches.failed == 0);
    CHECK(load.searches.wrong == 0);
    CHECK(load.commands.failed == 0);
    CHECK(load.memory_growth < 1.2);
}

TEST_CASE("Load: at 45 commits a second no more fails than of a plain program", "[.slow]") {
    Load load(45, load_seconds());
    load.run();
    WARN(load.report());
    const auto share = [](const Tally& tally) {
        return tally.failed / static_cast<double>(tally.done + tally.failed);
    };
    CHECK(load.searches.wrong == 0);
    CHECK(share(load.searches) <= share(load.plain));
    CHECK(share(load.commands) <= share(load.plain));
}
