// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/registration.h"

#include "braid/plugin/fused_weight.h"

namespace braid {

void register_all(Xapian::Registry& registry) { registry.register_weighting_scheme(FusedWeight()); }

}  // namespace braid
