// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/term_weighting.h"

#include <algorithm>
#include <cmath>

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

}  // namespace braid
