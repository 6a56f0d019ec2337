// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/topics/tempered_em.h"
#include "braid/core/topics/topic_fits.h"
#include "braid/core/topics/topic_words.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr double kByWords = 0;
constexpr double kByPosterior = 1;
constexpr std::uint64_t kHoldOutStream = ~std::uint64_t{0};

void normalise_sum(std::span<double> values) {
    double sum = 0;
    for (const double value : values) sum += value;
    if (sum > 0) {
        for (double& value : values) value /= sum;
    }
}

void write_unit(std::span<const double> from, std::span<float> to) {
    std::copy(from.begin(), from.end(), to.begin());
    scale_to_unit(to);
}

class WordsFolding final : public TopicFolding {
  public:
    void fold(std::span<const FoldingTerm> terms, std::span<float> result) const override {
        std::vector<double> sum(result.size(), 0);
        for (const FoldingTerm& term : terms) {
            for (std::size_t z = 0; z < sum.size(); ++z) sum[z] += term.count * term.vector[z];
        }
        normalise_sum(sum);
        write_unit(sum, result);
    }
};

class PosteriorFolding final : public TopicFolding {
  public:
    PosteriorFolding(double beta, std::size_t iterations) : beta_(beta), iterations_(iterations) {}

    /// docs/algorithms/plsi.md (8): p(z|text) <- sum_w n(w) p(z|text,w) / n, from uniform.
    void fold(std::span<const FoldingTerm> terms, std::span<float> result) const override {
        if (terms.empty()) {
            std::fill(result.begin(), result.end(), 0.0F);
            return;
        }
        const std::size_t topics = result.size();
        std::vector<double> mixture(topics, 1.0 / static_cast<double>(topics));
        std::vector<double> tempered(topics);
        for (std::size_t i = 0; i < iterations_; ++i) {
            for (std::size_t z = 0; z < topics; ++z) tempered[z] = std::pow(mixture[z], beta_);
            std::fill(mixture.begin(), mixture.end(), 0.0);
            for (const FoldingTerm& term : terms) {
                double dot = 0;
                for (std::size_t z = 0; z < topics; ++z) dot += tempered[z] * term.vector[z];
                if (dot <= 0) continue;
                const double ratio = term.count / dot;
                for (std::size_t z = 0; z < topics; ++z) {
                    mixture[z] += ratio * tempered[z] * term.vector[z];
                }
            }
            normalise_sum(mixture);
        }
        write_unit(mixture, result);
    }

  private:
    double beta_;
    std::size_t iterations_;
};

std::unique_ptr<const TopicFolding> make_plsi_folding(const TopicModelHeader& header) {
    const std::vector<double>& folding = header.folding;
    const bool fits = folding.size() == 3 &&
                      (folding[0] == kByWords || folding[0] == kByPosterior) && folding[1] > 0 &&
                      folding[1] <= 1 && folding[2] >= 1 && folding[2] <= 1e6;
    if (!fits) {
        throw FormatError(fmt::format(
            "topic model plsi: folding constants {}, expected the ranking (0 or 1), a beta over 0, "
            "to 1, and a number of iterations from 1 up",
            fmt::join(folding, ", ")));
    }
    if (folding[0] == kByWords) return std::make_unique<WordsFolding>();
    return std::make_unique<PosteriorFolding>(folding[1], static_cast<std::size_t>(folding[2]));
}

CountRows all_rows(const TermDocumentCounts& counts) {
    return {counts.document_begin, counts.terms, counts.counts};
}

struct Split {
    CountRows kept;
    CountRows held_out;
};

/// Holds out each entry with probability `share`, but not the last that a document would have.
Split hold_out(const TermDocumentCounts& counts, double share, std::uint64_t seed) {
    Split split;
    Random random(seed, kHoldOutStream);
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        const TermCounts row = counts.document(d);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool last = i + 1 == row.size() && split.kept.terms.size() == split.kept.begin[d];
            CountRows& to = random.uniform() < share && !last ? split.held_out : split.kept;
            to.terms.push_back(row.terms[i]);
            to.counts.push_back(row.counts[i]);
        }
        split.kept.begin.push_back(split.kept.terms.size());
        split.held_out.begin.push_back(split.held_out.terms.size());
    }
    return split;
}

struct Schedule {
    double beta = 1;
    double cooling = 0.9;
    double tolerance = 1e-4;
    std::size_t iterations = 200;
    std::size_t final_iterations = 10;
    double held_out = 0.1;
};

/// Follows the schedule of docs/algorithms/plsi.md section 3; leaves the best beta there.
class Training {
  public:
    Training(TemperedEm& em, Schedule& schedule, const Progress& progress)
        : em_(em), schedule_(schedule), progress_(progress) {}

    TopicTraining run(const TermDocumentCounts& counts, const Split& split) {
        training_.objective_name = "held-out perplexity";
        training_.objective = std::numeric_limits<double>::quiet_NaN();
        training_.stop_reason = "iteration limit";
        if (!split.held_out.terms.empty()) cool(split);
        em_.replace_counts(all_rows(counts));
        const std::size_t last =
            split.held_out.terms.empty() ? schedule_.iterations : schedule_.final_iterations;
        for (std::size_t i = 0; i < last; ++i) step(schedule_.beta);
        return std::move(training_);
    }

  private:
    /// With one beta as long as held-out words become likelier, then with a lower one; stops where
    /// a lower one came to nothing better.
    void cool(const Split& split) {
        double best = std::numeric_limits<double>::infinity();
        double beta = schedule_.beta;
        while (training_.iterations < schedule_.iterations) {
            const double reached = steps_while_falling(split, beta);
            if (!(reached < best * (1 - schedule_.tolerance))) {
                training_.stop_reason = "converged";
                break;
            }
            best = reached;
            schedule_.beta = beta;
            beta *= schedule_.cooling;
        }
        training_.objective = best;
    }

    /// The least perplexity on the way.
    double steps_while_falling(const Split& split, double beta) {
        double least = std::numeric_limits<double>::infinity();
        double previous = least;
        while (training_.iterations < schedule_.iterations) {
            step(beta);
            const double perplexity = em_.perplexity(split.held_out);
            training_.trace.push_back(perplexity);
            least = std::min(least, perplexity);
            if (!(perplexity < previous * (1 - schedule_.tolerance))) break;
            previous = perplexity;
        }
        return least;
    }

    void step(double beta) {
        em_.step(beta);
        ++training_.iterations;
        if (!progress_) return;
        const std::string detail = training_.trace.empty()
                                       ? fmt::format("beta {:.3g}", beta)
                                       : fmt::format("beta {:.3g}, held-out perplexity {:.1f}",
                                                     beta, training_.trace.back());
        if (!progress_({"training plsi", training_.iterations, 0, "iterations", detail})) {
            throw Cancelled("training plsi was cancelled");
        }
    }

    TemperedEm& em_;
    Schedule& schedule_;
    const Progress& progress_;
    TopicTraining training_;
};

/// Term vectors as `ranking` wants them: see plsi.h. Each row is scaled to sum 1.
FloatMatrix term_vectors(const TemperedEm& em, std::size_t words, double ranking, double beta) {
    FloatMatrix vectors(words, em.topics());
    std::vector<double> row(em.topics());
    for (std::size_t w = 0; w < words; ++w) {
        for (std::size_t z = 0; z < row.size(); ++z) {
            row[z] = em.word_mass(w, z);  // n(w,z) ~ p(z|w) for one w.
        }
        normalise_sum(row);
        if (ranking == kByPosterior) {
            // p(z)^(1-beta) p(w|z)^beta ~ p(z|w)^beta p(z)^(1-2 beta)
            for (std::size_t z = 0; z < row.size(); ++z) {
                row[z] = em.topic_mass(z) > 0
                             ? std::pow(row[z], beta) * std::pow(em.topic_mass(z), 1 - 2 * beta)
                             : 0;
            }
            normalise_sum(row);
        }
        std::copy(row.begin(), row.end(), vectors.row(w).begin());
    }
    return vectors;
}

std::vector<Topic> describe(const TemperedEm& em, const std::vector<std::string>& vocabulary,
                            std::size_t words) {
    double total = 0;
    for (std::size_t z = 0; z < em.topics(); ++z) total += em.topic_mass(z);
    std::vector<Topic> topics;
    for (std::size_t z = 0; z < em.topics(); ++z) {
        const double mass = em.topic_mass(z);
        topics.push_back(
            {top_words(vocabulary, words,
                       [&](std::size_t w) { return mass > 0 ? em.word_mass(w, z) / mass : 0; }),
             mass / total});
    }
    return topics;
}

TopicModel fit_plsi(const TermDocumentCounts& counts, const TopicOptions& options,
                    Executor& executor, const Progress& progress) {
    std::size_t documents = 0;
    for (std::size_t d = 0; d < counts.documents(); ++d) documents += counts.document(d).size() > 0;
    const std::size_t topics = std::min({options.dimensions, documents, counts.vocabulary.size()});
    Schedule schedule;
    schedule.beta = options.parameters.at("beta");
    schedule.cooling = options.parameters.at("cooling");
    schedule.tolerance = options.parameters.at("tolerance");
    schedule.held_out = options.parameters.at("held-out");
    schedule.iterations = static_cast<std::size_t>(options.parameters.at("iterations"));
    schedule.final_iterations = static_cast<std::size_t>(options.parameters.at("final-iterations"));

    const Split split = hold_out(counts, schedule.held_out, options.seed);
    TemperedEm em(split.kept, counts.vocabulary.size(), topics, options.seed, executor,
                  best_instruction_level());
    TopicModel model;
    model.training = Training(em, schedule, progress).run(counts, split);
    if (topics < options.dimensions) {
        model.training.warnings.push_back(fmt::format(
            "dimensions lowered from {} to {}: {} documents with words and {} words have no more",
            options.dimensions, topics, documents, counts.vocabulary.size()));
    }
    const double ranking = options.choices.at("ranking") == "words" ? kByWords : kByPosterior;
    model.header = {"plsi",
                    topics,
                    TopicVectorKind::kProbability,
                    {ranking, schedule.beta, options.parameters.at("fold-iterations")}};
    model.vocabulary = counts.vocabulary;
    model.term_vectors = term_vectors(em, counts.vocabulary.size(), ranking, schedule.beta);
    model.topics = describe(em, model.vocabulary, options.words_per_topic);

    // By the same rule as texts that come later, so that a document's vector does not depend on
    // whether the model was fitted to it.
    const auto folding = make_plsi_folding(model.header);
    model.document_vectors = FloatMatrix(counts.documents(), topics);
    const std::vector<std::size_t> chunks = cut_rows(counts.document_begin);
    executor.run(chunks.size() - 1, [&](std::size_t chunk) {
        for (std::size_t d = chunks[chunk]; d < chunks[chunk + 1]; ++d) {
            const std::vector<float> vector = fold_in(*folding, model, counts.document(d));
            std::copy(vector.begin(), vector.end(), model.document_vectors.row(d).begin());
        }
    });
    return model;
}

}  // namespace

TopicModelInfo plsi_info() {
    return {
        .summary = "probabilistic latent semantic indexing by tempered EM",
        .kind = TopicVectorKind::kProbability,
        .parameters = {{"beta", 1, 0.1, 1, "first power of tempering"},
                       {"cooling", 0.9, 0.1, 1, "factor of beta when held-out perplexity rises"},
                       {"held-out", 0.1, 0, 0.5, "share of the counts held out; 0: beta is fixed"},
                       {"tolerance", 1e-4, 0, 0.5, "least relative fall of held-out perplexity"},
                       {"iterations", 200, 1, 100000, "most iterations while tempering", kWhole},
                       {"final-iterations", 10, 0, 100000,
                        "iterations with all counts, at the best beta", kWhole},
                       {"fold-iterations", 30, 1, 100000,
                        "iterations to fold in a text by its posterior", kWhole}},
        .choices = {{"ranking",
                     "words",
                     {"words", "posterior"},
                     "texts are sums of p(z|w), as in LDI, or p(z|text), as in the papers"}},
        .fit = fit_plsi,
        .make_folding = make_plsi_folding};
}

}  // namespace braid
