// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// Installs `model` in each of the databases (plugin/store/settings_store.h). Opens all before
/// writing to one, and waits up to a minute for another writer's lock. Throws Error and
/// DatabaseLocked as open_for_writing does, and as store_fusion_model does; changes nothing then.
BRAID_API void install_model(const std::vector<std::string>& databases, const FusionModel& model);

/// Checks that installing can work, before a model exists: throws Error and, if another writer
/// keeps the lock for 15 seconds, DatabaseLocked. Changes nothing.
BRAID_API void check_installable(const std::vector<std::string>& databases);

}  // namespace braid
