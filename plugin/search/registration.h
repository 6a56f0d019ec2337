// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// Makes Braid's classes known to a registry, as a server of remote databases needs it. A program
/// that only searches, locally or through such a server, doesn't.
BRAID_API void register_all(Xapian::Registry& registry);

}  // namespace braid
