// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/lambda_slopes.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/histogram_trees.h"

// Equations are those of docs/algorithms/trees.md.

namespace braid {

FollowedTrees::FollowedTrees(const TrainingSet& set, const LearnerOptions& options,
                             std::vector<double> start)
    : measure_(set, options.measure, options.judging), sums_(std::move(start)) {
    sums_.resize(set.rows(), 0);
}

void FollowedTrees::add(const ForestFunction& forest, double weight) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        sums_[i] += weight * tree_value(forest, forest.roots.back(), measure_.set().row(i));
    }
}

std::vector<double> FollowedTrees::values() const {
    const TrainingSet& set = measure_.set();
    std::vector<double> values;
    for (const std::size_t q : measure_.queries()) {
        values.push_back(
            measure_.of_scores(q, {sums_.data() + set.query_begin[q], set.pool_size(q)}));
    }
    return values;
}

double FollowedTrees::mean() const {
    const std::vector<double> all = values();
    if (all.empty()) return 0;
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

namespace {

constexpr std::size_t kBins = 256;  // Of a ranker's scores.

// Below a cut-off nothing could be learned, so the gradient is that of the measure without it.
std::string uncut(const std::string& measure) {
    for (const char* name : {"map", "ndcg", "ndcg-exp"}) {
        if (make_measure(measure)->name().starts_with(std::string(name) + "@")) return name;
    }
    return measure;
}

}  // namespace

class TreeBoosting::State {
  public:
    State(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
          std::vector<double> start)
        : set_(set),
          executor_(executor),
          measure_(set, options.measure, options.judging),
          whole_(set, uncut(options.measure), options.judging),
          slopes_of_(whole_, {}),
          rows_(set.scores, set.width(), kBins, executor),
          trees_(rows_, executor),
          growth_{.leaves = static_cast<std::size_t>(options.parameters.at("leaves")),
                  .least_rows = static_cast<std::size_t>(options.parameters.at("leaf")),
                  .l2 = options.parameters.at("l2"),
                  .rising = options.choices.at("monotone") == "rising",
                  .step = options.parameters.at("step")},
          random_(options.seed, 11),
          queries_(share_of(measure_.queries().size(), options.parameters.at("sample"))),
          columns_(share_of(set.width(), options.parameters.at("columns"))),
          slopes_(set.rows()),
          sums_(std::move(start)) {
        sums_.resize(set.rows(), 0);
        forest_.rankers = set.width();
    }

    double measure() {
        const double whole = slopes_of_.of_sums(sums_, slopes_, executor_);
        if (whole_.measure().name() == measure_.measure().name()) return whole;
        double sum = 0;
        for (const std::size_t q : measure_.queries()) {
            sum += measure_.of_scores(q, {sums_.data() + set_.query_begin[q], set_.pool_size(q)});
        }
        return sum / static_cast<double>(std::max<std::size_t>(measure_.queries().size(), 1));
    }

    bool add_tree() {
        const std::vector<std::uint32_t> rows = sampled_rows();
        const std::vector<std::uint32_t> columns = drawn(set_.width(), columns_);
        return trees_.grow(slopes_, rows, columns, growth_, forest_, sums_);
    }

    const ForestFunction& forest() const { return forest_; }

  private:
    static std::size_t share_of(std::size_t count, double share) {
        const auto part = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
        return std::clamp<std::size_t>(part, 1, std::max<std::size_t>(count, 1));
    }

    // Numbers below `count`, ascending.
    std::vector<std::uint32_t> drawn(std::size_t count, std::size_t some) {
        std::vector<std::uint32_t> all(count);
        std::iota(all.begin(), all.end(), 0U);
        if (some >= count) return all;
        random_.shuffle(all);
        all.resize(some);
        std::sort(all.begin(), all.end());
        return all;
    }

    // Queries on which nothing can score have no slopes, and so no say.
    std::vector<std::uint32_t> sampled_rows() {
        std::vector<std::uint32_t> rows;
        const std::vector<std::size_t>& queries = measure_.queries();
        for (const std::uint32_t i : drawn(queries.size(), queries_)) {
            const std::size_t q = queries[i];
            for (std::size_t row = set_.query_begin[q]; row < set_.query_begin[q + 1]; ++row) {
                rows.push_back(static_cast<std::uint32_t>(row));
            }
        }
        return rows;
    }

    const TrainingSet& set_;
    Executor& executor_;
    TrainingMeasure measure_;
    TrainingMeasure whole_;  // Whose gradient it is.
    LambdaSlopes slopes_of_;
    BinnedScores rows_;
    HistogramTrees trees_;
    GrowthOptions growth_;
    Random random_;
    std::size_t queries_;  // Of a tree.
    std::size_t columns_;
    std::vector<RowSlope> slopes_;
    std::vector<double> sums_;
    ForestFunction forest_;
};

TreeBoosting::TreeBoosting(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, std::vector<double> start)
    : state_(std::make_unique<State>(set, options, executor, std::move(start))) {}
TreeBoosting::~TreeBoosting() = default;
double TreeBoosting::measure() { return state_->measure(); }
bool TreeBoosting::add_tree() { return state_->add_tree(); }
const ForestFunction& TreeBoosting::forest() const { return state_->forest(); }

ForestFunction first_trees(const ForestFunction& forest, std::size_t count) {
    ForestFunction result = forest;
    if (count < forest.roots.size()) result.nodes.resize(forest.roots[count]);
    result.roots.resize(count);
    result.weights.resize(count);
    return result;
}

namespace {

// As it is stored: the mean of the trees, of which there is one, even where none gains anything.
ForestFunction finished(ForestFunction forest) {
    if (forest.roots.empty()) {
        forest.nodes.assign(1, {});
        forest.roots.assign(1, 0);
    }
    forest.weights.assign(forest.roots.size(), 1 / static_cast<double>(forest.roots.size()));
    return forest;
}

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    const auto count = static_cast<std::size_t>(options.parameters.at("trees"));
    TreeBoosting boosting(set, options, executor);
    std::list<FollowedTrees> followed;
    if (options.validation != nullptr) followed.emplace_back(*options.validation, options);
    for (const TrainingSet* watched : options.watched) followed.emplace_back(*watched, options);
    ProgressGate gate(progress, "training lambdamart", "trees", count);
    TrainingResult result;
    result.objective_name = options.measure;
    result.stop_reason = "all trees grown";
    KeepBest best(static_cast<std::size_t>(options.parameters.at("patience")));
    for (std::size_t t = 0; t <= count; ++t) {
        if (t > 0) {
            if (!boosting.add_tree()) {
                result.stop_reason = "no cut gains anything";
                break;
            }
            gate.step(fmt::format("{} {:.4f}", options.measure, result.curve.back().objective));
        }
        CurvePoint point{t, boosting.measure(), {}, {}};
        bool is_validation = options.validation != nullptr;
        for (FollowedTrees& one : followed) {
            if (t > 0) one.add(boosting.forest());
            const double value = one.mean();
            if (is_validation) {
                point.validation = value;
            } else {
                point.watched.push_back(value);
            }
            is_validation = false;
        }
        if (!best.record(std::move(point), result)) break;
    }
    result.iterations = result.curve.size() - 1;
    result.function = finished(first_trees(boosting.forest(), best.kept()));
    return result;
}

}  // namespace

LearnerMethod lambdamart_method() {
    return {.parameters = {{"trees", 300, 1, 1e5, "trees at most", kWhole},
                           {"leaves", 31, 2, 65536, "leaves of a tree at most", kWhole},
                           {"leaf", 20, 1, 1e9, "fewest rows of a leaf", kWhole},
                           {"step", 0.1, 1e-6, 1, "factor of each tree"},
                           {"l2", 1, 0, 1e9, "pull of leaves towards 0"},
                           {"sample", 1, 1e-3, 1, "share of the queries that a tree learns from"},
                           {"columns", 1, 1e-3, 1, "share of the rankers that a tree sees"},
                           patience_parameter()},
            .choices = {{"monotone",
                         "none",
                         {"none", "rising"},
                         "whether a higher score of a ranker may never lower the sum"}},
            .grades = GradeUse::kByMeasure,
            .aims_at_measure = true,
            .forms = {"forest"},
            .fit = fit};
}

}  // namespace braid
