// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// Makes `model` the one that each of the databases is ranked by where nothing else is asked for
/// (plugin/store/model_store.h). All are opened before one is written to; the lock of another
/// writer is waited for, a minute at most. Throws Error and DatabaseLocked as open_for_writing
/// does, and as store_fusion_model; nothing is changed then.
BRAID_API void install_model(const std::vector<std::string>& databases, const FusionModel& model);

/// Whether that would work, as far as can be known before there is a model: throws Error and, where
/// another writer keeps the lock for 15 seconds, DatabaseLocked; changes nothing.
BRAID_API void check_installable(const std::vector<std::string>& databases);

}  // namespace braid
