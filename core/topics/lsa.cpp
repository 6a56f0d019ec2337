// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/topics/linalg/sparse_matrix.h"
#include "braid/core/topics/linalg/truncated_svd.h"
#include "braid/core/topics/topic_fits.h"
#include "braid/core/topics/topic_words.h"
#include "braid/error.h"

namespace braid {
namespace {

/// 1 + sum_d p log p / log N, with p the share of the term's occurrences that d has.
std::vector<double> entropy_weights(const TermDocumentCounts& counts) {
    const std::vector<double> cf = counts.collection_frequencies();
    std::vector<double> weights(cf.size(), 1);
    if (counts.documents() < 2) return weights;
    const double scale = 1 / std::log(static_cast<double>(counts.documents()));
    for (std::size_t i = 0; i < counts.nonzeros(); ++i) {
        const double p = counts.counts[i] / cf[counts.terms[i]];
        weights[counts.terms[i]] += scale * p * std::log(p);
    }
    // A term spread evenly over all documents has 0, up to rounding.
    for (double& weight : weights) weight = weight < 1e-9 ? 0 : weight;
    return weights;
}

std::vector<double> idf_weights(const TermDocumentCounts& counts) {
    std::vector<double> weights;
    for (const std::uint32_t df : counts.document_frequencies()) {
        weights.push_back(df == 0 ? 0 : std::log(static_cast<double>(counts.documents()) / df));
    }
    return weights;
}

}  // namespace

double local_weight(LocalWeight local, double count) {
    return local == LocalWeight::kLog1p ? std::log1p(count) : count;
}

TermWeighting make_term_weighting(const std::string& name, const TermDocumentCounts& counts) {
    if (name == "log-entropy") return {LocalWeight::kLog1p, entropy_weights(counts), false};
    if (name == "tf-idf") return {LocalWeight::kLog1p, idf_weights(counts), true};
    if (name == "raw") {
        return {LocalWeight::kCount, std::vector<double>(counts.vocabulary.size(), 1), false};
    }
    throw UnknownComponent("weighting", name, {"log-entropy", "tf-idf", "raw"});
}

std::vector<float> weigh(const TermDocumentCounts& counts, const TermWeighting& weighting) {
    std::vector<double> values(counts.nonzeros());
    double largest = 0;
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        double squares = 0;
        const std::uint64_t end = counts.document_begin[d + 1];
        for (std::uint64_t i = counts.document_begin[d]; i < end; ++i) {
            values[i] = local_weight(weighting.local, counts.counts[i]) *
                        weighting.term_weights[counts.terms[i]];
            squares += values[i] * values[i];
        }
        const double scale = weighting.unit_length && squares > 0 ? 1 / std::sqrt(squares) : 1;
        for (std::uint64_t i = counts.document_begin[d]; i < end; ++i) {
            values[i] *= scale;
            largest = std::max(largest, values[i]);
        }
    }
    // Scaled to 1, squares can neither overflow nor vanish in single precision.
    std::vector<float> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        result[i] = largest > 0 ? static_cast<float>(values[i] / largest) : 0;
    }
    return result;
}

namespace {

class LsaFolding final : public TopicFolding {
  public:
    explicit LsaFolding(LocalWeight local) : local_(local) {}

    void fold(std::span<const FoldingTerm> terms, std::span<float> result) const override {
        std::vector<double> sum(result.size(), 0);
        for (const FoldingTerm& term : terms) {
            const double weight = local_weight(local_, term.count);
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * term.vector[k];
        }
        std::copy(sum.begin(), sum.end(), result.begin());
        scale_to_unit(result);
    }

  private:
    LocalWeight local_;
};

std::unique_ptr<const TopicFolding> make_lsa_folding(const TopicModelHeader& header) {
    if (header.folding.size() == 1) {
        for (const LocalWeight local : {LocalWeight::kCount, LocalWeight::kLog1p}) {
            if (header.folding[0] == static_cast<double>(local)) {
                return std::make_unique<LsaFolding>(local);
            }
        }
    }
    throw FormatError(fmt::format("topic model lsa: folding constants {}, expected one, 0 or 1",
                                  fmt::join(header.folding, ", ")));
}

/// A vector and its negative say the same; the larger side is made positive, so that the same
/// data give the same model however the solver came to it.
void fix_signs(TruncatedSvd& svd) {
    for (std::size_t k = 0; k < svd.right.columns; ++k) {
        double strongest = 0;
        for (std::size_t t = 0; t < svd.right.rows; ++t) {
            const double x = svd.right.row(t)[k];
            if (std::abs(x) > std::abs(strongest)) strongest = x;
        }
        if (strongest >= 0) continue;
        for (std::size_t t = 0; t < svd.right.rows; ++t) svd.right.row(t)[k] *= -1;
        for (std::size_t d = 0; d < svd.left_scaled.rows; ++d) svd.left_scaled.row(d)[k] *= -1;
    }
}

std::vector<Topic> describe(const TruncatedSvd& svd, const std::vector<std::string>& vocabulary,
                            std::size_t words) {
    double energy = 0;
    for (const double s : svd.singular_values) energy += s * s;
    std::vector<Topic> topics;
    for (std::size_t k = 0; k < svd.singular_values.size(); ++k) {
        const double s = svd.singular_values[k];
        topics.push_back(
            {top_words(vocabulary, words, [&](std::size_t t) { return svd.right.row(t)[k]; }),
             s * s / energy});
    }
    return topics;
}

TopicTraining describe_training(const TruncatedSvd& svd) {
    TopicTraining training;
    training.iterations = svd.basis / kPanelWidth;
    training.stop_reason = svd.basis == 0  ? "solved exactly"
                           : svd.converged ? "converged"
                                           : "basis limit";
    training.objective_name = "estimated share of the energy missing";
    training.objective = svd.missing;
    training.trace = svd.trace;
    return training;
}

TopicModel fit_lsa(const TermDocumentCounts& counts, const TopicOptions& options,
                   Executor& executor, const Progress& progress) {
    TermWeighting weighting = make_term_weighting(options.choices.at("weighting"), counts);
    std::vector<float> values = weigh(counts, weighting);
    std::vector<std::string> warnings;
    if (std::all_of(values.begin(), values.end(), [](float x) { return x == 0; })) {
        warnings.push_back(fmt::format(
            "weighting {} gives every word weight 0, as each is in all {} documents; raw is used",
            options.choices.at("weighting"), counts.documents()));
        weighting = make_term_weighting("raw", counts);
        values = weigh(counts, weighting);
    }

    SvdOptions svd_options;
    svd_options.rank = options.dimensions;
    svd_options.seed = options.seed;
    svd_options.tolerance = options.parameters.at("tolerance");
    const auto step = [&](std::size_t basis, double missing) {
        if (!progress) return;
        const std::string detail =
            missing < 0 ? "" : fmt::format("estimated energy missing {:.2g}", missing);
        if (!progress({"training lsa", basis, 0, "basis vectors", detail})) {
            throw Cancelled("training lsa was cancelled");
        }
    };
    TruncatedSvd svd =
        truncated_svd(make_sparse_matrix(counts, values), svd_options, executor, step);
    fix_signs(svd);
    const std::size_t rank = svd.singular_values.size();
    if (rank < options.dimensions) {
        warnings.push_back(
            fmt::format("dimensions lowered from {} to {}: {} documents and {} words have no more",
                        options.dimensions, rank, counts.documents(), counts.vocabulary.size()));
    }

    TopicModel model;
    model.header = {"lsa", rank, TopicVectorKind::kSigned, {static_cast<double>(weighting.local)}};
    model.vocabulary = counts.vocabulary;
    model.topics = describe(svd, model.vocabulary, options.words_per_topic);
    model.training = describe_training(svd);
    model.training.warnings = std::move(warnings);
    const double scaling = options.parameters.at("scaling");
    std::vector<double> scales;
    for (const double s : svd.singular_values) {
        scales.push_back(std::pow(s / svd.singular_values[0], scaling));
    }
    model.term_vectors = std::move(svd.right);
    for (std::size_t t = 0; t < model.term_vectors.rows; ++t) {
        const std::span<float> row = model.term_vectors.row(t);
        for (std::size_t k = 0; k < rank; ++k) {
            row[k] = static_cast<float>(row[k] * weighting.term_weights[t] * scales[k]);
        }
    }
    model.document_vectors = std::move(svd.left_scaled);
    for (std::size_t d = 0; d < model.document_vectors.rows; ++d) {
        const std::span<float> row = model.document_vectors.row(d);
        for (std::size_t k = 0; k < rank; ++k) row[k] = static_cast<float>(row[k] * scales[k]);
        scale_to_unit(row);
    }
    return model;
}

}  // namespace

TopicModelInfo lsa_info() {
    return {.summary = "latent semantic analysis: truncated SVD of the weighted counts",
            .kind = TopicVectorKind::kSigned,
            .parameters = {{"tolerance", 5e-4, 1e-6, 0.5,
                            "stop when this share of the exact energy is missing, by estimate"},
                           {"scaling", 0.25, -2, 2,
                            "power of the singular values that scales dimensions (lsa.md)"}},
            .choices = {{"weighting",
                         "log-entropy",
                         {"log-entropy", "tf-idf", "raw"},
                         "weights of counts before the decomposition"}},
            .fit = fit_lsa,
            .make_folding = make_lsa_folding};
}

}  // namespace braid
