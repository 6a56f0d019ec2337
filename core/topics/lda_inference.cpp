// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_inference.h"

#include <cmath>
#include <vector>

namespace braid {
namespace {

/// In eight lanes, added by one tree: the compiler may use what registers it has, and the bits
/// stay the same.
float dot(const float* a, const float* b, std::size_t size) {
    float sums[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= size; k += 8) {
        for (std::size_t i = 0; i < 8; ++i) sums[i] += a[k + i] * b[k + i];
    }
    for (std::size_t i = 0; k + i < size; ++i) sums[i] += a[k + i] * b[k + i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

void infer_topics(std::span<const FoldingTerm> terms, std::span<const float> alpha,
                  const LdaInferenceOptions& options, std::span<float> result) {
    const std::size_t topics = result.size();
    double alpha_sum = 0;
    for (const float a : alpha) alpha_sum += a;
    for (std::size_t k = 0; k < topics; ++k) result[k] = static_cast<float>(alpha[k] / alpha_sum);
    std::vector<float> gathered(topics);
    for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
        std::fill(gathered.begin(), gathered.end(), 0.0F);
        double length = 0;
        for (const FoldingTerm& term : terms) {
            const float likelihood = dot(result.data(), term.vector.data(), topics);
            if (!(likelihood > 0)) continue;
            const float ratio = static_cast<float>(term.count) / likelihood;
            if (!std::isfinite(ratio)) continue;
            length += term.count;
            const float* const row = term.vector.data();
            for (std::size_t k = 0; k < topics; ++k) gathered[k] += ratio * row[k];
        }
        if (length == 0) return;
        const double scale = 1 / (length + alpha_sum);
        double change = 0;
        for (std::size_t k = 0; k < topics; ++k) {
            const auto next = static_cast<float>((alpha[k] + result[k] * gathered[k]) * scale);
            change += std::abs(next - result[k]);
            result[k] = next;
        }
        if (change < options.tolerance) return;
    }
}

}  // namespace braid
