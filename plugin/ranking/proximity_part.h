// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/model.h"
#include "braid/plugin/query/proximity_query.h"
#include "braid/plugin/ranking/source_ranking.h"

namespace braid {

/// A ranker of words' places, ready for documents: for FusedSource, and as a source beside others.
/// Throws ModelMismatch for a database without positions.
SourcePart proximity_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Xapian::Query& text, WordForms& forms);

}  // namespace braid
