// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/model_parts.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

FusionModel part(const FusionModel& model, bool lexical) {
    FusionModel result = model;
    result.rankers.clear();
    // Nobody continues learning from a part, and parts are sent to every remote shard.
    result.provenance.learning = {};
    for (const RankerSpec& spec : model.rankers) {
        if ((family_of(spec) == RankerFamily::kLexical) == lexical) result.rankers.push_back(spec);
    }
    return result;
}

}  // namespace

RankerFamily family_of(const RankerSpec& spec) { return model_rankers().find(spec.ranker).family; }

std::string topic_model_of(const RankerSpec& spec) {
    const ModelRanker& ranker = model_rankers().find(spec.ranker);
    return spec.topics.empty() ? ranker.topic_model : spec.topics;
}

FusionModel lexical_part(const FusionModel& model) { return part(model, true); }
FusionModel source_part(const FusionModel& model) { return part(model, false); }

FusionModel field_part(const FusionModel& model, const std::string& field) {
    FusionModel result = lexical_part(model);
    std::erase_if(result.rankers, [&](const RankerSpec& spec) { return spec.field != field; });
    return result;
}

std::vector<std::string> scored_fields(const FusionModel& model) {
    std::vector<std::string> fields;
    for (const RankerSpec& spec : model.rankers) {
        if (!(spec.weight > 0) || spec.field.empty()) continue;
        if (family_of(spec) != RankerFamily::kLexical) continue;
        if (std::find(fields.begin(), fields.end(), spec.field) == fields.end()) {
            fields.push_back(spec.field);
        }
    }
    return fields;
}

std::string why_no_weight(double weight) {
    if (weight >= 0 && weight <= kMostWeight) return "";
    return fmt::format("{}, expected 0 to {}", weight, kMostWeight);
}

bool has_weight(const FusionModel& model) {
    return std::any_of(model.rankers.begin(), model.rankers.end(),
                       [](const RankerSpec& spec) { return spec.weight > 0; });
}

}  // namespace braid
