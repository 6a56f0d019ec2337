// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/training_findings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "braid/core/learn/job/measured_parts.h"
#include "braid/core/learn/losses/list_loss.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"

namespace braid {
namespace {

using Kind = MeasuredSystem::Kind;
using Part = TrainingFindings::Part;

// Weights of one number can sum to 0 but for rounding.
constexpr double kNoSum = 1e-9;

TrainedModel with_function(const TrainedModel& trained, RankingFunction function) {
    TrainedModel result;
    result.preparation = trained.preparation;
    result.result.function = std::move(function);
    return result;
}

std::vector<double> scaled(std::vector<double> weights, double scale) {
    for (double& weight : weights) weight *= scale;
    return weights;
}

bool have_sum(const std::vector<double>& weights) {
    return std::abs(std::accumulate(weights.begin(), weights.end(), 0.0)) > kNoSum;
}

LossTerms terms_of(const LossDecomposition& parts) {
    return {.ensemble = parts.ensemble,
            .rankers = parts.rankers,
            .ambiguity = parts.ambiguity,
            .weight_sum = parts.weight_sum,
            .sum_term = (1 / parts.weight_sum - 1) * parts.slope,
            .diversity = parts.diversity,
            .queries = parts.queries};
}

class Finder {
  public:
    Finder(const FindingsInput& input, Executor& executor, const Progress& progress)
        : input_(input),
          executor_(executor),
          progress_(progress),
          set_(input.test != nullptr ? *input.test : input.train),
          whole_(prepared_set(set_, input.trained.preparation)),
          anchor_(prepared_weights(input.job.anchor, set_, whole_)) {
        found_.part = input.folds != nullptr  ? Part::kFolds
                      : input.test != nullptr ? Part::kTest
                                              : Part::kTraining;
        found_.measures = reported_measures(input.job);
    }

    TrainingFindings find() {
        if (is_judged()) {
            measure();
            take_losses_apart();
            find_bounds(input_, whole_, found_, executor_);
        }
        map();
        return std::move(found_);
    }

  private:
    bool is_judged() const {
        const auto judged = [](Grade grade) { return grade != kUnjudged; };
        return std::any_of(set_.grades.begin(), set_.grades.end(), judged);
    }

    void measure() {
        const MeasuredParts parts =
            input_.folds != nullptr
                ? MeasuredParts::of_folds(input_.job, set_, *input_.folds, executor_)
                : MeasuredParts::of_set(input_.job, set_, input_.trained, executor_);
        const QueryValues learned = parts.values(found_.measures[0]);
        queries_ = learned.queries;
        describe_queries();
        found_.systems.push_back(measured_system(Kind::kLearned, "learned", input_.job, parts,
                                                 queries_, true, found_.grade_pairs));
        add_baselines();
        found_.baselines = input_.folds != nullptr
                               ? input_.folds->baselines
                               : compare_with_baselines(input_.job, whole_, anchor_, learned,
                                                        input_.folding.baselines, executor_);
        find_adaptive(input_, parts, queries_, whole_, found_, executor_, progress_);
        if (input_.oracle != nullptr) add_oracle(*input_.oracle);
    }

    void describe_queries() {
        const TrainingMeasure measure(set_, "map", input_.job.options.judging);
        for (const std::size_t q : queries_) {
            found_.queries.push_back(set_.queries[q]);
            found_.documents.push_back(set_.pool_size(q));
            found_.relevant.push_back(measure.pool(q).count_from(measure.relevant_from()));
            found_.unequal_pairs.push_back(unequal_pairs(set_, q));
        }
        found_.grade_pairs = grade_pairs(set_, queries_);
    }

    // By weights that know no judgements: one set of all, with the scales of all.
    MeasuredSystem baseline(Kind kind, const std::string& name, std::vector<double> weights,
                            bool has_precision) {
        const TrainedModel model =
            with_function(input_.trained, LinearFunction{std::move(weights)});
        return measured_system(kind, name, input_.job,
                               MeasuredParts::of_set(input_.job, set_, model, executor_), queries_,
                               has_precision, found_.grade_pairs);
    }

    std::vector<double> alone(std::size_t ranker) const {
        std::vector<double> weights(set_.width(), 0);
        weights[ranker] = 1;
        return weights;
    }

    void add_baselines() {
        const std::size_t width = set_.width();
        if (!anchor_.empty()) {
            found_.systems.push_back(baseline(Kind::kBefore, "as before", anchor_, true));
        }
        found_.systems.push_back(
            baseline(Kind::kUniform, "uniform",
                     std::vector<double>(width, 1 / static_cast<double>(width)), true));
        const auto before = static_cast<std::ptrdiff_t>(found_.systems.size());
        for (std::size_t k = 0; k < width; ++k) {
            found_.systems.push_back(baseline(Kind::kSingle, set_.rankers[k], alone(k), false));
        }
        const auto first = found_.systems.begin() + before;
        const auto best = std::max_element(
            first, found_.systems.end(), [](auto& a, auto& b) { return a.means[0] < b.means[0]; });
        found_.best_single = static_cast<std::size_t>(best - found_.systems.begin());
        *best = baseline(Kind::kSingle, best->name, alone(static_cast<std::size_t>(best - first)),
                         true);
    }

    void add_oracle(const QueryOracle& oracle) {
        MeasuredSystem system{.kind = Kind::kOracle, .name = "oracle", .means = {}, .values = {}};
        const RankingFunction any = LinearFunction{alone(0)};
        for (const std::string& name : found_.measures) {
            const TrainingMeasure measure(whole_, name, input_.job.options.judging);
            QueryValues values = measure_queries(whole_, any, name, input_.job.options.judging,
                                                 input_.job.skip_empty, executor_);
            for (std::size_t i = 0; i < values.queries.size(); ++i) {
                const std::size_t q = values.queries[i];
                const auto at = std::lower_bound(oracle.queries.begin(), oracle.queries.end(), q);
                const bool has = at != oracle.queries.end() && *at == q && measure.counts(q);
                const auto place = static_cast<std::size_t>(at - oracle.queries.begin());
                values.values[i] =
                    has ? measure.of_query(q, LinearFunction{oracle.weights[place]}) : 0;
            }
            system.means.push_back(values.mean());
            if (system.means.size() == 1) system.values = std::move(values.values);
        }
        found_.systems.push_back(std::move(system));
    }

    double interpolation() const {
        const ParameterMap& given = input_.job.options.parameters;
        const auto found = given.find("interpolation");
        return found != given.end() ? found->second : 0.5;
    }

    void take_losses_apart() {
        const std::size_t width = set_.width();
        const std::vector<double> uniform(width, 1 / static_cast<double>(width));
        found_.uniform_loss = terms_of(decompose_loss(whole_, uniform, interpolation()));
        const RankingFunction& function = input_.trained.result.function;
        const std::vector<double>* weights = fixed_weights(function);
        if (weights == nullptr) {
            found_.loss = by_query(function);
        } else if (have_sum(*weights)) {
            found_.loss = terms_of(decompose_loss(
                whole_, scaled(*weights, input_.trained.result.scale), interpolation()));
        }
    }

    // Each query by its own weights; the mean over those whose weights don't sum to 0.
    std::optional<LossTerms> by_query(const RankingFunction& function) const {
        LossTerms sum;
        for (std::size_t q = 0; q < whole_.queries.size(); ++q) {
            const std::vector<double> weights =
                scaled(score_parts(function, whole_, q).weights, input_.trained.result.scale);
            if (weights.empty() || !have_sum(weights)) continue;
            const std::size_t one[] = {q};
            const LossTerms terms =
                terms_of(decompose_loss(subset(whole_, one), weights, interpolation()));
            if (terms.queries == 0) continue;
            const auto count = static_cast<double>(++sum.queries);
            for (double LossTerms::*term :
                 {&LossTerms::ensemble, &LossTerms::rankers, &LossTerms::ambiguity,
                  &LossTerms::weight_sum, &LossTerms::sum_term, &LossTerms::diversity}) {
                sum.*term += (terms.*term - sum.*term) / count;
            }
        }
        if (sum.queries == 0) return std::nullopt;
        return sum;
    }

    void map() {
        const std::size_t width = whole_.width();
        TrainingSet with = whole_;
        std::string name = "learned";
        while (std::find(with.rankers.begin(), with.rankers.end(), name) != with.rankers.end()) {
            name += "*";
        }
        with.rankers.push_back(name);
        with.scores.clear();
        with.bounds.clear();
        const PreparedFunction learned(input_.trained.result.function);
        for (std::size_t q = 0; q < whole_.queries.size(); ++q) {
            std::vector<double> scores(whole_.pool_size(q));
            learned.score(whole_, q, scores);
            for (std::size_t d = 0; d < scores.size(); ++d) {
                const std::span<const double> row = whole_.row(whole_.query_begin[q] + d);
                with.scores.insert(with.scores.end(), row.begin(), row.begin() + width);
                with.scores.push_back(scores[d]);
            }
        }
        found_.mapped = with.rankers;
        found_.distances = ranker_distances(with, found_.depth);
        found_.map = map_rankers(found_.distances);
    }

    const FindingsInput& input_;
    Executor& executor_;
    const Progress& progress_;
    const TrainingSet& set_;
    TrainingSet whole_;
    std::vector<double> anchor_;
    std::vector<std::size_t> queries_;
    TrainingFindings found_;
};

}  // namespace

TrainingFindings find_out(const FindingsInput& input, Executor& executor,
                          const Progress& progress) {
    return Finder(input, executor, progress).find();
}

}  // namespace braid
