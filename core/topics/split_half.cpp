// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/split_half.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "braid/core/random.h"
#include "braid/core/statistics/summary.h"
#include "braid/core/topics/topic_folding.h"
#include "braid/core/topics/topic_models.h"

namespace braid {
namespace {

constexpr std::size_t kHalvesPerChunk = 16;

/// Halves 2 i and 2 i + 1 are of one document.
TermDocumentCounts split(const TermDocumentCounts& documents, std::uint64_t seed) {
    TermDocumentCounts halves;
    Random random(seed);
    const auto add = [&](auto begin, auto end) {
        std::sort(begin, end);
        const std::size_t first = halves.terms.size();
        for (auto token = begin; token != end; ++token) {
            if (halves.terms.size() == first || halves.terms.back() != *token) {
                halves.terms.push_back(*token);
                halves.counts.push_back(0);
            }
            ++halves.counts.back();
        }
        halves.document_begin.push_back(halves.terms.size());
    };
    for (std::size_t d = 0; d < documents.documents(); ++d) {
        const TermCounts row = documents.document(d);
        std::vector<std::uint32_t> tokens;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto count = static_cast<std::size_t>(std::max(1.0F, std::round(row.counts[i])));
            tokens.insert(tokens.end(), count, row.terms[i]);
        }
        if (tokens.size() < 2) continue;
        random.shuffle(tokens);
        const auto middle = tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2);
        add(tokens.begin(), middle);
        add(middle, tokens.end());
    }
    return halves;
}

/// The halves' vectors by dimension: a row a dimension, a column a half.
FloatMatrix fold_halves(const TopicModel& model, const TermDocumentCounts& halves,
                        Executor& executor) {
    const auto folding = make_topic_folding(model.header);
    FloatMatrix result(model.header.dimensions, halves.documents());
    const std::size_t chunks = (halves.documents() + kHalvesPerChunk - 1) / kHalvesPerChunk;
    executor.run(chunks, [&](std::size_t chunk) {
        const std::size_t end = std::min((chunk + 1) * kHalvesPerChunk, halves.documents());
        for (std::size_t h = chunk * kHalvesPerChunk; h < end; ++h) {
            const std::vector<float> vector = fold_in(*folding, model, halves.document(h));
            for (std::size_t k = 0; k < vector.size(); ++k) result.row(k)[h] = vector[k];
        }
    });
    return result;
}

/// 1 / |the first dimensions[i] numbers of each vector|, 0 for zero: a row for each i.
FloatMatrix inverse_lengths(const FloatMatrix& vectors,
                            const std::vector<std::size_t>& dimensions) {
    FloatMatrix result(dimensions.size(), vectors.columns);
    std::vector<double> squares(vectors.columns, 0);
    std::size_t k = 0;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        for (; k < dimensions[i]; ++k) {
            const std::span<const float> row = vectors.row(k);
            for (std::size_t h = 0; h < squares.size(); ++h) {
                squares[h] += static_cast<double>(row[h]) * row[h];
            }
        }
        for (std::size_t h = 0; h < squares.size(); ++h) {
            result.row(i)[h] = squares[h] > 0 ? static_cast<float>(1 / std::sqrt(squares[h])) : 0;
        }
    }
    return result;
}

/// Of the other half of `half` among all halves but `half`. `dots` need no division by the length
/// of `half` itself, which changes no order.
double reciprocal_rank(std::size_t half, std::span<const float> dots,
                       std::span<const float> inverse_lengths) {
    const std::size_t other = half ^ 1U;
    const float reached = dots[other] * inverse_lengths[other];
    std::size_t rank = 0;  // Counts `other` itself, too.
    for (std::size_t h = 0; h < dots.size(); ++h) {
        rank += dots[h] * inverse_lengths[h] >= reached && h != half;
    }
    return 1.0 / static_cast<double>(rank);
}

}  // namespace

std::vector<std::vector<double>> split_half_reciprocal_ranks(
    const TopicModel& model, const TermDocumentCounts& documents,
    const std::vector<std::size_t>& dimensions, std::uint64_t seed, Executor& executor) {
    const TermDocumentCounts halves = split(documents, seed);
    const std::size_t count = halves.documents();
    const FloatMatrix vectors = fold_halves(model, halves, executor);
    const FloatMatrix lengths = inverse_lengths(vectors, dimensions);
    std::vector<std::vector<double>> ranks(dimensions.size(), std::vector<double>(count));
    executor.run((count + kHalvesPerChunk - 1) / kHalvesPerChunk, [&](std::size_t chunk) {
        const std::size_t begin = chunk * kHalvesPerChunk;
        const std::size_t end = std::min(begin + kHalvesPerChunk, count);
        FloatMatrix dots(end - begin, count);
        std::size_t k = 0;
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            for (; k < dimensions[i]; ++k) {
                const float* row = vectors.row(k).data();
                for (std::size_t q = 0; q < dots.rows; ++q) {
                    const float x = row[begin + q];
                    float* sums = dots.row(q).data();
                    for (std::size_t h = 0; h < count; ++h) sums[h] += x * row[h];
                }
            }
            for (std::size_t q = 0; q < dots.rows; ++q) {
                ranks[i][begin + q] = reciprocal_rank(begin + q, dots.row(q), lengths.row(i));
            }
        }
    });
    for (std::vector<double>& of_halves : ranks) {
        for (std::size_t d = 0; 2 * d < count; ++d) {
            of_halves[d] = (of_halves[2 * d] + of_halves[2 * d + 1]) / 2;
        }
        of_halves.resize(count / 2);
    }
    return ranks;
}

std::size_t smallest_within_one_error(const std::vector<std::vector<double>>& scores) {
    const std::size_t documents = scores[0].size();
    if (documents == 0) return 0;
    std::vector<double> means;
    means.reserve(scores.size());
    for (const std::vector<double>& of_documents : scores) means.push_back(mean(of_documents));
    const auto best = std::max_element(means.begin(), means.end());
    const double error =
        standard_deviation(scores[static_cast<std::size_t>(best - means.begin())]) /
        std::sqrt(static_cast<double>(documents));
    const auto chosen = std::find_if(means.begin(), means.end(),
                                     [&](double score) { return score >= *best - error; });
    return static_cast<std::size_t>(chosen - means.begin());
}

}  // namespace braid
