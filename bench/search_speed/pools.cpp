// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of scoring a pool of candidates by six rankers, and of finding it.
//
// Queries are words of random documents that at most a tenth of the documents have. The pool is
// the top of the six rankers' lists in turn. Each query is scored in several rounds, and its time
// is the least of them: of the thread's CPU, since a busy machine says nothing about the code.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/search_speed/random_queries.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/core/base/random.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/training/candidate_pool.h"
#include "braid/plugin/training/feature_extractor.h"
#include "braid/searcher.h"

namespace braid::bench {
namespace {

constexpr int kRounds = 5;

// The rankers alone: a pool is found by each, whatever its weight.
braid::FusionModel six_lexical() {
    braid::FusionModel model = six_rankers();
    for (braid::RankerSpec& ranker : model.rankers) ranker.weight = braid::RankerSpec{}.weight;
    return model;
}

braid::FusionModel with_topics(const std::string& topics) {
    braid::FusionModel model = six_lexical();
    model.rankers.back() = {.ranker = topics};
    return model;
}

void report(const std::string& name, const QueryTimes& times) {
    fmt::print("{:<44} mean {:7.3f}  median {:7.3f}  p99 {:7.3f} ms\n", name, times.mean(),
               times.median(), times.percentile(99));
}

void measure(const std::string& name, const Xapian::Database& database,
             const braid::FusionModel& model, const std::vector<std::vector<std::string>>& queries,
             Xapian::doccount size, const std::shared_ptr<braid::VectorTables>& tables) {
    const braid::SearcherOptions search;  // Named, since g++ 12 warns of parts of one that isn't.
    braid::CandidatePool pool(database, model, {.size = size}, search);
    braid::PoolScorerOptions options;
    options.query_stemmer = braid::make_stemmer(pool.index_settings().analysis);
    options.tables = tables;
    braid::PoolScorer scorer(database, model, options);
    QueryTimes finding;
    QueryTimes scoring;
    finding.reset(queries.size());
    scoring.reset(queries.size());
    double documents = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const Xapian::Query query =
            pool.bag_of_words(fmt::format("{}", fmt::join(queries[i], " ")));
        std::vector<Xapian::docid> found;
        for (int round = 0; round < kRounds; ++round) {
            const double start = thread_milliseconds();
            found = pool.find(query);
            finding.add(i, thread_milliseconds() - start);
        }
        for (int round = 0; round < kRounds; ++round) {
            const double start = thread_milliseconds();
            scorer.score(query, found);
            scoring.add(i, thread_milliseconds() - start);
        }
        documents += static_cast<double>(found.size());
    }
    fmt::print("{}, {:.0f} documents a query\n", name,
               documents / static_cast<double>(queries.size()));
    report("  finding the pool", finding);
    report("  scoring it", scoring);
}

struct Options : TopicQueryOptions {
    Options() : TopicQueryOptions(100) {}

    std::size_t pool = option("--pool", &pool, "Documents of a pool, at most", 1000);
};

void measure_all(const Options& options) {
    const Xapian::Database database(options.database);
    const auto queries = random_words(database, options, Terms::kRareWords);
    const auto size = static_cast<Xapian::doccount>(options.pool);
    fmt::print("{} documents, {} queries of {} to {} words\n", database.get_doccount(),
               queries.size(), options.fewest, options.most);
    measure("six lexical rankers", database, six_lexical(), queries, size, nullptr);
    const braid::FusionModel topical = with_topics(options.topics);
    measure("five and " + options.topics, database, topical, queries, size, nullptr);
    measure("the same, vectors in memory", database, topical, queries, size,
            std::make_shared<braid::VectorTables>());
}

}  // namespace

void add_pools(Program& program) {
    program.add("pools", "Finding a pool of candidates, and scoring it by six rankers",
                measure_all);
}

}  // namespace braid::bench
