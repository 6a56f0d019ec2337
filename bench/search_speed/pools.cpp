// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of scoring a pool of candidates by six rankers, and of finding it.
//
//   features DATABASE TOPIC_MODEL [QUERIES] [POOL] [WORDS_FROM WORDS_TO]
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

#include <fmt/core.h>
#include <xapian.h>

#include "braid/core/random.h"
#include "braid/plugin/pools/pool_scorer.h"
#include "braid/plugin/search/searcher.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/training/candidate_pool.h"
#include "braid/plugin/training/feature_extractor.h"

namespace {

constexpr int kRounds = 5;

braid::FusionModel six_lexical() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lm-dirichlet"},
                        {.ranker = "dph"},
                        {.ranker = "pl2"},
                        {.ranker = "tfidf-pivoted"},
                        {.ranker = "bm25+"}}};
}

braid::FusionModel with_topics(const std::string& topics) {
    braid::FusionModel model = six_lexical();
    model.rankers.back() = {.ranker = topics};
    return model;
}

std::string random_query(const Xapian::Database& database, braid::Random& random,
                         std::size_t words) {
    const Xapian::doccount common = database.get_doccount() / 10;
    std::string query;
    for (std::size_t count = 0; count < words;) {
        const auto docid = static_cast<Xapian::docid>(1 + random.below(database.get_lastdocid()));
        std::vector<std::string> terms;
        for (auto term = database.termlist_begin(docid); term != database.termlist_end(docid);
             ++term) {
            const bool is_word = (*term).size() > 3 && ((*term)[0] < 'A' || (*term)[0] > 'Z');
            if (is_word && term.get_termfreq() <= common) terms.push_back(*term);
        }
        if (terms.empty()) continue;
        query += " " + terms[random.below(terms.size())];
        ++count;
    }
    return query;
}

double cpu_milliseconds() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

double milliseconds(const std::function<void()>& work) {
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const double start = cpu_milliseconds();
        work();
        best = std::min(best, cpu_milliseconds() - start);
    }
    return best;
}

void report(const std::string& name, std::vector<double> times) {
    double sum = 0;
    for (const double time : times) sum += time;
    std::sort(times.begin(), times.end());
    fmt::print("{:<44} mean {:7.3f}  median {:7.3f}  p99 {:7.3f} ms\n", name,
               sum / static_cast<double>(times.size()), times[times.size() / 2],
               times[times.size() * 99 / 100]);
}

void measure(const std::string& name, const Xapian::Database& database,
             const braid::FusionModel& model, const std::vector<std::string>& queries,
             Xapian::doccount size, const std::shared_ptr<braid::VectorTables>& tables) {
    const braid::SearcherOptions search;  // Named, since g++ 12 warns of parts of one that isn't.
    braid::CandidatePool pool(database, model, {.size = size}, search);
    braid::PoolScorerOptions options;
    options.query_stemmer = braid::make_stemmer(pool.index_settings().analysis);
    options.tables = tables;
    braid::PoolScorer scorer(database, model, options);
    std::vector<double> finding;
    std::vector<double> scoring;
    double documents = 0;
    for (const std::string& text : queries) {
        const Xapian::Query query = pool.bag_of_words(text);
        std::vector<Xapian::docid> found;
        finding.push_back(milliseconds([&] { found = pool.find(query); }));
        scoring.push_back(milliseconds([&] { scorer.score(query, found); }));
        documents += static_cast<double>(found.size());
    }
    fmt::print("{}, {:.0f} documents a query\n", name,
               documents / static_cast<double>(queries.size()));
    report("  finding the pool", finding);
    report("  scoring it", scoring);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "features DATABASE TOPIC_MODEL [QUERIES] [POOL] [FROM TO]\n");
        return 2;
    }
    const Xapian::Database database(argv[1]);
    const auto number = [&](int at, int otherwise) {
        return static_cast<std::size_t>(argc > at ? std::atoi(argv[at]) : otherwise);
    };
    const std::size_t from = number(5, 2);
    const std::size_t to = number(6, 4);
    braid::Random random;
    std::vector<std::string> queries;
    for (std::size_t i = 0; i < number(3, 100); ++i) {
        queries.push_back(random_query(database, random, from + random.below(to - from + 1)));
    }
    const auto size = static_cast<Xapian::doccount>(number(4, 1000));
    fmt::print("{} documents, {} queries of {} to {} words\n", database.get_doccount(),
               queries.size(), from, to);
    measure("six lexical rankers", database, six_lexical(), queries, size, nullptr);
    const braid::FusionModel topical = with_topics(argv[2]);
    measure("five and " + std::string(argv[2]), database, topical, queries, size, nullptr);
    measure("the same, vectors in memory", database, topical, queries, size,
            std::make_shared<braid::VectorTables>());
    return 0;
}
