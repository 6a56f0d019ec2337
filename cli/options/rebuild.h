// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>

#include "braid/cli/options/command.h"
#include "braid/core/model/fusion_model.h"

namespace braid::cli {

/// What a rebuild can keep of a database, or what it loses.
/// `braid index --rebuild` makes a new database; these look at the one that it replaces.

/// The installed model, if there is one. One that can't be read is a warning.
std::optional<FusionModel> former_ranking(const std::string& database, const WarningSink& warn);

/// Warns of the database's topic models, which a rebuild without topics loses.
void warn_of_lost_topics(const std::string& database, const WarningSink& warn);

/// Installs `former` in the rebuilt database in `folder`, with that one's topic models of the same
/// names, unless it has a model by now. Warns where it can't be kept, with the reason.
void keep_ranking(const std::string& folder, FusionModel former, const Session& session,
                  const WarningSink& warn);

}  // namespace braid::cli
