// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/step_bounds.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

// Calls `take` with each ranker that has steps, and begin and end of them.
template <typename Take>
void each_ranker(const StepFunction& function, const Take& take) {
    for (std::size_t begin = 0; begin < function.rankers.size();) {
        std::size_t end = begin;
        while (end < function.rankers.size() && function.rankers[end] == function.rankers[begin]) {
            ++end;
        }
        take(function.rankers[begin], begin, end);
        begin = end;
    }
}

std::string count(std::size_t rankers, const std::string& one, const std::string& many) {
    return rankers == 1 ? "1 " + one : fmt::format("{} {}", rankers, many);
}

}  // namespace

StepBounds step_bounds(const StepFunction& function) {
    StepBounds bounds;
    each_ranker(function, [&](std::size_t, std::size_t begin, std::size_t end) {
        bool rises = false;
        bool falls = false;
        double height = 0;
        double least = 0;
        double most = 0;
        for (std::size_t i = begin; i < end; ++i) {
            rises = rises || function.rises[i] > 0;
            falls = falls || function.rises[i] < 0;
            height += function.rises[i];
            least = std::min(least, height);
            most = std::max(most, height);
        }
        ++(rises && falls ? bounds.mixed : falls ? bounds.falling : bounds.rising);
        bounds.least += least;
        bounds.most += most;
    });
    return bounds;
}

double step_bound(const StepFunction& function, std::span<const double> scores) {
    if (scores.size() != function.width) {
        throw InvalidArgument(
            fmt::format("{} scores for a function of {} rankers, expected as many", scores.size(),
                        function.width));
    }
    double bound = 0;
    each_ranker(function, [&](std::size_t ranker, std::size_t begin, std::size_t end) {
        double height = 0;
        double most = 0;
        for (std::size_t i = begin; i < end && scores[ranker] > function.thresholds[i]; ++i) {
            height += function.rises[i];
            most = std::max(most, height);
        }
        bound += most;
    });
    return bound;
}

std::string in_words(const StepBounds& bounds) {
    std::vector<std::string> parts;
    if (bounds.rising > 0) parts.push_back(count(bounds.rising, "ranker rises", "rankers rise"));
    if (bounds.falling > 0) parts.push_back(count(bounds.falling, "falls", "fall"));
    if (bounds.mixed > 0) parts.push_back(count(bounds.mixed, "does both", "do both"));
    if (parts.empty()) return "no steps";
    return fmt::format("{}; from {:.3g} to {:.3g}", fmt::join(parts, ", "), bounds.least,
                       bounds.most);
}

}  // namespace braid
