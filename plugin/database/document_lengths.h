// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/export.h"

namespace braid {

/// A query that matches and scores the same, in which no value range hides documents' lengths.
///
/// Where a value range leads a conjunction, which Xapian decides by its estimates, Xapian 1.4 tells
/// Weight::get_sumextra that the document has length 0 (ValueRangePostList::get_doclength), and
/// the document part of a language model is lost. Each range R is therefore replaced by
/// `all documents AND NOT (all documents AND NOT R)`, which has lengths; a range is then read from
/// the start up to the last document looked at, instead of at the candidates alone.
///
/// What is below OP_SCALE_WEIGHT stays as it is, since Xapian doesn't tell the factor. Searcher
/// does this by itself where the model needs it.
BRAID_API Xapian::Query keep_document_lengths(const Xapian::Query& query);

}  // namespace braid
