// SPDX-License-Identifier: GPL-2.0-or-later

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/model/model_function.h"

// Equations are those of docs/algorithms/anchored.md.

namespace braid {
namespace {

constexpr std::array<const char*, 3> kCandidates = {"anchored", "genm-on", "coordinate"};

struct Chosen {
    std::string learner;  ///< "" for none.
    HeldBack held;
};

// options.measure by share and query, for queries that the candidate did not learn from.
using Trial = std::function<std::vector<std::vector<double>>(const char* candidate)>;

// (5)
Chosen choose(const Trial& trial, double errors) {
    Chosen best;
    for (const char* candidate : kCandidates) {
        const HeldBack held = held_back(trial(candidate), errors);
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
        return fmt::format("nothing gains on {} held-out queries: {} stay", chosen.held.queries,
                           anchor);
    }
    return fmt::format(
        "{:.0f} % {}, the rest {} (gain on {} held-out queries {:+.4f} +- {:.4f} {})",
        100 * chosen.held.share, chosen.learner, anchor, chosen.held.queries, chosen.held.gain,
        chosen.held.error, options.measure);
}

// Trees beside the chosen weights; docs/algorithms/trees.md section 4.
void try_trees(const TrainingSet& set, const LearnerOptions& options, const LearnerOptions& inner,
               const Chosen& chosen, const std::vector<double>& anchor, Executor& executor,
               const Progress& progress, TrainingResult& result) {
    const LearnWeights learn = [&](const TrainingSet& some) {
        if (chosen.learner.empty()) return anchor;
        const TrainingResult learned = fit_learner(chosen.learner, some, inner, executor, progress);
        return *fixed_weights(mixed(learned.function, anchor, chosen.held.share));
    };
    LearnerOptions of_trees = inner;
    of_trees.validation = options.validation;
    const std::string reason =
        add_trees(set, learn, of_trees,
                  {.parts = static_cast<std::size_t>(options.parameters.at("parts")),
                   .errors = options.parameters.at("tree-errors")},
                  executor, progress, result);
    result.stop_reason += "; " + reason;
}

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    LearnerOptions inner = options;
    inner.parameters.clear();
    inner.choices.clear();
    inner.validation = nullptr;
    inner.watched.clear();
    const std::vector<double> anchor = anchor_weights(options, set.width());
    std::vector<HeldOutPart> parts;
    if (options.validation == nullptr) {
        parts =
            held_out_parts(set, inner, static_cast<std::size_t>(options.parameters.at("parts")));
    }
    const Trial trial = [&](const char* candidate) {
        if (options.validation == nullptr) {
            return held_out_values(candidate, set, inner, parts, executor, progress);
        }
        const TrainingResult learned = fit_learner(candidate, set, inner, executor, progress);
        return share_values(*options.validation, learned.function, inner, executor);
    };
    Chosen chosen;
    if (options.validation != nullptr || parts.size() > 1) {
        chosen = choose(trial, options.parameters.at("errors"));
    }
    TrainingResult result;
    result.function = LinearFunction{anchor};
    if (!chosen.learner.empty()) {
        const TrainingResult learned = fit_learner(chosen.learner, set, inner, executor, progress);
        result.function = mixed(learned.function, anchor, chosen.held.share);
        result.iterations = learned.iterations;
    }
    result.stop_reason = in_words(chosen, options);
    if (options.choices.at("trees") == "try") {
        try_trees(set, options, inner, chosen, anchor, executor, progress, result);
    }
    set_measured(set, options, executor, result);
    return result;
}

}  // namespace

LearnerMethod auto_method() {
    return {.parameters = {{"parts", 5, 2, 1000, "in which queries are held out", kWhole},
                           {"errors", 2, 0, 10,
                            "standard errors by which a gain over the anchor must exceed 0"},
                           {"tree-errors",
                            1,
                            0,
                            10,
                            "standard errors by which the gain of trees must exceed 0",
                            {},
                            "trees=try"}},
            .choices = {{"trees",
                         "no",
                         {"no", "try"},
                         "whether trees may stand beside the weights where they gain"}},
            .aims_at_measure = true,
            .forms = {"linear", "forest"},
            .holds_back = true,
            .fit = fit};
}

}  // namespace braid
