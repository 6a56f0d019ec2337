// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/pool/list_statistics.h"

// Equations are those of docs/algorithms/ser.md.

namespace braid {
namespace {

constexpr double kLeastAgreement = 1e-13;

AgreementOptions agreement_options(const TrainingSet& set, const LearnerOptions& options) {
    return {.theta = options.parameters.at("theta"),
            .delta = options.parameters.at("delta"),
            .lower_pairs = options.choices.at("pairs") == "all",
            .ties_are_half = options.choices.at("ties") == "half",
            .highest_grade =
                std::max<Grade>(1, *std::max_element(set.grades.begin(), set.grades.end()))};
}

constexpr const char* kTrace = "trace";

MatrixDistance distance_of(const std::string& similarity) {
    return similarity == "column-norm"     ? MatrixDistance::kColumnNorm
           : similarity == "spectral-norm" ? MatrixDistance::kSpectralNorm
                                           : MatrixDistance::kFrobenius;
}

// The margins that a query asks for, by (4) or (13).
class MarginRows {
  public:
    MarginRows(const TrainingSet& set, const LearnerOptions& options)
        : set_(set),
          agreement_(agreement_options(set, options)),
          similarity_(options.choices.at("similarity")),
          lambda_(options.parameters.at("lambda")) {}

    // Empty where the query has nothing to agree with, or no ranker says anything.
    std::vector<double> row(std::size_t query) const {
        const std::span<const Grade> grades = set_.query_grades(query);
        std::vector<double> row(set_.width());
        std::vector<double> scores(grades.size());
        for (std::size_t k = 0; k < row.size(); ++k) {
            for (std::size_t d = 0; d < scores.size(); ++d) {
                scores[d] = set_.row(set_.query_begin[query] + d)[k];
            }
            row[k] = value(scores, grades);
        }
        const auto is_first = [&](double b) { return b == row.front(); };
        if (similarity_ == kTrace) {
            const bool is_silent =
                std::all_of(row.begin(), row.end(), [](double b) { return b == 0; });
            return is_silent ? std::vector<double>() : row;
        }
        if (row.size() > 1 && std::all_of(row.begin(), row.end(), is_first)) return {};
        similarities(row, lambda_);
        return has_pairs(grades) ? row : std::vector<double>();
    }

  private:
    double value(const std::vector<double>& scores, std::span<const Grade> grades) const {
        if (similarity_ != kTrace) {
            return order_distance(scores, grades, agreement_, distance_of(similarity_));
        }
        const double agreement = grade_agreement(scores, grades, agreement_);
        // A ranker that ties all agrees by rounding only, which must not become a weight.
        const bool is_rounding =
            std::abs(agreement) < kLeastAgreement * static_cast<double>(grades.size());
        return is_rounding ? 0 : agreement;
    }

    static bool has_pairs(std::span<const Grade> grades) {
        return std::any_of(grades.begin(), grades.end(), [&](Grade grade) {
            return learning_grade(grade) != learning_grade(grades.front());
        });
    }

    const TrainingSet& set_;
    AgreementOptions agreement_;
    std::string similarity_;
    double lambda_;
};

// b, a row for each query that has one.
std::vector<double> margins_of(const TrainingSet& set, const LearnerOptions& options,
                               Executor& executor, ProgressGate& gate) {
    std::vector<std::vector<double>> rows(set.queries.size());
    const MarginRows source(set, options);
    executor.run(rows.size(), [&](std::size_t q) {
        rows[q] = source.row(q);
        gate.step("");
    });
    std::vector<double> margins;
    for (const auto& row : rows) margins.insert(margins.end(), row.begin(), row.end());
    return margins;
}

// What (5) is at the solution.
double primal(const MarginProgram& program, const std::vector<double>& weights) {
    double value = 0;
    for (const double weight : weights) value += weight * weight / 2;
    for (std::size_t i = 0; i < program.rows(); ++i) {
        double margin = 0;
        for (std::size_t k = 0; k < program.width; ++k) {
            margin += program.margins[i * program.width + k] * weights[k];
        }
        value += program.cost * std::max(0.0, 1 - margin);
    }
    return value;
}

struct Margins {
    std::vector<double> margins;
    MarginSolution solution;
    TrainingResult result;  // Of fixed weights.
};

Margins fit_fixed(const std::string& name, const TrainingSet& set, const LearnerOptions& options,
                  Executor& executor, const Progress& progress) {
    ProgressGate gate(progress, "training " + name, "queries", set.queries.size());
    Margins fit;
    fit.margins = margins_of(set, options, executor, gate);
    const MarginProgram program{
        .width = set.width(), .margins = fit.margins, .cost = options.parameters.at("c")};
    fit.solution = solve_margins(program, {});
    FitMonitor monitor(options, 0);
    monitor.record(-primal(program, fit.solution.weights), fit.solution.weights);
    fit.result =
        monitor.result("-margin program",
                       fit.solution.violation <= 1e-8
                           ? "converged"
                           : fmt::format("pass limit, KKT breach {:.1e}", fit.solution.violation));
    fit.result.iterations = fit.solution.passes;
    return fit;
}

TrainingResult fit_ser(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                       const Progress& progress) {
    return fit_fixed("ser", set, options, executor, progress).result;
}

TrainingResult fit_sser(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                        const Progress& progress) {
    Margins fit = fit_fixed("sser", set, options, executor, progress);
    TrainingResult result = std::move(fit.result);
    SemiSupervisedFunction function;
    function.base = std::get<LinearFunction>(result.function).weights;
    function.margins = std::move(fit.margins);
    function.alpha = std::move(fit.solution.duals.alpha);
    function.eta = std::move(fit.solution.duals.eta);
    function.cost = options.parameters.at("c");
    function.gamma = options.parameters.at("gamma");
    function.neighbours = static_cast<std::size_t>(options.parameters.at("neighbours"));
    function.by_places = options.choices.at("graph") == "topics";
    result.function = std::move(function);
    add_validation(options, executor, result);
    return result;
}

}  // namespace

LearnerMethod ser_method() {
    return {
        .parameters = {{"c", 1, 1e-9, 1e9, "penalty for a query below its margin"},
                       {"theta", 0.5, 0, 1, "weight of pairs of neighbouring grades (2008: 0.5)"},
                       {"delta", 1, 1e-9, 1e9, "smooths the columns (2008: 1)"},
                       {"lambda", 1, 1e-6, 1e6,
                        "scale of distances, in mean distances of a query's rankers", !kWhole,
                        "similarity=column-norm|spectral-norm|frobenius"}},
        .choices = {{"pairs",
                     "all",
                     {"all", "best"},
                     "compared grades: all, or only others with the best one (2008)"},
                    {"ties",
                     "half",
                     {"half", "none"},
                     "equal scores count as half before each other, or not (2008)"},
                    {"similarity",
                     kTrace,
                     {kTrace, "column-norm", "spectral-norm", "frobenius"},
                     "similarity of orders and grades: the trace of their matrices, or "
                     "exp(-distance) by a norm or Bregman divergence, for small pools"}},
        .fit = fit_ser};
}

LearnerMethod sser_method() {
    LearnerMethod result = ser_method();
    result.parameters.push_back({"gamma", 0.5, 0, 1e6, "weight of similar scores (2008: 0.5)"});
    result.parameters.push_back(
        {"neighbours", 5, 1, 1000, "neighbours of a document (2008: 5)", kWhole});
    result.choices.push_back({"graph",
                              "scores",
                              {"scores", "topics"},
                              "source of neighbours: the rankers' scores (2008), or the vectors of "
                              "the first topic model among the rankers"});
    result.places_with = "graph=topics";
    result.fixed_counterpart = "ser";
    result.forms = {"semi-supervised"};
    result.takes_scales = false;
    result.normaliser = "min-max";
    result.fit = fit_sser;
    return result;
}

}  // namespace braid
