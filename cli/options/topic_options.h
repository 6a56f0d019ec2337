// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/adopt.h"
#include "braid/cli/options/command.h"
#include "braid/database.h"
#include "braid/model.h"
#include "braid/topics.h"

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
/// needs a topic model that they lack, and as install_model does. `record` says by what.
void install_ranking(const std::vector<std::string>& targets, const FusionModel& model,
                     const InstalledModel& record, const Session& session);

/// "1 bm25 + 10 lsa"
std::string in_words(const FusionModel& model);

/// `braid index --rebuild` makes a new database; these functions read the old one and keep what
/// they can.

/// The installed models, if any; the last one ranks. Warns if they can't be read.
std::vector<InstalledModel> former_rankings(const std::string& database, const WarningSink& warn);

/// Warns that a rebuild without topics loses the database's topic models.
void warn_of_lost_topics(const std::string& database, const WarningSink& warn);

/// Installs the last of `former`, with the list, in the rebuilt database in `folder`, with that
/// database's topic models of the same names, unless it already has a model. Warns with the reason
/// if that fails.
void keep_ranking(const std::string& folder, std::vector<InstalledModel> former,
                  const Session& session, const WarningSink& warn);

}  // namespace braid::cli
