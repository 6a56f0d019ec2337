// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/topic_settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"
#include "braid/core/topics/topic_models.h"

namespace braid {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

void check_range(const std::string& path, std::size_t value, std::size_t maximum) {
    if (value > maximum) {
        throw InvalidSetting(path, fmt::format("found {}, expected at most {}", value, maximum));
    }
}

}  // namespace

TopicOptions TopicSettings::options() const {
    return {.dimensions = dimensions, .seed = seed, .parameters = parameters, .choices = choices};
}

std::string TopicSettings::label() const { return name.empty() ? model : name; }

void validate(const TopicSettings& settings) {
    try {
        complete_options(settings.model, settings.options());
    } catch (const UnknownComponent&) {
        throw;
    } catch (const InvalidArgument& error) {
        throw InvalidSetting("parameters", error.what());
    }
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
