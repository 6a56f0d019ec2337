// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/list_descent.h"
#include "braid/core/model/attention.h"

// Equations are those of docs/algorithms/regression.md.

namespace braid {
namespace {

class AemDescent {
  public:
    AemDescent(const TrainingSet& set, const LearnerOptions& options)
        : set_(set),
          relevant_from_(options.judging.relevant_from),
          scale_(options.parameters.at("scale")),
          lambda_(options.parameters.at("lambda")),
          shrink_(options.parameters.at("shrink")),
          random_(options.seed) {
        const auto dimensions = static_cast<std::size_t>(options.parameters.at("dimensions"));
        const double rate = options.parameters.at("rate");
        describe_queries(set, function_);
        const auto draw = [&](std::size_t count) {
            std::vector<double> values(count);
            for (double& value : values) value = 0.1 * random_.normal();
            return values;
        };
        function_.softmax = true;
        function_.dimensions = dimensions;
        function_.base.assign(set.width(), 0);
        function_.rankers = draw(set.width() * dimensions);
        function_.matrix = draw(dimensions * function_.features.size());
        function_.offset.assign(dimensions, 0);
        for (const auto* part :
             {&function_.base, &function_.rankers, &function_.matrix, &function_.offset, &bias_}) {
            steps_.emplace_back(part->size(), rate);
        }
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            if (is_useful(set, q, relevant_from_)) queries_.push_back(q);
        }
    }

    void pass() {
        std::vector<std::size_t> order = queries_;
        random_.shuffle(order);
        for (const std::size_t query : order) learn(query);
    }

    double mean() {
        double sum = 0;
        std::vector<double> slopes(set_.width());
        double bias_slope = 0;
        for (const std::size_t query : queries_) {
            sum += loss(query, weights_of(query), slopes, bias_slope);
        }
        return sum / static_cast<double>(queries_.size());
    }

    const AttentionFunction& function() const { return function_; }

  private:
    std::vector<double> features_of(std::size_t query) const {
        const std::size_t count = function_.features.size();
        const std::span<const double> all = set_.query_features;
        return standard_features(function_, all.subspan(query * count, count));
    }

    std::vector<double> weights_of(std::size_t query) const {
        const std::size_t count = function_.features.size();
        const std::span<const double> all = set_.query_features;
        return attention_weights(function_, set_.queries[query], all.subspan(query * count, count));
    }

    // (6) of one query, and its derivatives by weights and bias.
    double loss(std::size_t query, const std::vector<double>& weights, std::vector<double>& slopes,
                double& bias_slope) const {
        const std::size_t width = set_.width();
        const std::span<const Grade> grades = set_.query_grades(query);
        const auto count = static_cast<double>(grades.size());
        std::vector<double> means(width, 0);
        for (std::size_t d = 0; d < grades.size(); ++d) {
            const std::span<const double> row = set_.row(set_.query_begin[query] + d);
            for (std::size_t k = 0; k < width; ++k) means[k] += row[k] / count;
        }
        double value = 0;
        std::fill(slopes.begin(), slopes.end(), 0.0);
        bias_slope = 0;
        std::vector<double> x(width);
        for (std::size_t d = 0; d < grades.size(); ++d) {
            const std::span<const double> row = set_.row(set_.query_begin[query] + d);
            double middle = 0;
            for (std::size_t k = 0; k < width; ++k) {
                x[k] = scale_ * (row[k] - means[k]);
                middle += weights[k] * x[k];
            }
            const double sign = grades[d] >= relevant_from_ ? 1 : -1;
            const LogisticLoss logistic(sign * (middle + bias_[0]));
            value += logistic.value / count;
            const double slope = sign * logistic.slope / count;
            bias_slope += slope;
            for (std::size_t k = 0; k < width; ++k) {
                const double step = x[k] - middle;
                value -= lambda_ * weights[k] * step * step / count;
                // sum w (x - m)^2 with sum w = 1 is sum w x^2 - m^2.
                slopes[k] += slope * x[k] - lambda_ * (x[k] * x[k] - 2 * middle * x[k]) / count;
            }
        }
        return value;
    }

    void learn(std::size_t query) {
        const std::vector<double> weights = weights_of(query);
        const std::vector<double> features = features_of(query);
        const std::size_t dimensions = function_.dimensions;
        std::vector<double> slopes(weights.size());
        std::vector<double> bias_slope(1);
        loss(query, weights, slopes, bias_slope[0]);
        double mean = 0;
        for (std::size_t k = 0; k < weights.size(); ++k) mean += weights[k] * slopes[k];
        std::vector<double> place = function_.offset;
        for (std::size_t i = 0; i < dimensions; ++i) {
            for (std::size_t f = 0; f < features.size(); ++f) {
                place[i] += function_.matrix[i * features.size() + f] * features[f];
            }
        }
        std::vector<double> base(weights.size());
        std::vector<double> rankers(function_.rankers.size());
        std::vector<double> offset(dimensions, 0);
        for (std::size_t k = 0; k < weights.size(); ++k) {
            base[k] = weights[k] * (slopes[k] - mean);  // Through the softmax.
            for (std::size_t i = 0; i < dimensions; ++i) {
                const double p = function_.rankers[k * dimensions + i];
                rankers[k * dimensions + i] = base[k] * place[i] + shrink_ * p;
                offset[i] += base[k] * p;
            }
            base[k] += shrink_ * function_.base[k];
        }
        std::vector<double> matrix;
        for (std::size_t i = 0; i < dimensions; ++i) {
            offset[i] += shrink_ * place[i];
            for (const double feature : features) matrix.push_back(offset[i] * feature);
        }
        steps_[0].step(function_.base, base);
        steps_[1].step(function_.rankers, rankers);
        steps_[2].step(function_.matrix, matrix);
        steps_[3].step(function_.offset, offset);
        steps_[4].step(bias_, bias_slope);
    }

    const TrainingSet& set_;
    Grade relevant_from_;
    double scale_;
    double lambda_;
    double shrink_;
    Random random_;
    AttentionFunction function_;
    std::vector<double> bias_ = {0};
    std::vector<AdaGrad> steps_;
    std::vector<std::size_t> queries_;
};

TrainingResult fit_aem(const TrainingSet& set, const LearnerOptions& options, Executor&,
                       const Progress& progress) {
    const auto passes = static_cast<std::size_t>(options.parameters.at("passes"));
    AemDescent descent(set, options);
    FunctionMonitor monitor(options, static_cast<std::size_t>(options.parameters.at("patience")));
    ProgressGate gate(progress, "training aem", "passes", passes);
    double before = descent.mean();
    bool is_open = monitor.record(-before, descent.function());
    std::string reason = "iteration limit";
    for (std::size_t pass = 0; pass < passes && is_open; ++pass) {
        descent.pass();
        const double after = descent.mean();
        gate.step(fmt::format("loss {:.4f}", after));
        is_open = monitor.record(-after, descent.function());
        if (std::abs(after - before) <= options.parameters.at("tolerance") * std::abs(before)) {
            reason = "converged";
            break;
        }
        before = after;
    }
    if (!is_open) reason = "no better on the validation part";
    return monitor.result("-logistic loss + diversity", reason);
}

}  // namespace

LearnerMethod aem_method() {
    return {.parameters = {{"dimensions", 5, 1, 1000, "dimensions of the embeddings", kWhole},
                           {"lambda", 0.01, 0, 100, "weight of diversity"},
                           {"scale", 10, 1e-9, 1e9, "factor of centred scores"},
                           {"shrink", 1e-4, 0, 1e6, "strength of the pull of all embeddings to 0"},
                           {"passes", 300, 1, 1e6, "most passes through the queries", kWhole},
                           {"rate", 0.1, 1e-9, 1e3, "AdaGrad's first step, tau"},
                           {"tolerance", 1e-5, 0, 1,
                            "stop after a pass that changes less of the objective"},
                           patience_parameter()},
            .grades = GradeUse::kRelevance,
            .needs_query_features = true,
            .forms = {"attention"},
            .takes_scales = false,
            .fixed_counterpart = "wel",
            .normaliser = "min-max",
            .fit = fit_aem};
}

}  // namespace braid
