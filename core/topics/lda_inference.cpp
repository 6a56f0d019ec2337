// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_inference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace braid {
namespace {

constexpr int kSteps = 5;
constexpr double kSmallest = 1e-5;
constexpr double kLargest = 100;

/// psi(x + n) - psi(x); x > 0. By the recurrence for small n, else by psi's asymptotic series.
double digamma_difference(double x, std::uint64_t n) {
    double sum = 0;
    if (n <= 32) {
        for (std::uint64_t i = 0; i < n; ++i) sum += 1 / (x + static_cast<double>(i));
        return sum;
    }
    const auto digamma = [](double y) {
        double below = 0;
        while (y < 8) below += 1 / y++;
        const double r = 1 / (y * y);
        return std::log(y) - 0.5 / y - r * (1.0 / 12 - r * (1.0 / 120 - r / 252)) - below;
    };
    return digamma(x + static_cast<double>(n)) - digamma(x);
}

/// How often each count occurs.
using Histogram = std::map<std::uint32_t, std::uint64_t>;

double summed_difference(double x, const Histogram& histogram) {
    double sum = 0;
    for (const auto& [count, times] : histogram) {
        sum += static_cast<double>(times) * digamma_difference(x, count);
    }
    return sum;
}

}  // namespace

void learn_alpha(const LdaSampler& sampler, LdaPriors& priors) {
    std::vector<Histogram> by_topic(sampler.topics());
    Histogram lengths;
    sampler.for_each_topic(
        [&](std::size_t, std::size_t topic, std::uint32_t tokens) { ++by_topic[topic][tokens]; });
    for (const std::uint32_t length : sampler.corpus().part_lengths) ++lengths[length];
    for (int step = 0; step < kSteps; ++step) {
        double sum = 0;
        for (const float alpha : priors.alpha) sum += alpha;
        const double below = summed_difference(sum, lengths);
        for (std::size_t k = 0; k < priors.alpha.size(); ++k) {
            const double alpha = priors.alpha[k];
            const double better = alpha * summed_difference(alpha, by_topic[k]) / below;
            priors.alpha[k] = static_cast<float>(std::clamp(better, kSmallest, kLargest));
        }
    }
}

void learn_eta(const LdaSampler& sampler, LdaPriors& priors) {
    Histogram counts;
    Histogram totals;
    for (std::size_t k = 0; k < sampler.topics(); ++k) {
        if (sampler.total(k) > 0) ++totals[sampler.total(k)];
    }
    for (std::size_t w = 0; w < sampler.terms(); ++w) {
        for (std::size_t k = 0; k < sampler.topics(); ++k) {
            if (const std::uint32_t count = sampler.count(w, k); count > 0) ++counts[count];
        }
    }
    const auto terms = static_cast<double>(sampler.terms());
    for (int step = 0; step < kSteps; ++step) {
        const double above = summed_difference(priors.eta, counts);
        const double below = terms * summed_difference(terms * priors.eta, totals);
        priors.eta = std::clamp(priors.eta * above / below, kSmallest, kLargest);
    }
}

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
