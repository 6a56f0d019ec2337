// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/settings/analysis_settings.h"
#include "braid/plugin/ranking/source_ranking.h"

namespace braid {

/// The value slot that a ranker of values reads: that of its field, or the one of its parameter.
/// Throws ModelMismatch for a field that isn't in `fields` or has no slot.
Xapian::valueno value_slot(const RankerSpec& spec, const std::vector<FieldSettings>& fields);

/// A ranker of values, ready for documents. `now` as in ValuePrior.
SourcePart value_part(const RankerSpec& spec, Xapian::valueno slot, double now,
                      const Xapian::Database& database);

/// Why a document with that value scores as it does, or "".
std::string value_note(const SourcePart& part, const std::string& value);

}  // namespace braid
