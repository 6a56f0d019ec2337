// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of Searcher, whole, against Xapian's BM25 on the same database.
//
//   search_speed DATABASE TOPIC_MODEL [QUERIES] [WORDS_FROM WORDS_TO [PERCENT [ONLY [MODEL...]]]]
//
// Queries are words of random documents that at most a tenth of the documents have. A topic model's
// share of s means that its weight is s of the sum of it and the mean of the queries' best lexical
// scores: one model for all queries, each folded in plainly within its time. Every contender
// answers a query in each round, in turns that are shuffled; a query's time is the least of its
// rounds, in processor time, since other programs may be running. Postings, lengths and vectors
// are in memory, which the first round fills, unless the name says otherwise. "by query" computes
// the weights from the query's words and topics first, and gets the very same ones, so that its
// cost is all there is to see. With PERCENT, all answer under a filter: the term whose share of the
// documents is next to that; 0 is no filter. With ONLY, the contenders that have that in their
// names, beside Xapian's ("" is all). Models in files, which braid train wrote, are timed besides,
// and their topics' shares printed.
//
// The plain path is OP_AND_MAYBE with a posting source that reads every match's vector. Two phases
// are Xapian's BM25, the 1,000 best of which the model scores once more, vectors in memory; how
// far their ten best are the model's own comes last.
//
// Results are called by docid, so that nothing but the search is timed.
#include "braid/plugin/search/searcher.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/search_speed/random_queries.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/config/model_yaml.h"
#include "braid/core/learners/functions/model_function.h"
#include "braid/core/models/model_parts.h"
#include "braid/core/random.h"
#include "braid/plugin/search/rescore.h"
#include "braid/plugin/store/topic_store.h"

namespace {

using Xapian::Query;
using Path = braid::SearchRequest::Path;

constexpr int kRounds = 4;
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

std::string term_in(const Xapian::Database& database, double share) {
    const double wanted = share * database.get_doccount();
    std::string best;
    double distance = database.get_doccount();
    for (auto term = database.allterms_begin(); term != database.allterms_end(); ++term) {
        const double away = std::fabs(term.get_termfreq() - wanted);
        if (away >= distance) continue;
        distance = away;
        best = *term;
    }
    return best;
}

double processor_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

class Contender {
  public:
    using Run = std::function<braid::FusedCounters(const Query&, Xapian::doccount)>;

    Contender(std::string name, Run run) : name_(std::move(name)), run_(std::move(run)) {}

    void forget(std::size_t queries) {
        milliseconds_.assign(queries, 1e9);
        counters_ = {};
    }

    void answer(const Query& query, std::size_t number, Xapian::doccount count, bool last) {
        const double start = processor_milliseconds();
        const braid::FusedCounters counters = run_(query, count);
        double& best = milliseconds_[number];
        best = std::min(best, processor_milliseconds() - start);
        if (!last) return;
        counters_.postings += counters.postings;
        counters_.postings_scored += counters.postings_scored;
        counters_.documents_scored += counters.documents_scored;
        counters_.vectors_decoded += counters.vectors_decoded;
    }

    double mean() const {
        double sum = 0;
        for (const double milliseconds : milliseconds_) sum += milliseconds;
        return sum / static_cast<double>(milliseconds_.size());
    }

    double percentile(std::size_t percent) const {
        std::vector<double> times = milliseconds_;
        std::sort(times.begin(), times.end());
        return times[times.size() * percent / 100];
    }

    void print(Xapian::doccount count, const Contender& base) const {
        const std::size_t queries = milliseconds_.size();
        fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.2f} | {:.3f} | {:.2f} | {} | {} | {} |\n",
                   count, name_, percentile(50), mean(), mean() / base.mean(), percentile(99),
                   percentile(99) / base.percentile(99), counters_.postings_scored / queries,
                   counters_.documents_scored / queries, counters_.vectors_decoded / queries);
    }

  private:
    std::string name_;
    Run run_;
    std::vector<double> milliseconds_;
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
        add("the same BM25", braid::bench::bm25_model());
        add("the same BM25, no postings in memory", braid::bench::bm25_model(), Path::kPruned,
            Memory::kNoPostings);
        add("the same BM25, nothing in memory", braid::bench::bm25_model(), Path::kPruned,
            Memory::kNone);
        add("six rankers, plain path", braid::bench::six_rankers(), Path::kPlain);
        add("six rankers", braid::bench::six_rankers());
        add("six rankers, by query", by_query(braid::bench::six_rankers(), "", 0));
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
        std::vector<std::size_t> turns(contenders_.size());
        std::iota(turns.begin(), turns.end(), std::size_t{0});
        braid::Random random(1);
        for (int round = 0; round < kRounds; ++round) {
            for (std::size_t i = 0; i < queries_.size(); ++i) {
                // Who comes behind one that reads the same finds it in the processor's caches.
                random.shuffle(turns);
                for (const std::size_t turn : turns) {
                    contenders_[turn].answer(queries_[i], i, count, round + 1 == kRounds);
                }
            }
        }
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
            std::vector<braid::ScoredDocument> first;
            for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
                first.push_back({*hit, hit.get_weight()});
            }
            const braid::RescoredList list =
                braid::rescore(*scorer, model, braid::model_fusion(model), query, first, kWindow);
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
        braid::FusionModel model = braid::bench::six_rankers();
        model.rankers.push_back(
            {.ranker = "lsa", .topics = topics, .weight = share / (1 - share) * best});
        return model;
    }

    // By the lexical rankers.
    double mean_best(const braid::FusionModel& model = braid::bench::six_rankers()) const {
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

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr,
                   "usage: search_speed DATABASE TOPIC_MODEL [QUERIES] [WORDS_FROM WORDS_TO "
                   "[PERCENT [ONLY [MODEL...]]]]\n");
        return 2;
    }
    const Xapian::Database database(argv[1]);
    const std::size_t count = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 200;
    const std::size_t fewest = argc > 5 ? std::strtoul(argv[4], nullptr, 10) : 2;
    const std::size_t most = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 4;
    braid::Random random;
    std::vector<Query> queries;
    for (std::size_t i = 0; i < count; ++i) {
        queries.push_back(
            braid::bench::random_query(database, random, fewest + random.below(most - fewest + 1)));
    }
    fmt::print("{} documents, average length {:.0f}; {} queries of {} to {} words\n\n",
               database.get_doccount(), database.get_average_length(), count, fewest, most);
    Query filter;
    const double percent = argc > 6 ? std::strtod(argv[6], nullptr) : 0;
    if (percent > 0) {
        const std::string term = term_in(database, percent / 100);
        fmt::print("filter: {}, {} documents\n\n", term, database.get_termfreq(term));
        filter = Query(term);
    }
    Bench bench(database, std::move(queries), filter, argc > 7 ? argv[7] : "");
    bench.add_topics(argv[2]);
    for (int i = 8; i < argc; ++i) bench.add_model(argv[i]);
    fmt::print(
        "| top | what | median ms | mean ms | of Xapian's | 99 % ms | of Xapian's | postings "
        "scored | documents scored | vectors |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Xapian::doccount results : {10U, 100U, 1000U}) {
        bench.run(results);
        std::fflush(stdout);
    }
    bench.compare_phases();
    return 0;
}
