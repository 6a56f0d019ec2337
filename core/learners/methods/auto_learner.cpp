// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/methods/auto_learner.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/fitting/fit_monitor.h"
#include "braid/core/learners/fitting/held_back.h"

// Equations are those of docs/algorithms/anchored.md.

namespace braid {
namespace {

constexpr std::array<const char*, 3> kCandidates = {"anchored", "genm-on", "coordinate"};

struct Chosen {
    std::string learner;
    HeldBack held;
};

// (5)
Chosen choose(const TrainingSet& set, const LearnerOptions& inner, Executor& executor,
              const Progress& progress, std::size_t parts, double errors) {
    Chosen best;
    const std::vector<HeldOutPart> split = held_out_parts(set, inner, parts);
    if (split.size() < 2) return best;
    for (const char* candidate : kCandidates) {
        const HeldBack held =
            held_back(held_out_values(candidate, set, inner, split, executor, progress), errors);
        best.held.queries = held.queries;
        if (held.gain - errors * held.error > best.held.gain - errors * best.held.error) {
            best = {candidate, held};
        }
    }
    return best;
}

std::string in_words(const Chosen& chosen, const LearnerOptions& options) {
    const std::string anchor = options.anchor.empty() ? "uniform weights" : "the weights as before";
    if (chosen.learner.empty()) {
        return fmt::format("{} held-out queries bear nothing out: {}", chosen.held.queries, anchor);
    }
    return fmt::format(
        "{:.0f} % of {} kept beside {} (gain on {} held-out queries {:+.4f} +- {:.4f} {})",
        100 * chosen.held.share, chosen.learner, anchor, chosen.held.queries, chosen.held.gain,
        chosen.held.error, options.measure);
}

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    LearnerOptions inner = options;
    inner.parameters.clear();
    inner.choices.clear();
    inner.validation = nullptr;
    const Chosen chosen = choose(set, inner, executor, progress,
                                 static_cast<std::size_t>(options.parameters.at("parts")),
                                 options.parameters.at("errors"));
    const std::vector<double> anchor = anchor_weights(options, set.width());
    TrainingResult result;
    if (chosen.learner.empty()) {
        const TrainingMeasure measure(set, options.measure, options.judging);
        result.function = LinearFunction{anchor};
        result.objective_name = measure.measure().name();
        result.objective = measure.mean(result.function, executor);
        result.curve = {{0, result.objective}};
    } else {
        inner.validation = options.validation;
        result = fit_learner(chosen.learner, set, inner, executor, progress);
        result.function = mixed(result.function, anchor, chosen.held.share);
        result.state = {};
        result.settled.clear();
        result.warnings.clear();  // fit_learner gives them for the whole.
    }
    if (options.validation != nullptr) add_validation(options, executor, result);
    result.stop_reason = in_words(chosen, options);
    return result;
}

}  // namespace

LearnerInfo auto_info() {
    return {.name = "auto",
            .summary = "a quick learner and how much of it to keep, chosen by held-out queries",
            .source = "",
            .parameters = {{"parts", 5, 2, 1000, "in which queries are held out", kWhole},
                           {"errors", 1, 0, 10,
                            "standard errors by which a gain over the anchor must exceed 0"}},
            .aims_at_measure = true,
            .holds_back = true,
            .fit = fit};
}

}  // namespace braid
