// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/learner_checks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/model/model_function.h"

namespace braid {

bool is_chosen(const ChoiceMap& choices, const std::string& pair) {
    const std::size_t sign = pair.find('=');
    const auto found = choices.find(pair.substr(0, sign));
    if (sign == std::string::npos || found == choices.end()) return false;
    const std::string allowed = "|" + pair.substr(sign + 1) + "|";
    return allowed.find("|" + found->second + "|") != std::string::npos;
}

bool needs_query_features(const LearnerInfo& info, const ChoiceMap& choices) {
    return info.needs_query_features && !is_chosen(choices, info.featureless_with);
}

std::string why_query_features(const LearnerInfo& info) {
    std::string why = info.name +
                      ": the training set has no query features, which its weights depend on "
                      "(list statistics can be added to any set)";
    if (info.featureless_with.empty()) return why;
    return fmt::format("{}; -p {} does without", why, info.featureless_with);
}

bool needs_places(const LearnerInfo& info, const ChoiceMap& choices) {
    return !info.places_with.empty() && is_chosen(choices, info.places_with);
}

std::string why_places(const LearnerInfo& info) {
    return fmt::format(
        "{}: {} needs the topic vectors of the documents, which a file of features doesn't have; a "
        "database does, where a ranker uses a topic model",
        info.name, info.places_with);
}

std::string why_not_measure(const LearnerInfo& info, const std::string& measure) {
    const std::size_t cut = measure.find('@');
    const std::string form = measure.substr(0, cut) + (cut == std::string::npos ? "" : "@k");
    const bool is_known =
        std::find(info.measures.begin(), info.measures.end(), form) != info.measures.end();
    if (info.measures.empty() || is_known) return "";
    return fmt::format("{} can't aim at the measure {}, expected {}", info.name, measure,
                       fmt::join(info.measures, ", "));
}

bool may_weigh_negatively(const LearnerInfo& info, const ChoiceMap& choices) {
    return info.may_weigh_negatively && !is_chosen(choices, info.non_negative_with);
}

namespace {

// Whether what it learns is a weighted sum or trees beside one.
bool may_add_trees(const LearnerInfo& info) {
    const auto& forms = info.forms;
    return info.choices.empty() && std::find(forms.begin(), forms.end(), "forest") != forms.end();
}

}  // namespace

std::string why_not_scaled(const LearnerInfo& info) {
    if (info.takes_scales) return "";
    return fmt::format(
        "what {} learns can't take in the scales of scores; it takes a normaliser ({}, or none for "
        "scores as they are)",
        info.name, info.normaliser);
}

std::string why_second_pass(const LearnerInfo& info, const ChoiceMap& choices,
                            const Normalisation& normaliser) {
    const bool is_sum =
        std::any_of(info.forms.begin(), info.forms.end(), [](const std::string& form) {
            return is_served(Server::kPostings, trait_of_form(form), {.query = true});
        });
    if (!is_sum) {
        return fmt::format("what {} learns is of the form {}, no sum of rankers times weights",
                           info.name, fmt::join(info.forms, " or "));
    }
    if (normaliser.normaliser != "none" && !is_served(Server::kPostings, Trait::kNormalised)) {
        return fmt::format("scores are normalised by {}, not by scale or none",
                           normaliser.normaliser);
    }
    if (is_chosen(choices, "trees=try") || may_add_trees(info)) {
        return "trees may stand beside the weights; without them the weights rank in one pass";
    }
    if (!may_weigh_negatively(info, choices)) return "";
    return fmt::format("weights of {} may be negative; -p {} keeps them from 0 up", info.name,
                       info.non_negative_with);
}

}  // namespace braid
