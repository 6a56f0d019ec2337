// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/texts/scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "braid/core/topics/topic_models.h"

namespace braid::bench {
namespace {

WeightedTerms terms_of(const JudgedQuery& query) {
    WeightedTerms result;
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
        result.emplace_back(query.terms[i], query.counts[i]);
    }
    return result;
}

// A row for each query, by `score(query)`, on all threads.
template <typename Score>
ScoreTable table_of(const Collection& collection, Executor& executor, const Score& score) {
    ScoreTable result(collection.queries.size());
    executor.run(result.size(), [&](std::size_t q) { result[q] = score(collection.queries[q]); });
    return result;
}

// In four sums, which don't wait for each other.
double dot(std::span<const float> a, std::span<const float> b) {
    std::array<double, 4> sums{};
    std::size_t k = 0;
    for (; k + 4 <= a.size(); k += 4) {
        for (std::size_t i = 0; i < 4; ++i) sums[i] += static_cast<double>(a[k + i]) * b[k + i];
    }
    for (; k < a.size(); ++k) sums[0] += static_cast<double>(a[k]) * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

std::vector<double> cosines_with(const TopicModel& model, std::span<const float> vector) {
    std::vector<double> scores(model.document_vectors.rows);
    for (std::size_t d = 0; d < scores.size(); ++d) {
        scores[d] = std::max(0.0, dot(vector, model.document_vectors.row(d)));
    }
    return scores;
}

}  // namespace

LexicalIndex::LexicalIndex(const Collection& collection)
    : collection_(collection),
      postings_(transpose(collection.counts)),
      lengths_(collection.counts.document_lengths()),
      occurrences_(collection.counts.collection_frequencies()),
      norms_(collection.counts.documents(), 0) {
    statistics_ = {static_cast<double>(lengths_.size()), collection.counts.total()};
    for (std::size_t d = 0; d < norms_.size(); ++d) {
        const TermCounts row = collection.counts.document(d);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double weight = (1 + std::log(row.counts[i])) * rarity(row.terms[i]);
            norms_[d] += weight * weight;
        }
        norms_[d] = std::sqrt(norms_[d]);
    }
}

double LexicalIndex::rarity(std::uint32_t term) const {
    const auto documents =
        static_cast<double>(postings_.term_begin[term + 1] - postings_.term_begin[term]);
    return std::log(statistics_.documents / documents);
}

std::vector<double> LexicalIndex::scores(const LexicalRanker& ranker,
                                         const WeightedTerms& query) const {
    std::vector<double> scores(lengths_.size(), 0);
    double query_length = 0;
    for (const auto& [term, weight] : query) {
        const std::uint64_t begin = postings_.term_begin[term];
        const std::uint64_t end = postings_.term_begin[term + 1];
        const auto scorer = ranker.term_scorer(
            {statistics_, static_cast<double>(end - begin), occurrences_[term], 1});
        for (std::uint64_t p = begin; p < end; ++p) {
            const std::uint32_t d = postings_.documents[p];
            const DocumentStatistics document = {
                collection_.counts.counts[postings_.place[p]], lengths_[d],
                static_cast<double>(collection_.counts.document(d).size())};
            scores[d] += weight * scorer->score(document);
        }
        query_length += weight;
    }
    const auto scorer = ranker.document_scorer({statistics_, query_length});
    for (std::size_t d = 0; scorer != nullptr && d < scores.size(); ++d) {
        scores[d] += scorer->score(
            {0, lengths_[d], static_cast<double>(collection_.counts.document(d).size())});
    }
    return scores;
}

std::vector<double> LexicalIndex::cosines(const JudgedQuery& query) const {
    std::vector<double> scores(lengths_.size(), 0);
    double norm = 0;
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
        const std::uint32_t term = query.terms[i];
        const double idf = rarity(term);
        const double of_query = (1 + std::log(query.counts[i])) * idf;
        norm += of_query * of_query;
        for (std::uint64_t p = postings_.term_begin[term]; p < postings_.term_begin[term + 1];
             ++p) {
            const double count = collection_.counts.counts[postings_.place[p]];
            scores[postings_.documents[p]] += of_query * (1 + std::log(count)) * idf;
        }
    }
    for (std::size_t d = 0; d < scores.size(); ++d) {
        if (scores[d] > 0) scores[d] /= norms_[d] * std::sqrt(norm);
    }
    return scores;
}

ScoreTable lexical_scores(const LexicalIndex& index, const LexicalRanker& ranker,
                          Executor& executor) {
    return table_of(index.collection(), executor, [&](const JudgedQuery& query) {
        return index.scores(ranker, terms_of(query));
    });
}

ScoreTable cosine_scores(const LexicalIndex& index, Executor& executor) {
    return table_of(index.collection(), executor,
                    [&](const JudgedQuery& query) { return index.cosines(query); });
}

namespace {

// The query's words, scaled to sum 1, mixed with the strongest of the documents' model.
WeightedTerms expanded(const LexicalIndex& index, const JudgedQuery& query,
                       const std::vector<double>& first, const TermFeedback& feedback) {
    const Collection& collection = index.collection();
    std::vector<std::size_t> best = ranking(collection, first);
    best.resize(std::min(best.size(), feedback.documents));
    std::map<std::uint32_t, double> model;
    for (const std::size_t d : best) {
        const TermCounts row = collection.counts.document(d);
        const double weight = std::exp(first[d] - first[best[0]]);
        for (std::size_t i = 0; i < row.size(); ++i) {
            model[row.terms[i]] += weight * row.counts[i] / index.lengths()[d];
        }
    }
    WeightedTerms strongest(model.begin(), model.end());
    std::stable_sort(strongest.begin(), strongest.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    strongest.resize(std::min(strongest.size(), feedback.terms));
    double total = 0;
    for (const auto& [term, weight] : strongest) total += weight;
    const double query_length = std::accumulate(query.counts.begin(), query.counts.end(), 0.0);
    std::map<std::uint32_t, double> result;
    for (const auto& [term, weight] : strongest) {
        result[term] += (1 - feedback.query_share) * weight / total;
    }
    for (const auto& [term, count] : terms_of(query)) {
        result[term] += feedback.query_share * count / query_length;
    }
    return {result.begin(), result.end()};
}

}  // namespace

ScoreTable term_feedback_scores(const LexicalIndex& index, const LexicalRanker& first,
                                const LexicalRanker& second, const TermFeedback& feedback,
                                Executor& executor) {
    return table_of(index.collection(), executor, [&](const JudgedQuery& query) {
        const std::vector<double> scores = index.scores(first, terms_of(query));
        return index.scores(second, expanded(index, query, scores, feedback));
    });
}

ScoreTable topic_scores(const Collection& collection, const TopicModel& model,
                        const TopicFeedback& feedback, Executor& executor) {
    const auto folding = make_topic_folding(model.header);
    return table_of(collection, executor, [&](const JudgedQuery& query) {
        std::vector<float> vector = fold_in(*folding, model, {query.terms, query.counts});
        std::vector<double> scores = cosines_with(model, vector);
        if (feedback.documents == 0) return scores;
        const std::vector<std::size_t> best = ranking(collection, scores);
        const auto share =
            static_cast<float>(feedback.weight / static_cast<double>(feedback.documents));
        for (std::size_t i = 0; i < std::min(best.size(), feedback.documents); ++i) {
            const auto row = model.document_vectors.row(best[i]);
            for (std::size_t k = 0; k < row.size(); ++k) vector[k] += share * row[k];
        }
        const double length = std::sqrt(dot(vector, vector));
        for (float& x : vector) x = length > 0 ? static_cast<float>(x / length) : 0;
        return cosines_with(model, vector);
    });
}

ScoreTable lbdm_scores(const Collection& collection, const TopicModel& lda,
                       const LbdmSettings& settings, Executor& executor) {
    const auto chains = static_cast<std::size_t>(lda.header.folding.at(0));
    const std::vector<double> lengths = collection.counts.document_lengths();
    const std::vector<double> frequencies = collection.counts.collection_frequencies();
    const double total = collection.counts.total();
    const TermPostings postings = transpose(collection.counts);
    // sum_z p(w|z) p(z|d) of the queries' words and all documents: queries share words.
    std::vector<std::vector<float>> by_topics(frequencies.size());
    std::vector<std::uint32_t> asked;
    for (const JudgedQuery& query : collection.queries) {
        asked.insert(asked.end(), query.terms.begin(), query.terms.end());
    }
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    executor.run(asked.size(), [&](std::size_t i) {
        std::vector<float>& shares = by_topics[asked[i]];
        for (std::size_t d = 0; d < lengths.size(); ++d) {
            shares.push_back(static_cast<float>(topic_probability(
                lda.term_vectors.row(asked[i]), lda.document_vectors.row(d), chains)));
        }
    });
    return table_of(collection, executor, [&](const JudgedQuery& query) {
        std::vector<double> scores(lengths.size(), 0);
        std::vector<double> counts(scores.size());
        for (std::size_t i = 0; i < query.terms.size(); ++i) {
            const std::uint32_t t = query.terms[i];
            std::fill(counts.begin(), counts.end(), 0.0);
            for (std::uint64_t p = postings.term_begin[t]; p < postings.term_begin[t + 1]; ++p) {
                counts[postings.documents[p]] = collection.counts.counts[postings.place[p]];
            }
            LbdmTerm term{query.counts[i], 0, frequencies[t] / total, 0};
            for (std::size_t d = 0; d < scores.size(); ++d) {
                term.document_count = counts[d];
                term.topic_probability = by_topics[t][d];
                scores[d] += lbdm_score(settings, {&term, 1}, lengths[d]);
            }
        }
        return scores;
    });
}

std::vector<std::size_t> ranking(const Collection& collection, const std::vector<double>& scores) {
    std::vector<std::size_t> result(scores.size());
    std::iota(result.begin(), result.end(), std::size_t{0});
    std::sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) {
        if (scores[a] != scores[b]) return scores[a] > scores[b];
        return collection.document_names[a] > collection.document_names[b];
    });
    return result;
}

double average_precision(const Collection& collection, const JudgedQuery& query,
                         const std::vector<double>& scores) {
    const std::vector<std::size_t> ranked = ranking(collection, scores);
    double found = 0;
    double precision = 0;
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
        if (!std::binary_search(query.relevant.begin(), query.relevant.end(), ranked[rank])) {
            continue;
        }
        precision += ++found / static_cast<double>(rank + 1);
    }
    return precision / static_cast<double>(query.relevant.size());
}

std::vector<double> average_precisions(const Collection& collection, const ScoreTable& scores) {
    std::vector<double> result;
    for (std::size_t q = 0; q < scores.size(); ++q) {
        result.push_back(average_precision(collection, collection.queries[q], scores[q]));
    }
    return result;
}

}  // namespace braid::bench
