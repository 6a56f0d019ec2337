// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/dimension_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/eval/folds.h"
#include "braid/core/eval/summary.h"
#include "braid/core/topics/held_out.h"
#include "braid/core/topics/lda.h"
#include "braid/core/topics/lda_settings.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"

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

namespace {

constexpr std::size_t kUsualDimensions[] = {25, 50, 100, 200, 400};
constexpr std::size_t kMostByLikelihood = 2000;  // Documents; time grows with their number,
constexpr std::size_t kMostByHalves = 1000;      // and here with its square.
constexpr std::size_t kSweeps = 100;
constexpr std::uint64_t kSplits = 4;  // Of each document into halves.

/// Topics, and the prior that texts are folded in with.
struct ScoredTopics {
    FloatMatrix word_given_topic;
    std::vector<float> alpha;
};

using FitTopics = std::function<ScoredTopics(const TermDocumentCounts&, const TopicOptions&,
                                             Executor&, const Progress&)>;

std::size_t supported_dimensions(const TermDocumentCounts& counts) {
    std::size_t documents = 0;
    for (std::size_t d = 0; d < counts.documents(); ++d) documents += counts.document(d).size() > 0;
    const std::vector<std::uint32_t> df = counts.document_frequencies();
    const auto unused = static_cast<std::size_t>(std::count(df.begin(), df.end(), 0U));
    return std::min(documents, df.size() - unused);
}

/// Ascending, unique, and at most `supported`.
std::vector<std::size_t> resolve_candidates(std::vector<std::size_t> candidates,
                                            std::size_t supported) {
    if (candidates.empty()) {
        for (const std::size_t k : kUsualDimensions) {
            if (k <= supported) candidates.push_back(k);
        }
        if (candidates.empty()) candidates.push_back(supported);
    }
    for (std::size_t& k : candidates) k = std::min(k, supported);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    return candidates;
}

/// What a fit tells, as part of the choice.
Progress part_of(const Progress& progress, std::size_t trial, std::size_t trials,
                 std::size_t dimensions) {
    if (!progress) return {};
    return [&progress, trial, trials, dimensions](const ProgressReport& report) {
        return progress({"choosing dimensions", trial, trials, "trials",
                         fmt::format("{} dimensions: {}, {} {}", dimensions, report.phase,
                                     report.done, report.unit)});
    };
}

void tell(const Progress& progress, std::size_t done, std::size_t trials) {
    if (progress && !progress({"choosing dimensions", done, trials, "trials", ""})) {
        throw Cancelled("choosing dimensions was cancelled");
    }
}

/// One chain, without what only a model for use needs.
ScoredTopics fit_lda_topics(const TermDocumentCounts& counts, const TopicOptions& options,
                            Executor& executor, const Progress& progress) {
    LdaOptions lda = lda_options(options, counts);
    lda.sweeps = std::min(lda.sweeps, kSweeps);
    lda.annealing = std::min(lda.annealing, lda.sweeps / 2);
    lda.samples = 1;
    lda.held_out_share = 0;
    lda.report_every = 0;
    LdaModel model = fit_lda(counts, lda, executor, progress);
    return {std::move(model.word_given_topic), std::move(model.alpha)};
}

/// Texts are folded in, and p(w|z) is smoothed, as in LDA with its default priors: pLSI has none,
/// and a word of probability 0 would decide everything. docs/algorithms/dimensions.md (2).
ScoredTopics fit_plsi_topics(const TermDocumentCounts& counts, const TopicOptions& options,
                             Executor& executor, const Progress& progress) {
    TopicOptions by_words = options;
    by_words.choices["ranking"] = "words";  // Its term vectors are p(z|w).
    by_words.words_per_topic = 0;
    ScoredTopics result;
    result.word_given_topic =
        fit_topic_model("plsi", counts, by_words, executor, progress).term_vectors;
    FloatMatrix& words = result.word_given_topic;
    const double eta = LdaOptions().eta;
    const std::vector<double> frequencies = counts.collection_frequencies();
    std::vector<double> sums(words.columns, eta * static_cast<double>(words.rows));
    for (std::size_t w = 0; w < words.rows; ++w) {
        for (std::size_t z = 0; z < words.columns; ++z) {
            sums[z] += words.row(w)[z] * frequencies[w];
        }
    }
    for (std::size_t w = 0; w < words.rows; ++w) {
        for (std::size_t z = 0; z < words.columns; ++z) {
            const double expected = words.row(w)[z] * frequencies[w];
            words.row(w)[z] = static_cast<float>((expected + eta) / sums[z]);
        }
    }
    result.alpha.assign(words.columns, 10.0F / static_cast<float>(words.columns));
    return result;
}

DimensionChoice choose_by_likelihood(const FitTopics& fit, const HeldOutDocuments& split,
                                     TopicOptions options,
                                     const std::vector<std::size_t>& candidates, Executor& executor,
                                     const Progress& progress) {
    DimensionChoice choice;
    double best = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        options.dimensions = candidates[i];
        const ScoredTopics topics = fit(split.training, options, executor,
                                        part_of(progress, i, candidates.size(), candidates[i]));
        const std::size_t dimensions = topics.alpha.size();
        if (!choice.trials.empty() && choice.trials.back().dimensions == dimensions) continue;
        const HeldOutScore score = document_completion(topics.word_given_topic, topics.alpha,
                                                       split.held_out, executor, options.seed);
        const double mean =
            score.log_likelihood / static_cast<double>(std::max<std::uint64_t>(score.tokens, 1));
        choice.trials.push_back({dimensions, mean, "mean log likelihood of held-out words"});
        if (choice.dimensions == 0 || mean > best) {
            best = mean;
            choice.dimensions = dimensions;
        }
        tell(progress, i + 1, candidates.size());
    }
    return choice;
}

/// docs/algorithms/dimensions.md (4): the smallest within one standard error of the best.
DimensionChoice choose_by_halves(const HeldOutDocuments& split, TopicOptions options,
                                 std::vector<std::size_t> candidates, Executor& executor,
                                 const Progress& progress) {
    options.dimensions = candidates.back();
    options.words_per_topic = 0;
    const TopicModel model =
        fit_topic_model("lsa", split.training, options, executor,
                        part_of(progress, 0, candidates.size(), candidates.back()));
    candidates = resolve_candidates(std::move(candidates), model.header.dimensions);
    std::vector<std::vector<double>> ranks;
    for (std::uint64_t i = 1; i <= kSplits; ++i) {
        tell(progress, 0, candidates.size());
        const std::vector<std::vector<double>> of_split = split_half_reciprocal_ranks(
            model, split.held_out, candidates, Random(options.seed, i).bits(), executor);
        ranks.resize(of_split.size());
        for (std::size_t k = 0; k < ranks.size(); ++k) {
            ranks[k].resize(of_split[k].size(), 0);
            for (std::size_t d = 0; d < ranks[k].size(); ++d) {
                ranks[k][d] += of_split[k][d] / static_cast<double>(kSplits);
            }
        }
    }
    DimensionChoice choice;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        choice.trials.push_back({candidates[i], ranks[i].empty() ? 0 : mean(ranks[i]),
                                 "mean reciprocal rank of held-out documents' halves"});
    }
    choice.dimensions = candidates[smallest_within_one_error(ranks)];
    tell(progress, candidates.size(), candidates.size());
    return choice;
}

/// The row of the highest mean over `queries`; ties go to the first.
std::size_t best_candidate(const FloatMatrix& measure, const std::vector<std::size_t>& queries) {
    std::size_t best = 0;
    double highest = 0;
    std::vector<double> values(queries.size());
    for (std::size_t i = 0; i < measure.rows; ++i) {
        std::transform(queries.begin(), queries.end(), values.begin(),
                       [&](std::size_t q) { return measure.row(i)[q]; });
        const double score = mean(values);
        if (i > 0 && score <= highest) continue;
        highest = score;
        best = i;
    }
    return best;
}

}  // namespace

DimensionChoice choose_dimensions(const std::string& model, const TermDocumentCounts& counts,
                                  const TopicOptions& base,
                                  const std::vector<std::size_t>& candidates, Executor& executor,
                                  const Progress& progress) {
    const TopicOptions options = complete_options(model, base);
    validate(counts);
    if (counts.nonzeros() == 0) {
        throw InvalidArgument(fmt::format("{}: none of the {} documents has a word to learn from",
                                          model, counts.documents()));
    }
    if (std::count(candidates.begin(), candidates.end(), std::size_t{0}) > 0) {
        throw InvalidArgument(model + ": a number of dimensions to try is 0, expected from 1 up");
    }
    const bool by_halves = model == "lsa";
    FitTopics fit;
    if (model == "lda" || model == "ldi") fit = fit_lda_topics;
    if (model == "plsi") fit = fit_plsi_topics;
    if (!by_halves && !fit) {
        throw InvalidArgument(model + ": there is no way to choose its number of dimensions");
    }
    HoldOutOptions hold_out;
    hold_out.most = by_halves ? kMostByHalves : kMostByLikelihood;
    hold_out.seed = options.seed;
    const HeldOutDocuments split = hold_out_documents(counts, hold_out);
    if (split.held_out.documents() == 0) {
        return {resolve_candidates(candidates, supported_dimensions(counts)).front(), {}};
    }
    const std::vector<std::size_t> resolved =
        resolve_candidates(candidates, supported_dimensions(split.training));
    if (by_halves) return choose_by_halves(split, options, resolved, executor, progress);
    return choose_by_likelihood(fit, split, options, resolved, executor, progress);
}

JudgedChoice choose_by_judgements(const FloatMatrix& measure, std::size_t folds,
                                  std::uint64_t seed) {
    if (measure.rows == 0) throw InvalidArgument("choice by judgements: there are no candidates");
    std::vector<std::string> names;  // Places stand for names: any that differ will do.
    std::vector<std::size_t> all;
    for (std::size_t q = 0; q < measure.columns; ++q) {
        names.push_back(std::to_string(q));
        all.push_back(q);
        for (std::size_t i = 0; i < measure.rows; ++i) {
            if (std::isfinite(measure.row(i)[q])) continue;
            throw InvalidArgument(
                fmt::format("choice by judgements: candidate {} has {} for query {}, expected a "
                            "finite number",
                            i, measure.row(i)[q], q));
        }
    }
    const std::vector<Fold> parts = cross_validation_folds(names, folds, seed);
    std::vector<double> of_query(measure.columns);
    for (const Fold& part : parts) {
        const std::size_t best = best_candidate(measure, part.train);
        for (const std::size_t q : part.test) of_query[q] = measure.row(best)[q];
    }
    JudgedChoice choice;
    choice.best = best_candidate(measure, all);
    choice.cross_validated_mean = mean(of_query);
    const std::span<const float> row = measure.row(choice.best);
    choice.best_mean = mean(std::vector<double>(row.begin(), row.end()));
    return choice;
}

}  // namespace braid
