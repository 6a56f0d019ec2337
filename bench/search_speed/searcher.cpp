// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of Searcher, whole, against Xapian's BM25 on the same database.
//
// Queries are words of random documents that at most a tenth of the documents have. A topic model's
// share of s means that its weight is s of the sum of it and the mean of the queries' best lexical
// scores: one model for all queries, each folded in plainly within its time. Every contender
// answers a query in each round, in turns that are shuffled; a query's time is the least of its
// rounds, in processor time. Postings, lengths and vectors are in memory, which the first round
// fills, unless the name says otherwise. "by query" computes the weights from the query's words and
// topics first, and gets the very same ones, so that its cost is all there is to see. Models in
// files, which braid train wrote, are timed besides, and their topics' shares printed.
//
// The plain path is OP_AND_MAYBE with a posting source that reads every match's vector. Two phases
// are Xapian's BM25, the 1,000 best of which the model scores once more, vectors in memory; how
// far their ten best are the model's own comes last.
//
// "Ranking" is braid::Ranking on an Enquire of the caller's, with matching terms to be had.
//
// Results are called by docid, so that nothing but the search is timed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/search_speed/contests.h"
#include "braid/bench/search_speed/random_queries.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/config.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/plugin/search/rescored_search.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/ranking.h"

namespace braid::bench {
namespace {

using Xapian::Query;
using Path = braid::SearchRequest::Path;

constexpr std::size_t kRounds = 4;
constexpr Xapian::doccount kWindow = 1000;  ///< Of documents that are scored once more.

// The same weights for every query, which are computed all the same: embeddings of rankers are 0.
braid::FusionModel by_query(const braid::FusionModel& model, const std::string& topics,
                            std::size_t dimensions) {
    constexpr std::size_t kPlaces = 5;
    braid::AttentionFunction function;
    for (const braid::RankerSpec& spec : model.rankers) function.base.push_back(spec.weight);
    function.features = {"length", "words", "unknown", "idf-sum", "idf-mean", "idf-max", "idf-min"};
    for (std::size_t i = 0; i < dimensions; ++i) {
        function.features.push_back(fmt::format("topic:{}:{}", topics, i));
    }
    const std::size_t features = function.features.size();
    function.dimensions = kPlaces;
    function.rankers.assign(model.rankers.size() * kPlaces, 0);
    function.means.assign(features, 0);
    function.deviations.assign(features, 1);
    function.matrix.assign(kPlaces * features, 0.1);
    function.offset.assign(kPlaces, 0);
    function.non_negative = true;
    braid::FusionModel result = model;
    set_model_function(result, function);
    return result;
}

class Contender {
  public:
    using Run = std::function<braid::FusedCounters(const Query&, Xapian::doccount)>;

    Contender(std::string name, Run run) : name_(std::move(name)), run_(std::move(run)) {}

    void forget(std::size_t queries) {
        times_.reset(queries);
        queries_ = queries;
        counters_ = {};
    }

    void answer(const Query& query, std::size_t number, Xapian::doccount count, bool last) {
        const double start = thread_milliseconds();
        const braid::FusedCounters counters = run_(query, count);
        times_.add(number, thread_milliseconds() - start);
        if (!last) return;
        counters_.postings += counters.postings;
        counters_.postings_scored += counters.postings_scored;
        counters_.documents_scored += counters.documents_scored;
        counters_.vectors_decoded += counters.vectors_decoded;
    }

    void print(Xapian::doccount count, const Contender& base) const {
        const double mean = times_.mean();
        const double slowest = times_.percentile(99);
        fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.2f} | {:.3f} | {:.2f} | {} | {} | {} |\n",
                   count, name_, times_.median(), mean, mean / base.times_.mean(), slowest,
                   slowest / base.times_.percentile(99), counters_.postings_scored / queries_,
                   counters_.documents_scored / queries_, counters_.vectors_decoded / queries_);
    }

  private:
    std::string name_;
    Run run_;
    QueryTimes times_;
    std::size_t queries_ = 0;
    braid::FusedCounters counters_;
};

class Bench {
  public:
    Bench(const Xapian::Database& database, std::vector<Query> queries, const Query& filter,
          std::string only)
        : database_(database),
          queries_(std::move(queries)),
          filter_(filter),
          only_(std::move(only)) {
        contenders_.emplace_back("`Xapian::BM25Weight`", [this](const Query& query, auto count) {
            Xapian::Enquire enquire(database_);
            enquire.set_weighting_scheme(Xapian::BM25Weight());
            enquire.set_query(filter_.empty() ? query : Query(Query::OP_FILTER, query, filter_));
            enquire.get_mset(0, count);
            return braid::FusedCounters{};
        });
        add("the same BM25", bm25_model());
        add("the same BM25, no postings in memory", bm25_model(), Path::kPruned,
            Memory::kNoPostings);
        add("the same BM25, nothing in memory", bm25_model(), Path::kPruned, Memory::kNone);
        add("six rankers, plain path", six_rankers(), Path::kPlain);
        add("six rankers", six_rankers());
        add("six rankers, by query", by_query(six_rankers(), "", 0));
    }

    void add_topics(const std::string& topics) {
        const double best = mean_best();
        const std::size_t dimensions =
            braid::load_topic_record(database_, braid::find_topic_model(database_, topics).id)
                .header.dimensions;
        for (const double share : {0.1, 0.3, 0.6, 0.9}) {
            const braid::FusionModel model = with(topics, share, best);
            const std::string name = fmt::format("and topics, {:.0f} %", 100 * share);
            add(name, model);
            add_ranking(name + ", Ranking", model);
            if (share == 0.6) {
                add(name + ", no postings in memory", model, Path::kPruned, Memory::kNoPostings);
            }
            if (share <= 0.3) add(name + ", by query", by_query(model, topics, dimensions));
            if (share == 0.3 || share == 0.6) {
                add(fmt::format("{:.0f} %, plain path", 100 * share), model, Path::kPlain);
            }
            add_two_phases(fmt::format("{:.0f} %, two phases", 100 * share), model);
        }
        add("10 %, nothing in memory", with(topics, 0.1, best), Path::kPruned, Memory::kNone);
    }

    void add_model(const std::string& path) {
        braid::FusionModel model = braid::load_model(path);
        model.provenance = {};  // Of another database's topics.
        double topics = 0;
        for (const braid::RankerSpec& spec : model.rankers) {
            if (!spec.topics.empty() || spec.ranker == "lsa") topics += spec.weight;
        }
        const double best = mean_best(model);
        const std::string name = path.substr(path.rfind('/') + 1);
        fmt::print("{}: topics are {:.0f} % of the best scores' mean bound\n", name,
                   100 * topics / (topics + best));
        add(name, model);
        add_two_phases(name + ", two phases", model);
    }

    void compare_phases() const {
        for (const auto& [name, model, two_phases] : phases_) {
            braid::SearcherOptions options;
            options.names = braid::DocumentNameSource{};
            braid::Searcher searcher(database_, options);
            searcher.rank_by(model);
            std::size_t same = 0, equal = 0, all = 0;
            for (const Query& query : queries_) {
                braid::SearchRequest request;
                request.query = query;
                request.documents = false;
                std::vector<Xapian::docid> exact;
                for (const auto& hit : searcher.search(request).hits) exact.push_back(hit.docid);
                const std::vector<Xapian::docid> found = two_phases(query, 10);
                same += exact == found ? 1 : 0;
                all += exact.size();
                for (const Xapian::docid docid : exact) {
                    equal += std::count(found.begin(), found.end(), docid);
                }
            }
            fmt::print(
                "{}: {} of {} queries have the same ten in the same order, {:.4f} of the "
                "documents are there\n",
                name, same, queries_.size(), static_cast<double>(equal) / static_cast<double>(all));
        }
    }

    void run(Xapian::doccount count) {
        for (Contender& contender : contenders_) contender.forget(queries_.size());
        in_turns(contenders_, queries_.size(), kRounds,
                 [&](Contender& contender, std::size_t query, std::size_t round) {
                     contender.answer(queries_[query], query, count, round + 1 == kRounds);
                 });
        for (const Contender& contender : contenders_) contender.print(count, contenders_[0]);
    }

  private:
    enum class Memory { kAll, kNoPostings, kNone };

    void add(const std::string& name, const braid::FusionModel& model, Path path = Path::kPruned,
             Memory memory = Memory::kAll) {
        if (name.find(only_) == std::string::npos) return;
        braid::SearcherOptions options;
        options.names = braid::DocumentNameSource{};
        options.vectors = memory == Memory::kNone ? nullptr : tables_;
        options.postings = memory == Memory::kAll ? postings_ : nullptr;
        const auto searcher = std::make_shared<braid::Searcher>(database_, options);
        searcher->rank_by(model);
        contenders_.emplace_back(name, [this, searcher, path](const Query& query, auto count) {
            braid::SearchRequest request;
            request.query = query;
            if (!filter_.empty()) request.filter = filter_;
            request.count = count;
            request.path = path;
            request.documents = false;
            return searcher->search(request).run.counters;
        });
    }

    // One object for all queries, and an Enquire for each, as a program has them.
    void add_ranking(const std::string& name, const braid::FusionModel& model) {
        if (name.find(only_) == std::string::npos) return;
        braid::RankingSetup setup;
        setup.vectors = tables_;
        setup.postings = postings_;
        const auto ranking = std::make_shared<braid::Ranking>(database_, model, setup);
        contenders_.emplace_back(name, [this, ranking](const Query& query, auto count) {
            Xapian::Enquire enquire(database_);
            ranking->apply(enquire,
                           filter_.empty() ? query : Query(Query::OP_FILTER, query, filter_));
            enquire.get_mset(0, count);
            return braid::FusedCounters{};
        });
    }

    using TwoPhases = std::function<std::vector<Xapian::docid>(const Query&, Xapian::doccount)>;

    void add_two_phases(const std::string& name, const braid::FusionModel& model) {
        if (name.find(only_) == std::string::npos) return;
        const auto scorer = std::make_shared<braid::PoolScorer>(
            database_, model,
            braid::PoolScorerOptions{.query_stemmer = Xapian::Stem("english"), .tables = tables_});
        const TwoPhases two_phases = [this, scorer, model](const Query& query, auto count) {
            Xapian::Enquire enquire(database_);
            enquire.set_weighting_scheme(Xapian::BM25Weight());
            enquire.set_query(filter_.empty() ? query : Query(Query::OP_FILTER, query, filter_));
            const Xapian::MSet mset = enquire.get_mset(0, kWindow);
            std::vector<braid::FirstPassDocument> first;
            for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
                first.push_back({*hit, hit.get_weight()});
            }
            const braid::RescoredList list =
                braid::rescore(*scorer, braid::model_fusion(model), query, first, kWindow);
            std::vector<Xapian::docid> best;
            for (const auto& entry : list.entries) {
                if (best.size() < count) best.push_back(entry.docid);
            }
            return best;
        };
        contenders_.emplace_back(name, [two_phases](const Query& query, auto count) {
            two_phases(query, count);
            return braid::FusedCounters{};
        });
        phases_.push_back({name, model, two_phases});
    }

    static braid::FusionModel with(const std::string& topics, double share, double best) {
        braid::FusionModel model = six_rankers();
        model.rankers.push_back(
            {.ranker = "lsa", .topics = topics, .weight = share / (1 - share) * best});
        return model;
    }

    // By the lexical rankers.
    double mean_best(const braid::FusionModel& model = six_rankers()) const {
        return braid::bench::mean_best(braid::Searcher(database_), braid::lexical_part(model),
                                       queries_);
    }

    Xapian::Database database_;
    std::vector<Query> queries_;
    Query filter_;
    std::shared_ptr<braid::VectorTables> tables_ = std::make_shared<braid::VectorTables>();
    std::shared_ptr<braid::PostingTables> postings_ = std::make_shared<braid::PostingTables>();
    std::string only_;
    std::vector<Contender> contenders_;
    struct Phases {
        std::string name;
        braid::FusionModel model;
        TwoPhases run;
    };
    std::vector<Phases> phases_;
};

struct Options : TopicQueryOptions {
    double filter = option("--filter", &filter, kFilterHelp);
    std::string only = option("--only", &only, "Those with this in their names, beside Xapian's");
    std::vector<std::string> models =
        option("--models", &models, "Model files to time besides, FILE,FILE..");
};

void measure(const Options& options) {
    const Xapian::Database database(options.database);
    std::vector<Query> queries = random_queries(database, options);
    print_queries(database, options);
    const Query filter = filter_of(database, options.filter);
    Bench bench(database, std::move(queries), filter, options.only);
    bench.add_topics(options.topics);
    for (const std::string& model : options.models) bench.add_model(model);
    fmt::print(
        "| top | what | median ms | mean ms | of Xapian's | 99 % ms | of Xapian's | postings "
        "scored | documents scored | vectors |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Xapian::doccount results : {10U, 100U, 1000U}) {
        bench.run(results);
        std::fflush(stdout);
    }
    bench.compare_phases();
}

}  // namespace

void add_searcher(Program& program) {
    program.add("searcher", "Whole searches by Searcher, beside Xapian's BM25Weight", measure);
}

}  // namespace braid::bench
