// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/methods/awel.h"

#include <cmath>

#include <fmt/format.h>

#include "braid/core/learners/fitting/fit_monitor.h"
#include "braid/core/learners/fitting/function_monitor.h"
#include "braid/core/learners/solvers/attention_descent.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

struct Settings {
    ListOptions list;
    DescentOptions fixed;
    AttentionOptions attention;
    double l2 = 0;
};

Settings settings_of(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    Settings settings;
    settings.list = list_options(options);
    settings.fixed = descent_options(options);
    settings.fixed.non_negative = signs_of(options.choices) == WeightSigns::kNonNegative;
    settings.l2 = parameters.at("l2");
    settings.attention = {.dimensions = static_cast<std::size_t>(parameters.at("dimensions")),
                          .shrink = parameters.at("shrink"),
                          .by_query = options.choices.at("embedding") == "query",
                          .heats = options.choices.at("scale") == "by-query",
                          .non_negative = settings.fixed.non_negative,
                          .descent = settings.fixed};
    settings.attention.descent.rate = parameters.at("attention-rate");
    settings.attention.descent.passes = static_cast<std::size_t>(parameters.at("attention-passes"));
    return settings;
}

std::vector<double> fixed_weights(
    const ListObjective& objective, const Settings& settings,
    const std::function<void(double, const std::vector<double>&)>& step) {
    std::vector<double> last;
    descend_fixed(objective, settings.fixed, settings.l2,
                  [&](double value, const std::vector<double>& weights) {
                      step(-value, weights);
                      last = weights;
                      return true;
                  });
    if (!settings.fixed.non_negative) return last;
    // Noise against sums of 0 may have gone below.
    cut_below_zero(last, uniform_weights(last.size()));
    return last;
}

// Magnitudes of the base sum to 1, as those of fixed weights do.
AttentionFunction served(AttentionFunction function) {
    double sum = 0;
    for (const double weight : function.base) sum += std::abs(weight);
    if (sum == 0) return function;
    for (double& weight : function.base) weight /= sum;
    for (double& part : function.rankers) part /= sum;
    return function;
}

// What query-dependent weights gain on queries of the set that they weren't fitted to, for each of
// the pulls.
std::vector<std::vector<double>> held_out_gains(const TrainingSet& set,
                                                const LearnerOptions& options,
                                                const Settings& settings,
                                                const std::vector<double>& pulls,
                                                Executor& executor, ProgressGate& gate) {
    const auto folds = static_cast<std::size_t>(options.parameters.at("folds"));
    std::vector<std::size_t> order;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (is_useful(set, q, options.judging.relevant_from)) order.push_back(q);
    }
    Random(options.seed, 3).shuffle(order);
    std::vector<std::vector<std::vector<double>>> gains(
        folds, std::vector<std::vector<double>>(pulls.size()));
    executor.run(folds, [&](std::size_t fold) {
        std::vector<std::size_t> inside;
        std::vector<std::size_t> outside;
        for (std::size_t i = 0; i < order.size(); ++i) {
            (i % folds == fold ? outside : inside).push_back(order[i]);
        }
        if (inside.empty() || outside.empty()) return;
        const TrainingSet fitted = subset(set, inside);
        const TrainingSet held_out = subset(set, outside);
        const ListObjective objective(fitted, settings.list);
        const std::vector<double> fixed =
            fixed_weights(objective, settings, [](double, const std::vector<double>&) {});
        const TrainingMeasure measure(held_out, options.measure, options.judging);
        const auto one = make_executor(1);
        const std::vector<double> before = measure.values(LinearFunction{fixed}, *one);
        for (std::size_t p = 0; p < pulls.size(); ++p) {
            AttentionOptions attention = settings.attention;
            attention.shrink = pulls[p];
            AttentionDescent descent(objective, attention, fixed);
            descent.run([](double, const AttentionFunction&) { return true; });
            const std::vector<double> after = measure.values(descent.function(), *one);
            for (std::size_t i = 0; i < before.size(); ++i) {
                gains[fold][p].push_back(after[i] - before[i]);
            }
            gate.step(fmt::format("fold {} of {}, pull {:g}", fold + 1, folds, pulls[p]));
        }
    });
    std::vector<std::vector<double>> all(pulls.size());
    for (const auto& fold : gains) {
        for (std::size_t p = 0; p < pulls.size(); ++p) {
            all[p].insert(all[p].end(), fold[p].begin(), fold[p].end());
        }
    }
    return all;
}

struct Gain {
    double mean = 0;
    double error = 0;  ///< Standard error of the mean.
};

Gain gain_of(const std::vector<double>& gains) {
    Gain result;
    const auto count = static_cast<double>(gains.size());
    for (const double gain : gains) result.mean += gain / count;
    double squares = 0;
    for (const double gain : gains) squares += (gain - result.mean) * (gain - result.mean);
    if (count > 1) result.error = std::sqrt(squares / (count - 1) / count);
    return result;
}

// From a tenth of shrink on, where there are several; else shrink.
std::vector<double> pulls_of(const LearnerOptions& options) {
    const auto count = static_cast<std::size_t>(options.parameters.at("pulls"));
    const double shrink = options.parameters.at("shrink");
    std::vector<double> pulls = {count > 1 ? shrink / 10 : shrink};
    while (pulls.size() < count) pulls.push_back(10 * pulls.back());
    return pulls;
}

// Tries weights by query on held-out queries. Sets the pull that is best there; returns whether it
// gains enough, and the figures.
bool pays(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
          ProgressGate& gate, Settings& settings, std::string& figures) {
    const std::vector<double> pulls = pulls_of(options);
    Gain best;
    bool is_first = true;
    for (std::size_t p = 0; const std::vector<double>& gains :
                            held_out_gains(set, options, settings, pulls, executor, gate)) {
        const Gain gain = gain_of(gains);
        const double pull = pulls[p++];
        if (!is_first && !(gain.mean > best.mean)) continue;
        is_first = false;
        best = gain;
        settings.attention.shrink = pull;
        figures = fmt::format(
            "on {} held-out queries those that follow from features gain {:+.4f} +- {:.4f} {}{}",
            gains.size(), gain.mean, gain.error, options.measure,
            pulls.size() > 1 ? fmt::format(" with a pull of {:g}", pull) : "");
    }
    return best.mean > options.parameters.at("margin") * best.error && best.mean > 0;
}

TrainingResult fit(const std::string& name, const TrainingSet& set, const LearnerOptions& options,
                   Executor& executor, const Progress& progress) {
    Settings settings = settings_of(options);
    const auto folds = static_cast<std::size_t>(options.parameters.at("folds"));
    const bool is_tried = folds >= 2 && !settings.attention.by_query;
    ProgressGate gate(progress, "training " + name, "steps",
                      settings.fixed.passes + settings.attention.descent.passes + 2 +
                          (is_tried ? folds * pulls_of(options).size() : 0));
    const ListObjective objective(set, settings.list);
    const std::string objective_name =
        settings.list.diversity > 0 ? "log likelihood + diversity" : "log likelihood";
    FitMonitor fixed_monitor(options, 0, signs_of(options.choices));
    const std::vector<double> fixed =
        fixed_weights(objective, settings, [&](double value, const std::vector<double>& weights) {
            gate.step(fmt::format("fixed weights, log likelihood {:.4f}", value));
            fixed_monitor.record(value, weights);
        });
    std::string found;
    if (is_tried) {
        if (!pays(set, options, executor, gate, settings, found)) {
            return fixed_monitor.result(objective_name, "fixed weights are kept: " + found);
        }
        found = ": " + found;
    }
    FunctionMonitor monitor(options, static_cast<std::size_t>(options.parameters.at("patience")));
    AttentionDescent descent(objective, settings.attention, fixed);
    const std::string reason = descent.run([&](double value, const AttentionFunction& function) {
        gate.step(fmt::format("log likelihood {:.4f}", -value));
        return monitor.record(-value, served(function));
    });
    return monitor.result(objective_name, reason + found);
}

LearnerInfo info(const std::string& name, const std::string& summary) {
    std::vector<ParameterInfo> parameters = list_parameters(name == "awelv");
    for (const ParameterInfo& parameter : descent_parameters()) parameters.push_back(parameter);
    parameters.insert(
        parameters.end(),
        {{"l2", 0, 0, 1e6, "strength of the pull of the fixed part towards zero"},
         {"dimensions", 5, 1, 1000, "of the embeddings (MQ2008: 5)", kWhole},
         {"shrink", 0.01, 0, 1e6, "strength of the pull towards fixed weights"},
         {"pulls", 4, 1, 8,
          "strengths tried where there are folds, each ten times the last, from a tenth of shrink "
          "on",
          kWhole, "embedding=features"},
         {"attention-rate", 0.01, 1e-9, 1e3, "AdaGrad's first step for embeddings (0.01)"},
         {"attention-passes", 100, 1, 1e6, "passes that learn the embeddings at most", kWhole},
         {"folds", 5, 0, 100, "of the queries, to see whether they gain; under 2: not asked",
          kWhole, "embedding=features"},
         {"margin", 2, 0, 100, "standard errors by which they must gain in the folds", !kWhole,
          "embedding=features"},
         patience_parameter()});
    return {
        .name = name,
        .summary = summary,
        .source = "Liu, Du, Wu 2023 (aWELv)",
        .parameters = parameters,
        .choices = {list_ties_choice(),
                    weights_choice(),
                    {"embedding",
                     "features",
                     {"features", "query"},
                     "from the query's features, or one for each query that recurs"},
                    {"scale",
                     "by-query",
                     {"by-query", "same"},
                     "whether the fit may scale a query's scores as a whole, which ranks nothing"}},
        .needs_query_features = true,
        .featureless_with = "embedding=query",
        .forms = {"attention", "linear", "signed-linear"},
        .may_weigh_negatively = true,
        .non_negative_with = kNonNegativeWeights,
        .fixed_counterpart = name.substr(1),
        .fit = [name](const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                      const Progress& progress) {
            return fit(name, set, options, executor, progress);
        }};
}

}  // namespace

LearnerInfo awel_info() { return info("awel", "weights that follow from the query's features"); }
LearnerInfo awelv_info() { return info("awelv", "awel, and the more diverse rankers the better"); }

}  // namespace braid
