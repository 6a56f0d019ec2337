// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/lexical/field_weights.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/nonlinear_forms.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/model.h"

namespace braid {

std::string RankerSpec::label() const {
    if (!name.empty()) return name;
    const std::string& part = field.empty() ? topics : field;
    return part.empty() ? ranker : ranker + ":" + part;
}

// docs/algorithms/calibration.md (1)
double Calibration::probability(double score) const {
    if (!(score > scores.front())) return probabilities.front();
    if (score >= scores.back()) return probabilities.back();
    const auto above = std::upper_bound(scores.begin(), scores.end(), score);
    const auto i = static_cast<std::size_t>(above - scores.begin());
    const double part = (score - scores[i - 1]) / (scores[i] - scores[i - 1]);
    // Not above the next point by rounding.
    return std::min(probabilities[i - 1] + part * (probabilities[i] - probabilities[i - 1]),
                    probabilities[i]);
}

double Calibration::least_score(double wanted) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (wanted <= probabilities.front()) return -kInfinity;
    if (wanted > probabilities.back()) return kInfinity;
    const auto above = std::lower_bound(probabilities.begin(), probabilities.end(), wanted);
    const auto i = static_cast<std::size_t>(above - probabilities.begin());
    const double rise = probabilities[i] - probabilities[i - 1];
    double score =
        scores[i - 1] + (wanted - probabilities[i - 1]) / rise * (scores[i] - scores[i - 1]);
    score = std::clamp(score, scores[i - 1], scores[i]);
    while (score < scores[i] && probability(score) < wanted) {
        score = std::nextafter(score, kInfinity);
    }
    return score;
}

namespace {

void check_parameter(const std::string& path, const ModelRanker& ranker, const std::string& name,
                     double value) {
    std::vector<std::string> names;
    for (const ParameterInfo& info : ranker.parameters) {
        names.push_back(info.name);
        if (info.name != name) continue;
        const std::string problem = why_not_allowed(info, value);
        if (problem.empty()) return;
        throw InvalidSetting(path, "found " + problem);
    }
    throw UnknownComponent("parameter of " + ranker.name, name, names);
}

bool uses_topics(const ModelRanker& ranker) { return !ranker.topic_model.empty(); }

void check_normaliser(const FusionModel& model) {
    const Normalisation& how = model.normaliser;
    const NormaliserInfo& info = normalisers().find(how.normaliser);
    try {
        resolve_parameters(info.name, info.parameters, how.parameters);
    } catch (const Error& error) {
        throw InvalidSetting("normaliser.parameters", error.what());
    }
    if (!info.of_positions) return;
    for (const RankerSpec& spec : model.rankers) {
        if (model_rankers().find(spec.ranker).family == RankerFamily::kFeature) continue;
        throw InvalidSetting("normaliser.name",
                             fmt::format("found {}, which takes positions in lists, with the "
                                         "ranker {}, which gives scores; expected features only",
                                         info.name, shown(spec.label())));
    }
}

void check_function(const FunctionForm& function) {
    if (function.form.empty()) {
        throw InvalidSetting("function.form", "found nothing, expected the name of a form");
    }
    if (function.form == "linear" && !(function.numbers.empty() && function.names.empty())) {
        throw InvalidSetting("function",
                             "found numbers or names, expected none: the form linear has the "
                             "rankers' weights");
    }
}

// A ranker of values reads one slot, named by its field or its number.
void check_slot(const std::string& path, const RankerSpec& spec) {
    const auto slot = spec.parameters.find(kSlotParameter);
    const bool numbered = slot != spec.parameters.end() && slot->second != kNoSlotParameter;
    if (numbered && !spec.field.empty()) {
        throw InvalidSetting(path + ".field",
                             fmt::format("found {} beside a slot's number, expected one of them",
                                         shown(spec.field)));
    }
    if (!numbered && spec.field.empty()) {
        throw InvalidSetting(path + ".field",
                             fmt::format("found none, expected the field whose value slot {} "
                                         "reads, or the slot's number as parameters.slot",
                                         spec.ranker));
    }
}

// Fields that are weighed together.
void check_blend(const std::string& path, const RankerSpec& spec) {
    if (!lexical_rankers().contains(spec.ranker)) return;
    if (!lexical_rankers().find(spec.ranker).traits.blends_fields) return;
    try {
        parse_field_weights(spec.field);
    } catch (const InvalidArgument& error) {
        throw InvalidSetting(path + ".field", error.what());
    }
}

// Products of factors must be finite and above 0.
void check_factor(const std::string& path, const RankerSpec& spec) {
    if (const double times = spec.parameters.at(kTimesParameter); times < kLeastTimes) {
        throw InvalidSetting(
            path + ".parameters." + kTimesParameter,
            fmt::format("found {}, expected 0 or {} to {}", times, kLeastTimes, kMostTimes));
    }
    if (spec.weight <= kMostFactorWeight) return;
    throw InvalidSetting(path + ".weight",
                         fmt::format("ranker {}: found {}, expected 0 to {}: the factor's power",
                                     spec.label(), spec.weight, kMostFactorWeight));
}

void check_ranker(const std::string& path, const RankerSpec& spec) {
    const ModelRanker& ranker = model_rankers().find(spec.ranker);
    const bool of_value = ranker.family == RankerFamily::kValue;
    const bool of_title = ranker.family == RankerFamily::kTitle;
    const bool of_filter = ranker.family == RankerFamily::kFilter;
    const bool takes_field =
        ranker.family == RankerFamily::kLexical || of_value || of_title || of_filter;
    if (!takes_field && !spec.field.empty()) {
        throw InvalidSetting(path + ".field",
                             fmt::format("found {}, expected none: {} has topics of whole "
                                         "documents only",
                                         shown(spec.field), ranker.name));
    }
    if (ranker.family == RankerFamily::kFeature && spec.name.empty()) {
        throw InvalidSetting(path + ".name",
                             "found nothing, expected the feature's name in files, or its number");
    }
    if (of_value) check_slot(path, spec);
    if (of_title && spec.field.empty()) {
        throw InvalidSetting(path + ".field",
                             "found none, expected the field that title-exact compares");
    }
    if (of_filter && spec.field.empty()) {
        throw InvalidSetting(path + ".field",
                             "found none, expected a filter as queries have it: section:games");
    }
    check_blend(path, spec);
    if (!uses_topics(ranker) && !spec.topics.empty()) {
        throw InvalidSetting(path + ".topics",
                             fmt::format("found {}, expected none: {} uses no topic model",
                                         shown(spec.topics), ranker.name));
    }
    for (const auto& [name, value] : spec.parameters) {
        check_parameter(fmt::format("{}.parameters.{}", path, name), ranker, name, value);
    }
    if (is_factor(spec)) check_factor(path, spec);
    if (const std::string why = why_no_weight(spec.weight); !why.empty()) {
        throw InvalidSetting(path + ".weight",
                             fmt::format("ranker {}: found {}", spec.label(), why));
    }
}

}  // namespace

void validate(const FusionModel& model) {
    if (model.rankers.empty()) {
        throw InvalidSetting("rankers", "found none, expected at least one");
    }
    std::map<std::string, std::size_t> labels;
    bool any_weight = false;
    for (std::size_t i = 0; i < model.rankers.size(); ++i) {
        const RankerSpec& spec = model.rankers[i];
        const std::string path = fmt::format("rankers[{}]", i);
        check_ranker(path, spec);
        const auto [first, is_new] = labels.emplace(spec.label(), i);
        if (!is_new) {
            throw InvalidSetting(path + ".name",
                                 fmt::format("found {}, which rankers[{}] is called too; "
                                             "expected a name of its own",
                                             shown(spec.label()), first->second));
        }
        any_weight = any_weight || (spec.weight > 0 && !is_factor(spec));
    }
    check_normaliser(model);
    check_function(model.function);
    if (const std::string why = why_no_calibration(model.calibration); !why.empty()) {
        throw InvalidSetting("calibration", why);
    }
    const std::map<std::string, std::vector<double>>& numbers = model.function.numbers;
    const Calibration of_one_pass{values_of(numbers, kOnePassScores),
                                  values_of(numbers, kOnePassProbabilities)};
    if (const std::string why = why_no_calibration(of_one_pass); !why.empty()) {
        throw InvalidSetting("function.numbers", "calibration of one pass: " + why);
    }
    if (model.normaliser.missing == MissingScore::kAbsent && model.function.form != "fusion") {
        throw InvalidSetting("normaliser.missing",
                             fmt::format("found absent with a function of the form {}, expected "
                                         "one of the form fusion with it",
                                         shown(model.function.form)));
    }
    if (!any_weight) {
        throw InvalidSetting("rankers", "all weights are 0, expected at least one above");
    }
}

}  // namespace braid
