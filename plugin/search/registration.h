// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// Registers Braid's classes, as a server of remote databases needs. Programs that only search,
/// locally or through such a server, don't need it.
BRAID_API void register_all(Xapian::Registry& registry);

}  // namespace braid
