// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/feature_set.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

// Queries whose rows are kept at a time, for each thread.
constexpr std::size_t kQueriesAtATime = 8;

// Lends extractors to threads: as many are made as work at once.
class ExtractorPool {
  public:
    explicit ExtractorPool(const ExtractorFactory& make) : make_(make) {}

    std::unique_ptr<FeatureExtractor> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return make_();
        auto extractor = std::move(free_.back());
        free_.pop_back();
        return extractor;
    }
    void give_back(std::unique_ptr<FeatureExtractor> extractor) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(extractor));
    }

  private:
    const ExtractorFactory& make_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<FeatureExtractor>> free_;
};

void extract_all(std::span<const TrainingQuery> queries, const Judgements* judgements,
                 ExtractorPool& extractors, Executor& executor,
                 const std::function<void(QueryRows)>& take, const Progress& progress) {
    const std::size_t block = kQueriesAtATime * executor.threads();
    const double now = clock_time();
    for (std::size_t first = 0; first < queries.size(); first += block) {
        const std::size_t count = std::min(block, queries.size() - first);
        std::vector<QueryRows> rows(count);
        executor.run(count, [&](std::size_t i) {
            TrainingQuery query = queries[first + i];
            if (query.inputs.now == 0) query.inputs.now = now;
            auto extractor = extractors.take();
            const QueryJudgements* judged =
                judgements == nullptr ? nullptr : judgements->find(query.id);
            rows[i] = extractor->extract(query, judged);
            extractors.give_back(std::move(extractor));
        });
        for (QueryRows& done : rows) take(std::move(done));
        const std::size_t done = first + count;
        if (progress && !progress({"scoring candidates", done, queries.size(), "queries", ""})) {
            throw Cancelled(fmt::format("stopped after {} of {} queries", done, queries.size()));
        }
    }
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void extract_features(std::span<const TrainingQuery> queries, const Judgements* judgements,
                      const ExtractorFactory& make, Executor& executor,
                      const std::function<void(QueryRows)>& take, const Progress& progress) {
    ExtractorPool extractors(make);
    extract_all(queries, judgements, extractors, executor, take, progress);
}

TrainingSet make_training_set(std::span<const TrainingQuery> queries, const Judgements* judgements,
                              const ExtractorFactory& make, Executor& executor,
                              const Progress& progress) {
    ExtractorPool extractors(make);
    TrainingSet set;
    auto first = extractors.take();
    set.rankers = first->rankers();
    set.query_feature_names = first->query_feature_names();
    extractors.give_back(std::move(first));
    const auto take = [&set](QueryRows rows) {
        set.queries.push_back(std::move(rows.query));
        append(set.documents, std::move(rows.documents));
        append(set.scores, std::move(rows.scores));
        append(set.grades, std::move(rows.grades));
        append(set.bounds, std::move(rows.bounds));
        append(set.places, std::move(rows.places));
        append(set.query_features, std::move(rows.query_features));
        set.query_keys.push_back(std::move(rows.query_key));
        set.unpooled.push_back(std::move(rows.unpooled));
        set.query_begin.push_back(set.rows());
    };
    extract_all(queries, judgements, extractors, executor, take, progress);
    return set;
}

}  // namespace braid
