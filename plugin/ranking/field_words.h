// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <xapian.h>

#include "braid/plugin/database/field_collections.h"
#include "braid/plugin/ranking/counted_words.h"

namespace braid {

/// The same words in one field of a pool's documents: a word counts there as often as the field has
/// it, in the documents in which it scores itself. Words that other fields have, or that count as
/// one, are left out. Not installed.
CountedWords words_in_field(const Xapian::Database& database, const CountedWords& words,
                            const FieldCollection& field, PoolPostings& postings);

/// The query's length in them.
double length_of(const CountedWords& words);

}  // namespace braid
