// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/registry.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/eval/measure.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/model/fusion.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/normalisers.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"

namespace braid {
namespace {

void check_useful(const LearnerInfo& info, const TrainingSet& set, Grade relevant_from) {
    const TrainingCounts counts = training_counts(set, relevant_from);
    if (counts.judged_queries == 0) {
        throw InvalidArgument(
            fmt::format("{}: none of the {} queries is judged, expected "
                        "at least one (uns-enm learns without judgements)",
                        info.name, counts.queries));
    }
    if (counts.useful_queries > 0) return;
    throw InvalidArgument(fmt::format(
        "{}: none of the {} judged queries can be learned from: {} have no document of grade {} "
        "or above, {} have them all outside the pool, {} have nothing else in it",
        info.name, counts.judged_queries, counts.without_relevant, relevant_from,
        counts.relevant_unpooled, counts.without_irrelevant));
}

void check_validation(const LearnerInfo& info, const TrainingSet& set,
                      const LearnerOptions& options) {
    const TrainingSet& validation = *options.validation;
    validate(validation);
    if (validation.rankers != set.rankers) {
        throw InvalidArgument(info.name +
                              ": the validation set has other rankers than the training set");
    }
    if (training_counts(validation, options.judging.relevant_from).useful_queries == 0) {
        throw InvalidArgument(
            fmt::format("{}: none of the {} validation queries has a relevant "
                        "document and another beside it",
                        info.name, validation.queries.size()));
    }
}

void check_watched(const LearnerInfo& info, const TrainingSet& set, const LearnerOptions& options) {
    for (const TrainingSet* watched : options.watched) {
        validate(*watched);
        if (watched->rankers == set.rankers) continue;
        throw InvalidArgument(info.name +
                              ": a watched set has other rankers than the training set");
    }
}

void check_anchor(const TrainingSet& set, const LearnerOptions& options) {
    if (options.anchor.empty()) return;
    if (options.anchor.size() != set.width()) {
        throw InvalidArgument(
            fmt::format("{} weights of an anchor for {} rankers, expected one each",
                        options.anchor.size(), set.width()));
    }
    double sum = 0;
    for (const double weight : options.anchor) {
        if (!(weight >= 0)) {
            throw InvalidArgument(
                fmt::format("a weight of the anchor is {}, expected a number from 0 up", weight));
        }
        sum += weight;
    }
    if (std::abs(sum - 1) > 1e-9) {
        throw InvalidArgument(fmt::format("the anchor's weights sum to {}, expected 1", sum));
    }
}

// What learners do that pass through no other functions than their result.
void watch_result(const LearnerOptions& options, TrainingResult& result) {
    if (options.watched.empty() || result.curve.empty()) return;
    CurvePoint& last = result.curve.back();
    if (last.watched.empty()) last.watched = CurveWatch(options).measure(result.function);
}

struct LearnerRow {
    const char* name;
    LearnerMethod (*method)();
    const char* summary;
    const char* source;  // The paper; "" for Braid's own.
};

constexpr LearnerRow kLearners[] = {
    {"auto", auto_method, "a quick learner and how much of it to keep, chosen by held-out queries",
     ""},
    {"anchored", anchored_method, "listnet with a penalty for leaving the anchor", ""},
    {"uniform", uniform_method, "the same weight for every ranker",
     "Wang, Lee, Choi 2016 (UniEnM)"},
    {"mixed", mixed_method, "listnet's weights, and trees beside them where held-out queries gain",
     ""},
    {"enm-b", enm_b_method, "boosting: adds rankers that do well where the ensemble does badly",
     "Wang, Lee, Choi 2016 (EnM.B)"},
    {"genm-bat", genm_bat_method, "Newton's method on a smooth measure, from many starts",
     "Wang, Choi, Liu 2017 (gEnM.BAT)"},
    {"genm-on", genm_on_method,
     "gradient ascent on a smooth measure, one query at a time; resumable",
     "Wang, Choi, Liu 2017 (gEnM.ON)"},
    {"genm-ip", genm_ip_method, "interior point method on a smooth measure, weights from 0 up to 1",
     "Wang, Choi, Liu 2017 (gEnM.IP)"},
    {"uns-enm", uns_enm_method, "without judgements: each ranker's best documents teach the others",
     "Wang, Choi, Liu 2017 (UnsEnM)"},
    {"coordinate", coordinate_method,
     "exact line searches on the measure itself, along rankers and random directions", ""},
    {"adarank", adarank_method,
     "boosting: adds rankers that do well on queries the ensemble ranks badly",
     "Xu, Li, Liu, Peng, Lu, Ma (AdaRank)"},
    {"ranksvm", ranksvm_method, "ranking SVM: orders pairs of documents of unequal grades",
     "Joachims 2002; Cao, Xu, Liu, Li, Huang, Hon 2006"},
    {"svm-map", svm_map_method, "structural SVM for average precision",
     "Yue, Finley, Radlinski, Joachims 2007"},
    {"svm-ndcg", svm_ndcg_method, "structural SVM for ndcg, one threshold of the grades at a time",
     "after Yue, Finley, Radlinski, Joachims 2007"},
    {"permurank", permurank_method,
     "perfect rankings above imperfect ones, by their loss of map or ndcg",
     "Xu, Li, Liu, Peng, Lu, Ma (PermuRank)"},
    {"listnet", listnet_method,
     "top-one probabilities: the softmax of scores close to the softmax of grades",
     "Cao, Qin, Liu, Tsai, Li 2007"},
    {"listmle", listmle_method, "Plackett-Luce likelihood of rankings sorted by grade",
     "Xia, Liu, Wang, Zhang, Li 2008"},
    {"rankboost", rankboost_method, "boosting: adds thresholds on single rankers that order pairs",
     "Freund, Iyer, Schapire, Singer 2003"},
    {"lambdamart", lambdamart_method, "boosted trees by the gradient of any measure (LambdaRank)",
     "Burges 2010"},
    {"mhr-bc", mhr_bc_method,
     "a ranking SVM for each pair of grades, on their documents; the SVMs vote",
     "Qin, Zhang, Wang, Liu, Lai, Li 2007 (multiple hyperplane ranker)"},
    {"wep", wep_method, "the logistic loss of pairs", "Liu, Du, Wu 2023 (aWELv, ablations)"},
    {"wel", wel_method, "the Plackett-Luce loss of graded lists",
     "Liu, Du, Wu 2023 (aWELv, ablations)"},
    {"welv", welv_method, "wel, with a reward for diverse rankers",
     "Liu, Du, Wu 2023 (aWELv, ablations)"},
    {"awel", awel_method, "weights from the query's features, by wel's loss",
     "Liu, Du, Wu 2023 (aWELv)"},
    {"awelv", awelv_method, "awel, with a reward for diverse rankers", "Liu, Du, Wu 2023 (aWELv)"},
    {"ser", ser_method, "a margin per query for how well orders fit the grades", "Hoi, Jin 2008"},
    {"sser", sser_method, "ser, with similar scores for similar documents of a query",
     "Hoi, Jin 2008"},
    {"convexds", convexds_method, "least squares of relevance, with sparsity and diversity",
     "Yin, Huang, Yang, Hao 2014"},
    {"aem", aem_method, "softmax weights from the query's features, with a pointwise loss",
     "Liu et al. 2019 (AEM)"},
    {"bagging-reg", bagging_reg_method, "mean of regression trees, each on a random sample of rows",
     "Breiman 1996"},
    {"adaboost-reg", adaboost_reg_method,
     "median of regression trees, each for the errors of those before",
     "Drucker 1997 (AdaBoost.R2)"},
};

Registry<LearnerInfo> make_registry() {
    std::vector<LearnerInfo> entries;
    for (const LearnerRow& row : kLearners) {
        entries.push_back({row.method(), row.name, row.summary, row.source});
    }
    return {"learner", std::move(entries)};
}

template <typename Entries>
std::vector<ComponentInfo> infos_of(const Entries& registry) {
    std::vector<ComponentInfo> result;
    for (const auto& entry : registry) {
        ComponentInfo info{entry.name, entry.summary};
        if constexpr (requires { entry.parameters; }) info.parameters = entry.parameters;
        if constexpr (requires { entry.choices; }) info.choices = entry.choices;
        result.push_back(std::move(info));
    }
    return result;
}

}  // namespace

const Registry<LearnerInfo>& learners() {
    static const Registry<LearnerInfo> registry = make_registry();
    return registry;
}

LearnerOptions resolve_options(const LearnerInfo& info, const LearnerOptions& options) {
    LearnerOptions resolved = options;
    const std::vector<double> values =
        resolve_parameters(info.name, info.parameters, options.parameters);
    resolved.choices = resolve_choices(info.name, info.choices, options.choices);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const ParameterInfo& parameter = info.parameters[i];
        const bool is_given = options.parameters.count(parameter.name) > 0;
        if (is_given && values[i] != parameter.default_value && !parameter.only_with.empty() &&
            !is_chosen(resolved.choices, parameter.only_with)) {
            throw InvalidArgument(fmt::format("{}: {} is read with {} only", info.name,
                                              parameter.name, parameter.only_with));
        }
        resolved.parameters[parameter.name] = values[i];
    }
    return resolved;
}

TrainingResult fit_learner(const std::string& learner, const TrainingSet& set,
                           const LearnerOptions& options, Executor& executor,
                           const Progress& progress) {
    const LearnerInfo& info = learners().find(learner);
    const LearnerOptions resolved = resolve_options(info, options);
    make_measure(options.measure, options.judging);
    validate(set);
    if (const std::string why = why_too_large(set, kLargestLearnedScore); !why.empty()) {
        throw InvalidArgument(
            fmt::format("{}: {}; normalise the scores ({})", info.name, why, info.normaliser));
    }
    if (info.needs_judgements) check_useful(info, set, options.judging.relevant_from);
    if (needs_query_features(info, resolved.choices) && set.query_feature_names.empty()) {
        throw InvalidArgument(why_query_features(info));
    }
    if (needs_places(info, resolved.choices) && set.places.empty()) {
        throw InvalidArgument(why_places(info));
    }
    if (options.validation != nullptr) check_validation(info, set, options);
    check_watched(info, set, options);
    check_anchor(set, options);
    if (options.state && !info.resumable) {
        throw InvalidArgument(learner + " can't go on from a state, it always learns anew");
    }
    TrainingResult result = info.fit(set, resolved, executor, progress);
    watch_result(options, result);
    std::vector<std::string> warnings = oddities(set, options.judging.relevant_from);
    result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
    return result;
}

std::vector<ComponentInfo> components(Family family) {
    switch (family) {
        case Family::kRankers:
            return infos_of(model_rankers());
        case Family::kNormalisers:
            return infos_of(normalisers());
        case Family::kFusionMethods:
            return infos_of(fusion_methods());
        case Family::kTopicModels:
            return infos_of(topic_models());
        case Family::kLearners:
            return infos_of(learners());
        case Family::kMeasures:
            return infos_of(measures());
    }
    throw InvalidArgument("not a family of components");
}

}  // namespace braid
