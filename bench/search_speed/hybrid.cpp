// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of candidates: hybrid, and of libraries for vectors over the same ones.
//
// The first table is whole searches of Searcher beside Xapian's BM25, with topics' shares and
// queries as the command `searcher` has them: with the words' documents alone, with hybrid
// candidates, with so many clusters only, and with all candidates by the plain path. Recall is the
// share of the exact answer's top 10. "Kept" is the share of queries in which clusters had
// documents of a sufficient score, with or without words.
//
// The second is the query's vector alone against all vectors, top 10: Braid's clusters through
// Xapian's matcher, Faiss and hnswlib where they were found at configure time. They have the
// vectors as decoded from the database, and the query's vector; folding is in no time.
// Processor time, the least of three rounds, means over queries.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#ifdef BRAID_HAVE_FAISS
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <omp.h>
#endif
#ifdef BRAID_HAVE_HNSWLIB
#include <hnswlib/hnswlib.h>
#endif

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/search_speed/random_queries.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/core/base/random.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/searcher.h"

namespace braid::bench {
namespace {

using Docids = std::vector<Xapian::docid>;
using Xapian::Query;
using From = braid::SearchSettings::Candidates;

constexpr int kRounds = 3;
constexpr Xapian::doccount kTop = 10;

struct Contender {
    std::string name;
    std::function<Docids(std::size_t query)> answer;
    QueryTimes times = {};
    std::vector<Docids> answers = {};

    double recall(const Contender& exact) const {
        double found = 0;
        double all = 0;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const std::set<Xapian::docid> wanted(exact.answers[i].begin(), exact.answers[i].end());
            for (const Xapian::docid docid : answers[i]) found += wanted.count(docid) > 0 ? 1 : 0;
            all += static_cast<double>(wanted.size());
        }
        return found / all;
    }
};

void run(std::vector<Contender>& contenders, std::size_t queries) {
    for (Contender& contender : contenders) {
        contender.times.reset(queries);
        contender.answers.resize(queries);
    }
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < queries; ++i) {
            // Who comes later finds more in the processor's caches.
            for (std::size_t k = 0; k < contenders.size(); ++k) {
                Contender& contender =
                    contenders[(k + i + static_cast<std::size_t>(round)) % contenders.size()];
                const double start = thread_milliseconds();
                contender.answers[i] = contender.answer(i);
                contender.times.add(i, thread_milliseconds() - start);
            }
        }
    }
}

struct Vectors {
    std::size_t dimensions = 0;
    std::vector<float> values;
    Docids docids;
    std::vector<std::vector<float>> queries;
};

#ifdef BRAID_HAVE_FAISS
Docids faiss_search(const faiss::Index& index, const Vectors& vectors, std::size_t i) {
    std::vector<float> scores(kTop);
    std::vector<faiss::Index::idx_t> found(kTop);
    index.search(1, vectors.queries[i].data(), kTop, scores.data(), found.data());
    Docids result;
    for (const auto row : found) {
        if (row >= 0) result.push_back(vectors.docids[static_cast<std::size_t>(row)]);
    }
    return result;
}

void add_faiss(const Vectors& vectors, std::vector<Contender>& contenders) {
    omp_set_num_threads(1);
    const int d = static_cast<int>(vectors.dimensions);
    const auto rows = static_cast<std::int64_t>(vectors.docids.size());
    const auto flat = std::make_shared<faiss::IndexFlatIP>(d);
    flat->add(rows, vectors.values.data());
    contenders.push_back({"Faiss flat, exact", [&vectors, flat](std::size_t i) {
                              return faiss_search(*flat, vectors, i);
                          }});
    const auto coarse = std::make_shared<faiss::IndexFlatIP>(d);
    const auto lists = std::make_shared<faiss::IndexIVFFlat>(coarse.get(), vectors.dimensions, 316,
                                                             faiss::METRIC_INNER_PRODUCT);
    lists->train(rows, vectors.values.data());
    lists->add(rows, vectors.values.data());
    for (const std::size_t probes : {4U, 16U, 64U}) {
        contenders.push_back({fmt::format("Faiss IVF, {} of 316 lists", probes),
                              [&vectors, coarse, lists, probes](std::size_t i) {
                                  lists->nprobe = probes;
                                  return faiss_search(*lists, vectors, i);
                              }});
    }
}
#else
void add_faiss(const Vectors& /*vectors*/, std::vector<Contender>& /*contenders*/) {}
#endif

#ifdef BRAID_HAVE_HNSWLIB
void add_graph(const Vectors& vectors, std::vector<Contender>& contenders) {
    const auto space = std::make_shared<hnswlib::InnerProductSpace>(vectors.dimensions);
    const auto graph = std::make_shared<hnswlib::HierarchicalNSW<float>>(
        space.get(), vectors.docids.size(), 16, 200);
    for (std::size_t row = 0; row < vectors.docids.size(); ++row) {
        graph->addPoint(vectors.values.data() + row * vectors.dimensions, row);
    }
    for (const std::size_t ef : {16U, 64U, 256U}) {
        contenders.push_back(
            {fmt::format("hnswlib, M 16, ef {}", ef), [&vectors, space, graph, ef](std::size_t i) {
                 graph->setEf(ef);
                 auto found = graph->searchKnn(vectors.queries[i].data(), kTop);
                 Docids result;
                 for (; !found.empty(); found.pop()) {
                     result.push_back(vectors.docids[found.top().second]);
                 }
                 return result;
             }});
    }
}
#else
void add_graph(const Vectors& /*vectors*/, std::vector<Contender>& /*contenders*/) {}
#endif

class Bench {
  public:
    Bench(const Xapian::Database& database, std::string topics, std::vector<Query> queries)
        : database_(database), topics_(std::move(topics)), queries_(std::move(queries)) {
        options_.names = braid::DocumentNameSource{};
        options_.vectors = std::make_shared<braid::VectorTables>();
    }

    void searches() {
        const double best = mean_best();
        fmt::print(
            "| topics' share | what | mean ms | of Xapian's | 99 % ms | of Xapian's | recall | "
            "surely | kept | clusters | bounded | compared |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (const double share : {0.1, 0.3, 0.6, 0.9}) {
            braid::FusionModel model = six_rankers();
            model.rankers.push_back(
                {.ranker = "lsa", .topics = topics_, .weight = share / (1 - share) * best});
            compare(share, model);
        }
    }

    void vectors();

  private:
    struct Work {
        double surely = 0, kept = 0, clusters = 0, bounded = 0, compared = 0, runs = 0;
    };

    void compare(double share, const braid::FusionModel& model) {
        std::vector<std::shared_ptr<Work>> works;
        std::vector<Contender> contenders;
        contenders.push_back({"`Xapian::BM25Weight`", [this](std::size_t i) {
                                  Xapian::Enquire enquire(database_);
                                  enquire.set_query(queries_[i]);
                                  enquire.get_mset(0, kTop);
                                  return Docids{};
                              }});
        const auto add = [&](const std::string& name, From candidates, std::size_t clusters) {
            const auto searcher = std::make_shared<braid::Searcher>(database_, options_);
            searcher->rank_by(model);
            works.push_back(std::make_shared<Work>());
            contenders.push_back({name, [=, this, work = works.back()](std::size_t i) {
                                      return search(*searcher, i, candidates, clusters, *work);
                                  }});
        };
        add("hybrid", From::kHybrid, 0);
        add("words only", From::kWords, 0);
        for (const std::size_t clusters : {1U, 4U, 16U, 64U}) {
            add(fmt::format("hybrid, {} clusters", clusters), From::kHybrid, clusters);
        }
        run(contenders, queries_.size());
        // Apart, since it leaves nothing of the others in the processor's caches.
        std::vector<Contender> others = std::move(contenders);
        contenders.clear();
        add("all, plain path", From::kAll, 0);
        run(contenders, queries_.size());
        others.push_back(std::move(contenders.front()));
        contenders = std::move(others);
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            const Contender& contender = contenders[i];
            fmt::print("| {:.0f} % | {} | {:.3f} | {:.2f} | {:.3f} | {:.2f} |", 100 * share,
                       contender.name, contender.times.mean(),
                       contender.times.mean() / contenders[0].times.mean(),
                       contender.times.percentile(99),
                       contender.times.percentile(99) / contenders[0].times.percentile(99));
            if (i == 0) {
                fmt::print(" | | | | | |\n");
                continue;
            }
            const Work& work = *works[i - 1];
            fmt::print(" {:.4f} | {:.3f} | {:.2f} | {:.0f} | {:.0f} | {:.0f} |\n",
                       contender.recall(contenders[1]), work.surely / work.runs,
                       work.kept / work.runs, work.clusters / work.runs, work.bounded / work.runs,
                       work.compared / work.runs);
        }
        std::fflush(stdout);
    }

    Docids search(braid::Searcher& searcher, std::size_t i, From candidates, std::size_t clusters,
                  Work& work) const {
        braid::SearchRequest request;
        request.query = queries_[i];
        request.count = kTop;
        request.documents = false;
        request.candidates = candidates;
        request.clusters_visited = clusters;
        const braid::SearchResult result = searcher.search(request);
        const braid::FusedCounters& counters = result.run.counters;
        work.surely += result.run.surely;
        work.kept += counters.documents_similar > 0 ? 1 : 0;
        work.clusters += static_cast<double>(counters.clusters_visited);
        work.bounded += static_cast<double>(counters.vectors_bounded);
        work.compared += static_cast<double>(counters.vectors_decoded);
        ++work.runs;
        Docids docids;
        for (const braid::SearchHit& hit : result.hits) docids.push_back(hit.docid);
        return docids;
    }

    double mean_best() const {
        return braid::bench::mean_best(braid::Searcher(database_, options_), six_rankers(),
                                       queries_);
    }

    Xapian::Database database_;
    std::string topics_;
    std::vector<Query> queries_;
    braid::SearcherOptions options_;
};

void Bench::vectors() {
    const auto identity = braid::find_topic_model(database_, topics_);
    braid::StoredTopicModel model(database_, identity);
    const braid::TopicRecord& record = model.record();
    const std::size_t dimensions = record.header.dimensions;
    const Xapian::Stem stem(record.stemmer);
    std::vector<float> all;
    Docids docids;
    for (auto value = database_.valuestream_begin(record.slot);
         value != database_.valuestream_end(record.slot); ++value) {
        all.resize(all.size() + dimensions);
        braid::decode_vector(braid::open_vector(*value, dimensions, "bench"),
                             std::span(all).last(dimensions));
        docids.push_back(value.get_docid());
    }
    std::vector<std::vector<float>> folded;
    for (const Query& query : queries_) {
        folded.push_back(model.fold(braid::query_words(query, record, stem)).vector);
    }
    std::vector<Contender> contenders;
    const auto add_own = [&](const std::string& name, std::size_t clusters) {
        contenders.push_back(
            {name, [&, clusters](std::size_t i) {
                 braid::FusionModel none = six_rankers();
                 for (auto& ranker : none.rankers) ranker.weight = 0;
                 braid::FusedSource source(none, {}, {{{identity.id, record.slot}, folded[i], 1}});
                 source.use_tables(options_.vectors);
                 source.find_similar({.best = kTop, .most_clusters = clusters});
                 Xapian::Enquire enquire(database_);
                 enquire.set_weighting_scheme(Xapian::CoordWeight());
                 enquire.set_query(Query(source.clone()->release()));
                 const Xapian::MSet found = enquire.get_mset(0, kTop);
                 return Docids(found.begin(), found.end());
             }});
    };
    add_own("Braid, exact", 0);
    for (const std::size_t clusters : {4U, 16U, 64U}) {
        add_own(fmt::format("Braid, {} clusters", clusters), clusters);
    }
    const Vectors vectors{dimensions, std::move(all), std::move(docids), folded};
    add_faiss(vectors, contenders);
    add_graph(vectors, contenders);
    run(contenders, queries_.size());
    fmt::print("\n| vectors alone | mean ms | 99 % ms | recall |\n|---|---|---|---|\n");
    for (const Contender& contender : contenders) {
        fmt::print("| {} | {:.3f} | {:.3f} | {:.4f} |\n", contender.name, contender.times.mean(),
                   contender.times.percentile(99), contender.recall(contenders[0]));
    }
}

struct Options : TopicQueryOptions {
    Options() : TopicQueryOptions(60) {}
};

void measure(const Options& options) {
    const Xapian::Database database(options.database);
    std::vector<Query> queries = random_queries(database, options);
    fmt::print("{} documents, {} queries of {} to {} words\n\n", database.get_doccount(),
               queries.size(), options.fewest, options.most);
    Bench bench(database, options.topics, std::move(queries));
    bench.searches();
    bench.vectors();
}

}  // namespace

void add_hybrid(Program& program) {
    program.add(
        "hybrid",
        "Hybrid candidates beside Xapian's BM25Weight, vectors alone beside Faiss and hnswlib",
        measure);
}

}  // namespace braid::bench
