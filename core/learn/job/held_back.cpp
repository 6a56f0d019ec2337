// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/held_back.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"

// Equations are those of docs/algorithms/held-back.md.

namespace braid {
namespace {

constexpr std::array<double, 5> kShares = {0, 0.25, 0.5, 0.75, 1};

Progress in_part(const Progress& progress, std::size_t number, std::size_t count) {
    return within(progress, fmt::format("held out {} of {}", number, count));
}

}  // namespace

Progress within(const Progress& progress, const std::string& where) {
    if (!progress) return {};
    return [&progress, where](const ProgressReport& report) {
        ProgressReport named = report;
        named.phase = where + ": " + report.phase;
        return progress(named);
    };
}

std::span<const double> hold_back_shares() { return kShares; }

// Queries that tell nothing apart are in none.
std::vector<HeldOutPart> held_out_parts(const TrainingSet& set, const LearnerOptions& options,
                                        std::size_t count) {
    std::vector<std::size_t> order;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (is_useful(set, q, options.judging.relevant_from)) order.push_back(q);
    }
    Random(options.seed, 5).shuffle(order);
    std::vector<HeldOutPart> parts(std::min(count, order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t p = 0; p < parts.size(); ++p) {
            (i % parts.size() == p ? parts[p].outside : parts[p].inside).push_back(order[i]);
        }
    }
    for (HeldOutPart& part : parts) {
        std::sort(part.inside.begin(), part.inside.end());
        std::sort(part.outside.begin(), part.outside.end());
    }
    return parts;
}

std::vector<std::vector<double>> share_values(const TrainingSet& set,
                                              const RankingFunction& learned,
                                              const LearnerOptions& options, Executor& executor) {
    const TrainingMeasure measure(set, options.measure, options.judging);
    const std::vector<double> anchor = anchor_weights(options, set.width());
    std::vector<std::vector<double>> values;
    values.reserve(std::size(kShares));
    for (const double share : kShares) {
        values.push_back(measure.values(mixed(learned, anchor, share), executor));
    }
    return values;
}

std::vector<std::vector<double>> held_out_values(const std::string& learner, const TrainingSet& set,
                                                 const LearnerOptions& options,
                                                 const std::vector<HeldOutPart>& parts,
                                                 Executor& executor, const Progress& progress) {
    LearnerOptions inner = options;
    inner.watched.clear();
    std::vector<std::vector<double>> values(kShares.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const TrainingResult part = fit_learner(learner, subset(set, parts[p].inside), inner,
                                                executor, in_part(progress, p + 1, parts.size()));
        const std::vector<std::vector<double>> more =
            share_values(subset(set, parts[p].outside), part.function, options, executor);
        for (std::size_t s = 0; s < values.size(); ++s) {
            values[s].insert(values[s].end(), more[s].begin(), more[s].end());
        }
    }
    return values;
}

HeldBack held_back(const std::vector<std::vector<double>>& values, double errors) {
    HeldBack best{.queries = values.at(0).size()};
    const auto count = static_cast<double>(best.queries);
    // Few gains that happen to be equal have no spread, and so no error.
    if (best.queries < 2 || count <= errors * errors) return best;
    for (std::size_t s = 1; s < kShares.size(); ++s) {
        double gain = 0;
        double squares = 0;
        for (std::size_t q = 0; q < best.queries; ++q) {
            gain += (values[s][q] - values[0][q]) / count;
        }
        for (std::size_t q = 0; q < best.queries; ++q) {
            const double off = values[s][q] - values[0][q] - gain;
            squares += off * off;
        }
        const double error = std::sqrt(squares / (count - 1) / count);
        if (gain - errors * error <= best.gain - errors * best.error) continue;  // (2)
        best.share = kShares[s];
        best.gain = gain;
        best.error = error;
    }
    return best;
}

bool can_hold_back(const LearnerInfo& info, const ChoiceMap& choices) {
    // Weights of queries that recur say nothing of those held out; a softmax is no sum.
    const bool recurs = is_chosen(choices, info.featureless_with);
    return info.needs_judgements && info.takes_scales && !info.holds_back && !recurs &&
           std::all_of(info.forms.begin(), info.forms.end(), [](const std::string& form) {
               return trait_of_form(form) != Trait::kNoWeights;
           });
}

TrainingResult fit_held_back(const std::string& learner, const TrainingSet& set,
                             const LearnerOptions& options, std::size_t parts, Executor& executor,
                             const Progress& progress) {
    TrainingResult result = fit_learner(learner, set, options, executor, progress);
    if (parts < 2 || !can_hold_back(learners().find(learner), options.choices) ||
        options.validation != nullptr || options.state) {
        return result;
    }
    const std::vector<HeldOutPart> split = held_out_parts(set, options, parts);
    if (split.size() < 2) return result;
    LearnerOptions inner = options;
    for (const auto& [name, value] : result.settled) inner.parameters[name] = value;
    const std::vector<std::vector<double>> values =
        held_out_values(learner, set, inner, split, executor, progress);
    const HeldBack found = held_back(values);
    result.function = mixed(result.function, anchor_weights(options, set.width()), found.share);
    if (found.share < 1) result.scale = 1;
    result.stop_reason = fmt::format(
        "{:.0f} % of the learned weights kept, the rest {} (gain on {} held-out queries "
        "{:+.4f} +- {:.4f} {}); {}",
        100 * found.share, options.anchor.empty() ? "uniform" : "as before", found.queries,
        found.gain, found.error, options.measure, result.stop_reason);
    return result;
}

}  // namespace braid
