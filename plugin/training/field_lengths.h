// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// Writes down the average length of its field in the database, as it is now, in each ranker of a
/// single field whose formula has one (kAverageLength) and that doesn't bring its own: so that
/// scores stay what weights were learned from. Throws ModelMismatch where the database
/// doesn't record a field.
BRAID_API void keep_field_lengths(const Xapian::Database& database,
                                  std::vector<RankerSpec>& rankers);

}  // namespace braid
