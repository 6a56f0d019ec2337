// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>

#include "braid/cli/options/command.h"
#include "braid/core/model/fusion_model.h"

namespace braid::cli {

/// `braid index --rebuild` makes a new database; these functions read the old one and keep what
/// they can.

/// The installed model, if any. Warns if it can't be read.
std::optional<FusionModel> former_ranking(const std::string& database, const WarningSink& warn);

/// Warns that a rebuild without topics loses the database's topic models.
void warn_of_lost_topics(const std::string& database, const WarningSink& warn);

/// Installs `former` in the rebuilt database in `folder`, with that database's topic models of the
/// same names, unless it already has a model. Warns with the reason if that fails.
void keep_ranking(const std::string& folder, FusionModel former, const Session& session,
                  const WarningSink& warn);

}  // namespace braid::cli
