// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of Xapian's BM25, of BM25 through FusedWeight, and of six rankers through
// FusedWeight, side by side on one database.
//
// Queries are words of random documents that at most a tenth of the documents have. Every weight
// answers a query in each of the rounds, in turn; a query's time is the least of its rounds.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/search_speed/random_queries.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/core/base/random.h"
#include "braid/weight.h"

namespace braid::bench {
namespace {

constexpr int kRounds = 7;

struct Contender {
    std::string name;
    std::unique_ptr<Xapian::Weight> weight;
    QueryTimes times = {};
};

braid::FusionModel six_smoothed(const std::string& language_model) {
    braid::FusionModel model = braid::bench::six_rankers();
    model.rankers[1].ranker = language_model;
    return model;
}

double time_query(const Xapian::Database& database, const Contender& contender,
                  const Xapian::Query& query, Xapian::doccount count) {
    const double start = wall_seconds();
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(*contender.weight);
    enquire.set_query(query);
    const Xapian::MSet mset = enquire.get_mset(0, count);
    return 1e3 * (wall_seconds() - start);
}

void compare(const Xapian::Database& database, const std::vector<Xapian::Query>& queries,
             Xapian::doccount count) {
    std::vector<Contender> contenders;
    contenders.push_back({"Xapian::BM25Weight", std::make_unique<Xapian::BM25Weight>()});
    contenders.push_back(
        {"FusedWeight, the same BM25", std::make_unique<braid::FusedWeight>(bm25_model())});
    contenders.push_back({"FusedWeight, 6 rankers, lm-jm",
                          std::make_unique<braid::FusedWeight>(six_smoothed("lm-jm"))});
    contenders.push_back({"FusedWeight, 6 rankers, lm-dirichlet",
                          std::make_unique<braid::FusedWeight>(six_smoothed("lm-dirichlet"))});
    for (Contender& contender : contenders) contender.times.reset(queries.size());
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < queries.size(); ++i) {
            for (Contender& contender : contenders) {
                contender.times.add(i, time_query(database, contender, queries[i], count));
            }
        }
    }
    const double base = contenders[0].times.median();
    for (const Contender& contender : contenders) {
        const double median = contender.times.median();
        fmt::print("| top {:4} | {:36} | {:7.3f} | {:7.3f} | {:5.2f} |\n", count, contender.name,
                   median, contender.times.mean(), median / base);
    }
}

struct Options : QueryOptions {
    Options() : QueryOptions(300) {}

    std::string database = required("DATABASE", &database, "A database");
};

void measure(const Options& options) {
    const Xapian::Database database(options.database);
    const auto queries = random_queries(database, options, Terms::kStemsOrWords);
    print_queries(database, options);
    fmt::print(
        "| results  | weight | median ms | mean ms | of Xapian's median "
        "|\n|---|---|---|---|---|\n");
    for (const Xapian::doccount results : {10U, 100U, 1000U}) compare(database, queries, results);
}

}  // namespace

void add_fused_weight(Program& program) {
    program.add("fused-weight", "FusedWeight, BM25 and six rankers, beside Xapian's BM25Weight",
                measure);
}

}  // namespace braid::bench
