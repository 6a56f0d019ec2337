// SPDX-License-Identifier: GPL-2.0-or-later
// What Ranking costs under the queries that real programs send, and whether it prunes them.
//
// A line of QUERIES is one call of Enquire::get_mset as bench/program_queries logged it: its first
// three arguments and the serialised query in hexadecimal digits. Each is answered by Xapian's
// BM25, and by Ranking on an Enquire of the same query and arguments, whose model is BM25 and a
// topic model, or the one that is installed in the database. A share of s means that the topics'
// weight is s of the sum of it and the mean of the queries' best BM25 scores. Everyone answers a
// query in each round, in turns that are shuffled; a query's time is the least of its rounds, in
// processor time, with vectors and postings in memory. Making the fused query is part of the time.
//
// That the matches are the same is seen by a spy that adds up the docids it is shown, where all
// documents are checked.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/search_speed/contests.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/ranking.h"

namespace braid::bench {
namespace {

constexpr std::size_t kRounds = 5;

struct Call {
    Xapian::doccount first = 0;
    Xapian::doccount count = 0;
    Xapian::doccount check_at_least = 0;
    Xapian::Query query;
};

std::string from_hexadecimal(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

std::vector<Call> read_calls(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw Error(path + ": can't be read");
    std::vector<Call> calls;
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        Call call;
        std::string digits;
        if (!(fields >> call.first >> call.count >> call.check_at_least >> digits)) {
            throw Error(
                fmt::format("{}:{}: expected three numbers and a query", path, calls.size() + 1));
        }
        call.query = Xapian::Query::unserialise(from_hexadecimal(digits));
        calls.push_back(std::move(call));
    }
    return calls;
}

// How many documents a query has, and which, in one number.
class Matches : public Xapian::MatchSpy {
  public:
    void operator()(const Xapian::Document& document, double) override {
        ++count_;
        sum_ += FastRandom(document.get_docid()).bits();
    }
    bool operator==(const Matches& other) const {
        return count_ == other.count_ && sum_ == other.sum_;
    }

  private:
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
};

struct Contender {
    std::string name;
    std::unique_ptr<Ranking> ranking;  ///< Nothing: Xapian's BM25.
    QueryTimes times = {};
    std::map<std::string, std::size_t> unpruned = {};  ///< Calls by reason.
    std::size_t different = 0;                         ///< Calls with other matches than BM25's.
};

class Bench {
  public:
    Bench(const Xapian::Database& database, std::vector<Call> calls, const std::string& topics)
        : database_(database), calls_(std::move(calls)) {
        contenders_.push_back({"`Xapian::BM25Weight`", nullptr});
        const std::size_t all = calls_.size();
        std::erase_if(calls_, [this](const Call& call) {
            Xapian::Enquire enquire(database_);
            enquire.set_query(call.query);
            return enquire.get_mset(0, 1).empty();
        });
        if (calls_.size() < all) fmt::print("{} calls find nothing\n", all - calls_.size());
        if (calls_.empty()) throw Error("no query finds anything");
        std::vector<Xapian::Query> queries;
        for (const Call& call : calls_) queries.push_back(call.query);
        const double best = mean_best(Searcher(database_), bm25_model(), queries);
        RankingSetup setup;
        for (const double share : {0.1, 0.6}) {
            FusionModel model = bm25_model();
            model.rankers.push_back(
                {.ranker = "lsa", .topics = topics, .weight = share / (1 - share) * best});
            contenders_.push_back({fmt::format("Ranking, topics {:.0f} %", 100 * share),
                                   std::make_unique<Ranking>(database_, model, setup)});
        }
        try {
            contenders_.push_back(
                {"Ranking, the installed model", std::make_unique<Ranking>(database_, setup)});
        } catch (const ModelMismatch&) {
            fmt::print("no model is installed\n");
        }
    }

    void compare_matches() {
        for (const Call& call : calls_) {
            Matches expected;
            answer(contenders_[0], call, &expected);
            for (Contender& contender : contenders_) {
                Matches found;
                answer(contender, call, &found);
                if (!(found == expected)) ++contender.different;
            }
        }
        for (Contender& contender : contenders_) contender.unpruned.clear();
    }

    void run() {
        for (Contender& contender : contenders_) contender.times.reset(calls_.size());
        in_turns(contenders_, calls_.size(), kRounds,
                 [&](Contender& contender, std::size_t call, std::size_t) {
                     const double start = thread_milliseconds();
                     answer(contender, calls_[call], nullptr);
                     contender.times.add(call, thread_milliseconds() - start);
                 });
    }

    void print() const {
        fmt::print(
            "{} calls\n\n| what | median ms | mean ms | of Xapian's | 99 % ms | pruned | other "
            "matches |\n|---|---|---|---|---|---|---|\n",
            calls_.size());
        for (const Contender& contender : contenders_) {
            fmt::print(
                "| {} | {:.3f} | {:.3f} | {:.2f} | {:.3f} | {} | {} |\n", contender.name,
                contender.times.median(), contender.times.mean(),
                contender.times.mean() / contenders_[0].times.mean(),
                contender.times.percentile(99),
                contender.ranking ? fmt::format("{}", calls_.size() - unpruned(contender)) : "",
                contender.different);
        }
        for (const Contender& contender : contenders_) {
            for (const auto& [reason, times] : contender.unpruned) {
                fmt::print("\n{}: {} not pruned: {}\n", contender.name, times / kRounds, reason);
            }
        }
    }

  private:
    static std::size_t unpruned(const Contender& contender) {
        std::size_t sum = 0;
        for (const auto& [reason, times] : contender.unpruned) sum += times / kRounds;
        return sum;
    }

    // With `matches`, all documents are checked.
    void answer(Contender& contender, const Call& call, Matches* matches) {
        Xapian::Enquire enquire(database_);
        Xapian::doccount check = call.check_at_least;
        if (contender.ranking) {
            const RankedQuery ranked = contender.ranking->apply(enquire, call.query);
            check = std::max(check, ranked.check_at_least);
            if (!ranked.run.pruned) {
                ++contender.unpruned[ranked.why_not_fused.empty() ? ranked.run.why_not_pruned
                                                                  : ranked.why_not_fused];
            }
        } else {
            enquire.set_query(call.query);
        }
        if (matches != nullptr) {
            enquire.add_matchspy(matches);
            check = database_.get_doccount();
        }
        enquire.get_mset(call.first, call.count, check);
    }

    Xapian::Database database_;
    std::vector<Call> calls_;
    std::vector<Contender> contenders_;
};

struct Options : Arguments {
    std::string database = required("DATABASE", &database, "A database with a topic model");
    std::string queries = required("QUERIES", &queries, "What bench/program_queries logged");
    std::string topics = required("TOPIC_MODEL", &topics, "The topic model's name, such as lsa");
};

void measure(const Options& options) {
    const Xapian::Database database(options.database);
    Bench bench(database, read_calls(options.queries), options.topics);
    bench.compare_matches();
    bench.run();
    bench.print();
}

}  // namespace

void add_logged(Program& program) {
    program.add("logged", "Ranking under the queries that programs send, beside BM25Weight",
                measure);
}

}  // namespace braid::bench
