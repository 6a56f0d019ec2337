// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/measured_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>
#include <variant>

#include "braid/core/eval/measures.h"
#include "braid/core/learn/losses/measure_bounds.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"

namespace braid {
namespace {

constexpr std::size_t kRecallPoints = 11;

}  // namespace

MeasuredParts MeasuredParts::of_folds(const TrainingJob& job, const TrainingSet& set,
                                      const CrossValidation& folds, Executor& executor) {
    MeasuredParts parts(job, set.queries.size(), executor);
    for (const FoldResult& fold : folds.folds) {
        parts.add(prepared_set(subset(set, fold.queries), fold.preparation), fold.queries,
                  fold.function);
    }
    return parts;
}

MeasuredParts MeasuredParts::of_set(const TrainingJob& job, const TrainingSet& set,
                                    const TrainedModel& trained, Executor& executor) {
    MeasuredParts parts(job, set.queries.size(), executor);
    std::vector<std::size_t> places(set.queries.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    parts.add(prepared_set(set, trained.preparation), std::move(places), trained.result.function);
    return parts;
}

QueryValues MeasuredParts::values(const std::string& measure) const {
    std::vector<double> sums(count_, 0);
    std::vector<std::size_t> counts(count_, 0);
    for (const Part& part : parts_) {
        const QueryValues values = measure_queries(
            part.set, part.function, measure, job_.options.judging, job_.skip_empty, executor_);
        for (std::size_t i = 0; i < values.queries.size(); ++i) {
            const std::size_t place = part.places[values.queries[i]];
            sums[place] += values.values[i];
            ++counts[place];
        }
    }
    QueryValues result;
    for (std::size_t q = 0; q < count_; ++q) {
        if (counts[q] == 0) continue;
        result.queries.push_back(q);
        result.values.push_back(sums[q] / static_cast<double>(counts[q]));
    }
    return result;
}

std::vector<double> MeasuredParts::precision(const std::vector<std::size_t>& queries) const {
    std::vector<double> sums(kRecallPoints, 0);
    std::size_t count = 0;
    std::vector<double> scores;
    for (const Part& part : parts_) {
        const TrainingMeasure measure(part.set, "map", job_.options.judging);
        const PreparedFunction function(part.function);
        for (std::size_t q = 0; q < part.places.size(); ++q) {
            if (!std::binary_search(queries.begin(), queries.end(), part.places[q])) continue;
            ++count;
            scores.resize(part.set.pool_size(q));
            function.score(part.set, q, scores);
            const std::vector<Grade> ranked = measure.ranked_grades(q, scores);
            add_interpolated_precision({ranked, measure.pool(q)}, measure.relevant_from(), sums);
        }
    }
    for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(count, 1));
    return sums;
}

std::vector<std::vector<double>> MeasuredParts::weights(
    const std::vector<std::size_t>& queries) const {
    std::vector<std::vector<double>> result(queries.size());
    for (const Part& part : parts_) {
        for (std::size_t q = 0; q < part.places.size(); ++q) {
            const auto found = std::lower_bound(queries.begin(), queries.end(), part.places[q]);
            if (found == queries.end() || *found != part.places[q]) continue;
            result[static_cast<std::size_t>(found - queries.begin())] =
                score_parts(part.function, part.set, q).weights;
        }
    }
    return result;
}

std::size_t MeasuredParts::linear() const {
    return static_cast<std::size_t>(
        std::count_if(parts_.begin(), parts_.end(),
                      [](const Part& part) { return fixed_weights(part.function) != nullptr; }));
}

MeasuredSystem measured_system(MeasuredSystem::Kind kind, const std::string& name,
                               const TrainingJob& job, const MeasuredParts& parts,
                               const std::vector<std::size_t>& queries, bool has_precision,
                               const std::vector<GradePair>& pairs) {
    MeasuredSystem system{.kind = kind, .name = name, .means = {}, .values = {}};
    for (const std::string& measure : reported_measures(job)) {
        QueryValues values = parts.values(measure);
        system.means.push_back(values.mean());
        if (system.means.size() == 1) system.values = std::move(values.values);
    }
    if (has_precision) {
        system.precision = parts.precision(queries);
        system.pair_errors = parts.pair_errors(queries, pairs);
    }
    return system;
}

// Equations are those of docs/algorithms/measure-bounds.md.

namespace {

constexpr BoundForm kForms[] = {BoundForm::kExponential, BoundForm::kLogistic, BoundForm::kHinge};

// Of one query's classes: the paper's simulation has 116,280, which takes 20 ms a model.
constexpr std::size_t kMostOrders = 120'000;
constexpr std::size_t kMostEnumerated = 200'000;  // Over all queries.
constexpr double kMostOnLine = 2e7;               // Documents times models.
constexpr std::size_t kFineLine = 500;
constexpr std::size_t kCoarseLine = 100;

// Documents of a pool by grade, best grade first.
using Classes = std::map<Grade, std::vector<double>, std::greater<>>;

Classes sorted_classes(const TrainingSet& set, std::size_t query, std::span<const double> scores) {
    Classes classes;
    const std::span<const Grade> grades = set.query_grades(query);
    for (std::size_t d = 0; d < grades.size(); ++d) {
        classes[learning_grade(grades[d])].push_back(scores[d]);
    }
    for (auto& [grade, of_grade] : classes) std::sort(of_grade.begin(), of_grade.end());
    return classes;
}

// Pairs in the wrong order; both ascending.
double wrong_pairs(const std::vector<double>& better, const std::vector<double>& worse) {
    double wrong = 0;
    for (const double score : better) {
        const auto equal = std::equal_range(worse.begin(), worse.end(), score);
        wrong += static_cast<double>(worse.end() - equal.second) +
                 static_cast<double>(equal.second - equal.first) / 2;
    }
    return wrong;
}

}  // namespace

double unequal_pairs(const TrainingSet& set, std::size_t query) {
    double pairs = 0;
    double above = 0;
    const std::vector<double> scores(set.pool_size(query), 0);
    for (const auto& [grade, documents] : sorted_classes(set, query, scores)) {
        pairs += above * static_cast<double>(documents.size());
        above += static_cast<double>(documents.size());
    }
    return pairs;
}

std::vector<GradePair> grade_pairs(const TrainingSet& set,
                                   const std::vector<std::size_t>& queries) {
    std::map<std::pair<Grade, Grade>, double, std::greater<>> counts;
    for (const std::size_t q : queries) {
        const std::vector<double> scores(set.pool_size(q), 0);
        const Classes classes = sorted_classes(set, q, scores);
        for (auto upper = classes.begin(); upper != classes.end(); ++upper) {
            for (auto lower = std::next(upper); lower != classes.end(); ++lower) {
                counts[{upper->first, lower->first}] +=
                    static_cast<double>(upper->second.size() * lower->second.size());
            }
        }
    }
    std::vector<GradePair> pairs;
    pairs.reserve(counts.size());
    for (const auto& [grades, count] : counts) {
        pairs.push_back({grades.first, grades.second, count});
    }
    return pairs;
}

std::vector<double> MeasuredParts::pair_errors(const std::vector<std::size_t>& queries,
                                               const std::vector<GradePair>& pairs) const {
    std::vector<double> wrong(pairs.size(), 0);
    std::vector<double> count(pairs.size(), 0);
    std::vector<double> scores;
    for (const Part& part : parts_) {
        for (std::size_t q = 0; q < part.places.size(); ++q) {
            if (!std::binary_search(queries.begin(), queries.end(), part.places[q])) continue;
            scores.resize(part.set.pool_size(q));
            score_pool(part.function, part.set, q, scores);
            const Classes classes = sorted_classes(part.set, q, scores);
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                const auto upper = classes.find(pairs[i].upper);
                const auto lower = classes.find(pairs[i].lower);
                if (upper == classes.end() || lower == classes.end()) continue;
                wrong[i] += wrong_pairs(upper->second, lower->second);
                count[i] += static_cast<double>(upper->second.size() * lower->second.size());
            }
        }
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) wrong[i] /= std::max(count[i], 1.0);
    return wrong;
}

namespace {

class BoundsFinder {
  public:
    BoundsFinder(const FindingsInput& input, const TrainingSet& set, Executor& executor)
        : input_(input),
          set_(set),
          executor_(executor),
          measure_(set, input.job.options.measure, input.job.options.judging) {
        const std::string& name = measure_.measure().name();
        const bool has_perfect = name == "map" || name.starts_with("ndcg");
        if (has_perfect) list_orders();
    }

    LossBounds of_all(const RankingFunction& function) const {
        LossBounds bounds;
        add_type_one(measure_.queries(), function, bounds);
        return bounds;
    }

    LossBounds enumerated(const RankingFunction& function) const {
        LossBounds bounds;
        add_type_one(listed_, function, bounds);
        std::vector<double> scores;
        for (std::size_t i = 0; i < listed_.size(); ++i) {
            scores.resize(set_.pool_size(listed_[i]));
            score_pool(function, set_, listed_[i], scores);
            for (std::size_t f = 0; f < LossBounds::kForms; ++f) {
                const auto count = static_cast<double>(listed_.size());
                bounds.two[f] += orders_[i].maximum(scores, kForms[f], PairsOf::kUnequal) / count;
                bounds.two_all_pairs[f] +=
                    orders_[i].maximum(scores, kForms[f], PairsOf::kAll) / count;
            }
        }
        return bounds;
    }

    bool has_listed() const { return !listed_.empty(); }

    TwoRankers two_rankers() const {
        TwoRankers two;
        const bool is_small = static_cast<double>(set_.rows()) * kFineLine <= kMostOnLine;
        const std::size_t steps = is_small ? kFineLine : kCoarseLine;
        const bool has_smooth = measure_.is_plain_map();
        const SmoothMeasure smooth(set_, {.beta = beta()}, input_.job.options.judging);
        for (std::size_t i = 0; i <= steps; ++i) {
            const double first = static_cast<double>(i) / static_cast<double>(steps);
            const std::vector<double> weights = {first, 1 - first};
            two.first.push_back(first);
            two.measure.push_back(measure_.mean(LinearFunction{weights}, executor_));
            if (has_smooth) two.smooth.push_back(smooth.value(weights, executor_));
        }
        if (!has_listed()) return two;
        two.circle.resize(360 / TwoRankers::kDegrees);
        executor_.run(two.circle.size(), [&](std::size_t i) {
            const double angle =
                static_cast<double>(i * TwoRankers::kDegrees) * std::numbers::pi / 180;
            two.circle[i] = enumerated(LinearFunction{{std::cos(angle), std::sin(angle)}});
        });
        return two;
    }

  private:
    double beta() const {
        const ParameterMap& given = input_.job.options.parameters;
        const auto found = given.find("beta");
        return found != given.end() ? found->second : SmoothOptions{}.beta;
    }

    void list_orders() {
        permutations_.emplace(measure_);
        std::size_t orders = 0;
        for (const std::size_t q : measure_.queries()) {
            try {
                TypeTwoBound bound(*permutations_, q, kMostOrders);
                if (orders + bound.orders() > kMostEnumerated) continue;
                orders += bound.orders();
                orders_.push_back(std::move(bound));
                listed_.push_back(q);
            } catch (const InvalidArgument&) {
                continue;  // Too many orders.
            }
        }
    }

    void add_type_one(const std::vector<std::size_t>& queries, const RankingFunction& function,
                      LossBounds& bounds) const {
        bounds.queries = queries.size();
        const auto count = static_cast<double>(std::max<std::size_t>(queries.size(), 1));
        for (const std::size_t q : queries) {
            const double value = measure_.of_query(q, function);
            bounds.loss += (1 - value) / count;
            for (std::size_t f = 0; f < LossBounds::kForms; ++f) {
                bounds.one[f] += bound_form(kForms[f], -value) / count;
            }
        }
    }

    const FindingsInput& input_;
    const TrainingSet& set_;
    Executor& executor_;
    TrainingMeasure measure_;
    std::optional<Permutations> permutations_;
    std::vector<std::size_t> listed_;
    std::vector<TypeTwoBound> orders_;  // One a query of `listed_`.
};

}  // namespace

void find_bounds(const FindingsInput& input, const TrainingSet& set, TrainingFindings& findings,
                 Executor& executor) {
    const BoundsFinder finder(input, set, executor);
    const RankingFunction& function = input.trained.result.function;
    findings.bounds = finder.of_all(function);
    if (finder.has_listed()) findings.enumerated = finder.enumerated(function);
    if (set.width() == 2) findings.two_rankers = finder.two_rankers();
}

namespace {

using Kind = MeasuredSystem::Kind;

// Means over splits may differ by this where the values do not.
constexpr double kRounding = 1e-12;

// The same job by another learner, with what of the parameters and choices that has, too.
TrainingJob counterpart_job(const TrainingJob& job, const LearnerInfo& fixed) {
    TrainingJob result = job;
    result.learner = fixed.name;
    result.follow = false;
    result.options.state.reset();
    const auto has = [](const auto& entries, const std::string& name) {
        for (const auto& entry : entries) {
            if (entry.name == name) return true;
        }
        return false;
    };
    std::erase_if(result.options.parameters,
                  [&](const auto& entry) { return !has(fixed.parameters, entry.first); });
    std::erase_if(result.options.choices,
                  [&](const auto& entry) { return !has(fixed.choices, entry.first); });
    return result;
}

struct FeatureSpread {
    double mean = 0;
    double deviation = 0;
};

FeatureSpread feature_spread(const TrainingSet& set, const std::vector<std::size_t>& queries,
                             std::size_t feature) {
    const std::size_t width = set.query_feature_names.size();
    const auto count = static_cast<double>(queries.size());
    FeatureSpread spread;
    for (const std::size_t q : queries) {
        spread.mean += set.query_features[q * width + feature] / count;
    }
    for (const std::size_t q : queries) {
        const double step = set.query_features[q * width + feature] - spread.mean;
        spread.deviation += step * step / count;
    }
    spread.deviation = std::sqrt(spread.deviation);
    return spread;
}

std::vector<AdaptiveFindings::Feature> features_of(const TrainingSet& set,
                                                   const std::vector<std::size_t>& queries,
                                                   const std::vector<double>& gains) {
    std::vector<std::size_t> helped;
    std::vector<std::size_t> harmed;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        if (gains[i] > 0) helped.push_back(queries[i]);
        if (gains[i] < 0) harmed.push_back(queries[i]);
    }
    std::vector<AdaptiveFindings::Feature> features;
    if (helped.empty() || harmed.empty()) return features;
    for (std::size_t f = 0; f < set.query_feature_names.size(); ++f) {
        const FeatureSpread all = feature_spread(set, queries, f);
        if (!(all.deviation > 0)) continue;
        const auto standard = [&](const std::vector<std::size_t>& some) {
            return (feature_spread(set, some, f).mean - all.mean) / all.deviation;
        };
        features.push_back({set.query_feature_names[f], standard(helped), standard(harmed)});
    }
    return features;
}

}  // namespace

void find_adaptive(const FindingsInput& input, const MeasuredParts& learned,
                   const std::vector<std::size_t>& queries, const TrainingSet& whole,
                   TrainingFindings& findings, Executor& executor, const Progress& progress) {
    const std::string& name = learners().find(input.job.learner).fixed_counterpart;
    if (name.empty()) return;
    const TrainingJob job = counterpart_job(input.job, learners().find(name));
    const TrainingSet& set = input.test != nullptr ? *input.test : input.train;
    const auto measure = [&](const MeasuredParts& parts) {
        return measured_system(Kind::kFixed, name, job, parts, queries, true, findings.grade_pairs);
    };
    MeasuredSystem fixed;
    if (input.folds != nullptr) {
        fixed = measure(MeasuredParts::of_folds(
            job, set,
            cross_validate(job, input.train, input.validation, input.folding, executor, progress),
            executor));
    } else {
        fixed =
            measure(MeasuredParts::of_set(job, set,
                                          train_model(job, input.trained.model.rankers, input.train,
                                                      input.validation, executor, progress),
                                          executor));
    }
    AdaptiveFindings found;
    found.fixed_learner = name;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const double value = findings.systems[0].values[i];
        if (std::abs(fixed.values[i] - value) < kRounding) fixed.values[i] = value;
    }
    const QueryValues mine = {queries, findings.systems[0].values};
    const QueryValues other = {queries, fixed.values};
    found.gain =
        compare_values(findings.measures[0], mine, {name}, {other}, input.folding.baselines)[0];
    found.fits = learned.size();
    found.kept_fixed = learned.linear();
    found.helps = findings.part != TrainingFindings::Part::kTraining && found.gain.difference > 0 &&
                  found.gain.p < 0.05;
    found.weights = learned.weights(queries);
    std::vector<double> gains;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        gains.push_back(mine.values[i] - other.values[i]);
    }
    found.features = features_of(whole, queries, gains);
    findings.systems.push_back(std::move(fixed));
    findings.adaptive = std::move(found);
}

}  // namespace braid
