// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/topic_settings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/settings/invalid_setting.h"
#include "braid/core/text.h"
#include "braid/core/topics/topic_models.h"

namespace braid {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

void check_parameter(const TopicModelInfo& model, const std::string& name, double value) {
    std::vector<std::string> names;
    for (const ParameterInfo& info : model.parameters) {
        names.push_back(info.name);
        if (info.name != name) continue;
        if (std::isfinite(value) && value >= info.minimum && value <= info.maximum) return;
        throw InvalidSetting("parameters." + name, fmt::format("found {}, expected {} to {}", value,
                                                               info.minimum, info.maximum));
    }
    throw UnknownComponent("parameter of " + model.name, name, names);
}

void check_choice(const TopicModelInfo& model, const std::string& name, const std::string& value) {
    std::vector<std::string> names;
    for (const ChoiceInfo& info : model.choices) {
        names.push_back(info.name);
        if (info.name != name) continue;
        if (std::find(info.values.begin(), info.values.end(), value) != info.values.end()) return;
        throw UnknownComponent(name + " of " + model.name, value, info.values);
    }
    throw UnknownComponent("choice of " + model.name, name, names);
}

void check_range(const std::string& path, std::size_t value, std::size_t maximum) {
    if (value > maximum) {
        throw InvalidSetting(path, fmt::format("found {}, expected at most {}", value, maximum));
    }
}

}  // namespace

std::string TopicSettings::label() const { return name.empty() ? model : name; }

void validate(const TopicSettings& settings) {
    const TopicModelInfo& model = topic_models().find(settings.model);
    for (const auto& [name, value] : settings.parameters) check_parameter(model, name, value);
    for (const auto& [name, value] : settings.choices) check_choice(model, name, value);
    const bool printable = std::all_of(settings.name.begin(), settings.name.end(),
                                       [](char c) { return c > ' ' && c < '\x7f'; });
    if (!printable || settings.name.size() > kMaxNameBytes) {
        throw InvalidSetting("name", "found " + shown(settings.name) +
                                         ", expected at most 64 characters without blanks");
    }
    check_range("dimensions", settings.dimensions, TopicSettings::kMaxDimensions);
    check_range("clusters", settings.clusters, TopicSettings::kMaxClusters);
    if (!(settings.max_document_share > 0 && settings.max_document_share <= 1)) {
        throw InvalidSetting("max_document_share", fmt::format("found {}, expected over 0, up to 1",
                                                               settings.max_document_share));
    }
}

}  // namespace braid
