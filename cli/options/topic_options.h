// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/settings/topic_settings.h"
#include "braid/indexer/topics/topic_adopter.h"

namespace braid::cli {

/// Parses "lsa:200,ldi,plsi:auto", or "auto", which is "lsa:auto". `configured` gives a model's
/// other settings by name. Throws UnknownComponent for an unknown model, InvalidArgument for
/// invalid dimensions.
std::vector<TopicSettings> parse_topics(const std::string& text,
                                        const std::vector<TopicSettings>& configured);

/// Throws InvalidArgument for a model of more dimensions than Limits::topics.
void check_dimensions(const std::vector<TopicSettings>& models, const Limits& limits);

/// The outcome for a model as one line of text.
std::string adoption_in_words(const AdoptedModel& model);

/// The same as JSON.
nlohmann::ordered_json adoption_in_json(const std::vector<AdoptedModel>& models, double seconds);

/// Installs `model` in each of `targets` (databases, or their sidecar). Throws ModelMismatch if it
/// needs a topic model that they lack, and as install_model does.
void install_ranking(const std::vector<std::string>& targets, const FusionModel& model,
                     const Session& session);

/// "1 bm25 + 10 lsa"
std::string in_words(const FusionModel& model);

}  // namespace braid::cli
