// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/model.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/query/proximity_query.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/settings.h"

namespace braid {

// Rankers of what a document is, apart from the topics of its text: its values, filters that it
// matches, the words of a field. `settings` are those of the database. Sources have the factors.

/// The value slot that a ranker of values reads: that of its field, or the one of its parameter.
/// Throws ModelMismatch for a field that isn't in `fields` or has no slot.
Xapian::valueno value_slot(const RankerSpec& spec, const std::vector<FieldSettings>& fields);

/// A ranker of values, ready for documents. `now` as in ValuePrior.
SourcePart value_part(const RankerSpec& spec, Xapian::valueno slot, double now,
                      const Xapian::Database& database, const std::vector<ScoreFactor>& factors);

/// Why a document with that value scores as it does, or "".
std::string value_note(const SourcePart& part, const std::string& value);

/// What the ranker `filter` looks for. Throws ModelMismatch for a filter that QueryParser doesn't
/// take, or that names a field which there isn't.
Xapian::Query filter_of(const RankerSpec& spec, const IndexSettings& settings,
                        const Xapian::Database& database);

/// The ranker `filter`.
SourcePart filter_part(const RankerSpec& spec, const Xapian::Query& filter,
                       const Xapian::Database& database, const std::vector<ScoreFactor>& factors);

/// The ranker title-exact; stop words of `settings` are resolved. Throws ModelMismatch for a field
/// that there isn't, that has no prefix, or whose words have no positions. One that no document has
/// is a doubt.
SourcePart title_part(const RankerSpec& spec, const Xapian::Query& text,
                      const IndexSettings& settings, const Xapian::Database& database,
                      const std::vector<ScoreFactor>& factors);

/// A ranker of values as a factor (is_factor). Throws as value_slot does.
ScoreFactor value_factor(const RankerSpec& spec, const IndexSettings& settings, double now);
ScoreFactor filter_factor(const RankerSpec& spec, const Xapian::Query& filter);

/// A factor as a part, which has no source of its own and whose value is the factor's v.
SourcePart factor_part(const RankerSpec& spec, const ScoreFactor& factor,
                       const Xapian::Database& database);

/// A ranker of word positions, ready for documents: for FusedSource, and as a source beside others.
/// Throws ModelMismatch for a database without positions.
SourcePart proximity_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Xapian::Query& text, WordForms& forms);

/// The words of a query that any document has, as an AND of them.
BagOfWords all_words_of(BagOfWords bag);

/// The ranker all-words, ready for documents: docs/algorithms/all-words.md. Its source has the
/// factors, and is a FusedSource of an AND of the words, which reads `postings` from memory where
/// they aren't null.
SourcePart all_words_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Xapian::Query& text, const std::vector<ScoreFactor>& factors,
                          const std::shared_ptr<PostingTables>& postings);

}  // namespace braid
