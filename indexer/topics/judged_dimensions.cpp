// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/judged_dimensions.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "braid/core/eval/measure.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_counts.h"

namespace braid {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kCandidates[] = {25, 50, 100, 200, 400};

/// A query in a collection's rows and term numbers.
struct Query {
    std::vector<std::uint32_t> terms;
    std::vector<float> counts;
    std::vector<std::size_t> relevant;
};

std::vector<Query> number(const TopicRecord& record, const TopicCounts& counts,
                          const std::vector<JudgedTopicQuery>& queries) {
    std::vector<Query> result;
    for (const JudgedTopicQuery& judged : queries) {
        Query query;
        for (const auto& [word, count] : judged.words(record)) {
            const std::size_t term = counts.counts.find(word);
            if (term == counts.counts.vocabulary.size()) continue;
            query.terms.push_back(static_cast<std::uint32_t>(term));
            query.counts.push_back(static_cast<float>(count));
        }
        for (const Xapian::docid document : judged.relevant) {
            const auto found =
                std::lower_bound(counts.documents.begin(), counts.documents.end(), document);
            if (found == counts.documents.end() || *found != document) continue;
            query.relevant.push_back(static_cast<std::size_t>(found - counts.documents.begin()));
        }
        if (!query.relevant.empty()) result.push_back(std::move(query));
    }
    return result;
}

double precision_of(const TopicModel& model, const TopicFolding& folding, const Query& query,
                    const Measure& measure) {
    const std::vector<float> vector = fold_in(folding, model, {query.terms, query.counts});
    std::vector<std::pair<double, std::size_t>> ranking(model.document_vectors.rows);
    for (std::size_t d = 0; d < ranking.size(); ++d) {
        const std::span<const float> document = model.document_vectors.row(d);
        double dot = 0;
        for (std::size_t k = 0; k < vector.size(); ++k) {
            dot += static_cast<double>(vector[k]) * document[k];
        }
        ranking[d] = {-std::max(0.0, dot), d};
    }
    std::sort(ranking.begin(), ranking.end());
    std::vector<Grade> grades(ranking.size(), kUnjudged);
    for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
        if (std::binary_search(query.relevant.begin(), query.relevant.end(),
                               ranking[rank].second)) {
            grades[rank] = 1;
        }
    }
    const JudgedPool pool = JudgedPool::of(std::vector<Grade>(query.relevant.size(), 1));
    return measure.evaluate({grades, pool});
}

std::vector<std::size_t> candidates_for(const TermDocumentCounts& counts) {
    const std::size_t most = std::min(counts.documents(), counts.vocabulary.size());
    std::vector<std::size_t> candidates;
    for (const std::size_t candidate : kCandidates) {
        if (candidate < most) candidates.push_back(candidate);
    }
    if (candidates.empty()) candidates.push_back(most);
    return candidates;
}

}  // namespace

DimensionChoice choose_judged_dimensions(const TopicRecord& record, const TopicCounts& counts,
                                         const std::vector<JudgedTopicQuery>& queries,
                                         Executor& executor, const Progress& progress) {
    const std::vector<Query> judged = number(record, counts, queries);
    if (judged.size() < 2) {
        throw InvalidArgument(fmt::format(
            "choosing dimensions by judgements: {} of the {} queries have a relevant document in "
            "the database, expected at least 2",
            judged.size(), queries.size()));
    }
    const std::vector<std::size_t> candidates = candidates_for(counts.counts);
    const std::unique_ptr<const Measure> measure = make_measure("map");
    FloatMatrix precision(candidates.size(), judged.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        TopicOptions options = record.options;
        options.dimensions = candidates[c];
        const TopicModel model =
            fit_topic_model(record.header.model, counts.counts, options, executor, progress);
        const auto folding = make_topic_folding(model.header);
        executor.run(judged.size(), [&](std::size_t q) {
            precision.row(c)[q] =
                static_cast<float>(precision_of(model, *folding, judged[q], *measure));
        });
    }
    const JudgedChoice chosen =
        choose_by_judgements(precision, std::min(kFolds, judged.size()), record.options.seed);
    DimensionChoice result;
    result.dimensions = candidates[chosen.best];
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        double sum = 0;
        for (const float value : precision.row(c)) sum += value;
        result.trials.push_back(
            {candidates[c], sum / static_cast<double>(judged.size()),
             fmt::format("mean average precision of {} queries; {:.4f} where a query has no part "
                         "in choosing for itself",
                         judged.size(), chosen.cross_validated_mean)});
    }
    return result;
}

}  // namespace braid
