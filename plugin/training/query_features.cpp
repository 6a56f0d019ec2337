// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/query_features.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "braid/core/models/model_parts.h"

namespace braid {
namespace {

// The topic rankers that a feature `known` stands for: one of each topic model.
std::vector<std::size_t> topic_rankers(const FusionModel& model) {
    std::vector<std::size_t> result;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < model.rankers.size(); ++i) {
        const std::string topics = topic_model_of(model.rankers[i]);
        if (!topics.empty() && seen.insert(topics).second) result.push_back(i);
    }
    return result;
}

}  // namespace

std::vector<std::string> query_feature_names(const FusionModel& model) {
    std::vector<std::string> names = {"length",   "words",   "unknown", "idf-sum",
                                      "idf-mean", "idf-max", "idf-min"};
    for (const std::size_t i : topic_rankers(model)) {
        names.push_back("known:" + topic_model_of(model.rankers[i]));
    }
    return names;
}

// docs/algorithms/features.md (1)
std::vector<double> query_features(const FusionModel& model, const BagOfWords& bag,
                                   const std::vector<double>& known) {
    std::set<std::string> words;
    std::vector<double> rarities;
    for (const BagTerm& term : bag.terms) {
        if (!words.insert(term.term).second || term.documents == 0) continue;
        rarities.push_back(std::log(bag.collection.documents / term.documents));
    }
    double sum = 0;
    for (const double rarity : rarities) sum += rarity;
    const bool none = rarities.empty();
    const auto [least, most] = std::minmax_element(rarities.begin(), rarities.end());
    const auto distinct = static_cast<double>(words.size());
    const auto found = static_cast<double>(rarities.size());
    std::vector<double> features = {
        bag.length,       distinct,         distinct - found, sum, none ? 0 : sum / found,
        none ? 0 : *most, none ? 0 : *least};
    for (const std::size_t i : topic_rankers(model)) features.push_back(known[i]);
    return features;
}

}  // namespace braid
