// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of Xapian's BM25, of BM25 through FusedSource, and of six rankers with a topic
// model, through FusedSource and through FusedWeight beside a TopicSource.
//
// Queries are words of random documents that at most a tenth of the documents have, folded in
// plainly. A topic model's share is its weight in the sum of that and the best lexical score of the
// query. Every contender answers a query in each of the rounds, in turn; a query's time is the
// least of its rounds. Making the source, with the terms' statistics, is part of the time; folding
// in isn't.
#include "braid/plugin/sources/fused_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
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
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/weight.h"

namespace braid::bench {
namespace {

using Xapian::Query;

constexpr int kRounds = 5;
constexpr double kShares[] = {0.1, 0.3, 0.6, 0.9};

struct Case {
    Query text;
    std::vector<float> vector;
    double best = 0;  ///< Lexical score.
};

struct Work {
    QueryTimes times;
    double vectors = 0;
    double postings = 0;
};

struct Contender {
    std::string name;
    std::function<braid::FusedCounters(const Case&, Xapian::doccount)> run;
};

Xapian::MSet search(const Xapian::Database& database, const Xapian::Weight& weight,
                    const Query& query, Xapian::doccount count) {
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(weight);
    enquire.set_query(query);
    return enquire.get_mset(0, count);
}

class Bench {
  public:
    Bench(const Xapian::Database& database, const std::string& topics, const Query& filter)
        : database_(database),
          topics_(database, braid::find_topic_model(database, topics)),
          slot_{topics_.identity().id, topics_.record().slot},
          six_weight_(six_rankers()),
          filter_(filter) {
        contend();
    }

    void add_case(const Query& text) {
        const std::string& stemmer = topics_.record().stemmer;
        const braid::WordCounts words = braid::query_words(
            text, topics_.record(),
            braid::make_stemmer({.stemmer = stemmer.empty() ? "none" : stemmer}));
        cases_.push_back({text, topics_.fold(words).vector,
                          search(database_, six_weight_, text, 1).get_max_attained()});
    }

    void run(Xapian::doccount count) {
        std::vector<Work> works(contenders_.size());
        for (Work& work : works) work.times.reset(cases_.size());
        for (int round = 0; round < kRounds; ++round) {
            for (std::size_t i = 0; i < cases_.size(); ++i) {
                for (std::size_t k = 0; k < works.size(); ++k) {
                    time(contenders_[k], i, count, works[k], round == 0);
                }
            }
        }
        double base = 0;
        for (std::size_t k = 0; k < works.size(); ++k) {
            const Work& work = works[k];
            const auto queries = static_cast<double>(cases_.size());
            if (k == 0) base = work.times.median();
            fmt::print(
                "| {:4} | {:38} | {:7.3f} | {:7.3f} | {:7.3f} | {:5.2f} | {:8.0f} | {:8.0f} |\n",
                count, contenders_[k].name, work.times.median(), work.times.mean(),
                work.times.percentile(99), work.times.median() / base, work.postings / queries,
                work.vectors / queries);
        }
    }

  private:
    void find(const Xapian::Weight& weight, const Query& query, Xapian::doccount count) const {
        search(database_, weight, filter_.empty() ? query : Query(Query::OP_FILTER, query, filter_),
               count);
    }

    void time(const Contender& contender, std::size_t i, Xapian::doccount count, Work& work,
              bool first) const {
        const double start = wall_seconds();
        const braid::FusedCounters counters = contender.run(cases_[i], count);
        work.times.add(i, 1e3 * (wall_seconds() - start));
        if (!first) return;
        work.postings += static_cast<double>(counters.postings_scored);
        work.vectors += static_cast<double>(counters.vectors_decoded);
    }

    braid::FusedCounters fused(const braid::FusionModel& model, const Case& given,
                               Xapian::doccount count, double share, bool with_text,
                               bool in_memory = false) const {
        std::vector<braid::FusedTopic> topics;
        if (share > 0) topics.push_back({slot_, given.vector, weight(given, share)});
        braid::FusedSource source(model, braid::read_bag_of_words(database_, given.text), topics);
        if (in_memory) source.use_tables(tables_);
        Query query(source.clone()->release());
        if (with_text) {
            query =
                Query(Query::OP_AND_MAYBE, query, Query(Query::OP_SCALE_WEIGHT, given.text, 0.0));
        }
        find(Xapian::CoordWeight(), query, count);
        return source.counters();
    }

    static double weight(const Case& given, double share) {
        return share / (1 - share) * given.best;
    }

    void contend() {
        contenders_.push_back({"Xapian::BM25Weight", [this](const Case& given, auto count) {
                                   find(Xapian::BM25Weight(), given.text, count);
                                   return braid::FusedCounters{};
                               }});
        contenders_.push_back({"FusedSource, BM25", [this](const Case& given, auto count) {
                                   return fused(bm25_model(), given, count, 0, false);
                               }});
        contenders_.push_back(
            {"FusedSource, BM25, text beside", [this](const Case& given, auto count) {
                 return fused(bm25_model(), given, count, 0, true);
             }});
        contenders_.push_back({"FusedWeight, 6 rankers", [this](const Case& given, auto count) {
                                   find(six_weight_, given.text, count);
                                   return braid::FusedCounters{};
                               }});
        contenders_.push_back({"FusedSource, 6 rankers", [this](const Case& given, auto count) {
                                   return fused(six_rankers(), given, count, 0, false);
                               }});
        for (const bool in_memory : {false, true}) {
            for (const double share : kShares) {
                contenders_.push_back({fmt::format("6 rankers, topics {:.0f} %{}", 100 * share,
                                                   in_memory ? ", vectors in memory" : ""),
                                       [this, share, in_memory](const Case& given, auto count) {
                                           return fused(six_rankers(), given, count, share, false,
                                                        in_memory);
                                       }});
            }
        }
        contenders_.push_back(
            {"FusedWeight, TopicSource, topics 30 %", [this](const Case& given, auto count) {
                 const braid::TopicSource topic(slot_, given.vector, weight(given, 0.3));
                 find(six_weight_,
                      Query(Query::OP_AND_MAYBE, given.text, Query(topic.clone()->release())),
                      count);
                 return braid::FusedCounters{};
             }});
    }

    Xapian::Database database_;
    braid::StoredTopicModel topics_;
    braid::TopicSlot slot_;
    braid::FusedWeight six_weight_;
    std::shared_ptr<braid::VectorTables> tables_ = std::make_shared<braid::VectorTables>();
    Query filter_;
    std::vector<Case> cases_;
    std::vector<Contender> contenders_;
};

struct Options : TopicQueryOptions {
    double filter = option("--filter", &filter, kFilterHelp);
};

void measure(const Options& options) {
    const Xapian::Database database(options.database);
    const std::vector<Query> queries = random_queries(database, options);
    print_queries(database, options);
    Bench bench(database, options.topics, filter_of(database, options.filter));
    for (const Query& query : queries) bench.add_case(query);
    fmt::print(
        "| top | what | median ms | mean ms | 99 % ms | of Xapian's median | postings | "
        "vectors |\n|---|---|---|---|---|---|---|---|\n");
    for (const Xapian::doccount results : {10U, 100U}) bench.run(results);
}

}  // namespace

void add_fused_source(Program& program) {
    program.add("fused-source",
                "FusedSource beside Xapian's BM25Weight and FusedWeight with TopicSource", measure);
}

}  // namespace braid::bench
