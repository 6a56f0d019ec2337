// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/database.h"
#include "braid/model.h"

namespace braid::cli {

/// A ranking that `braid adopt --install` may install.
struct RankingCandidate {
    std::string name;  ///< A preset or a file.
    FusionModel model;
};

/// What `braid adopt --install` was asked for.
struct InstallRequest {
    SearchPaths paths;
    std::vector<RankingCandidate> candidates;  ///< The best that one hopes for first.
    bool force = false;                        ///< The first, unmeasured.
    std::size_t threads = 0;
};

/// Installs the first candidate that finds the database's own known items no worse than what ranks
/// today (docs/algorithms/known-items.md), in the sidecar where there is one. Notes all figures;
/// the result has them, too. Throws Error where it installs none.
nlohmann::ordered_json install_by_evidence(const InstallRequest& request, Session& session);

}  // namespace braid::cli
