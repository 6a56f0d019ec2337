// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// The one place that turns settings into Xapian's analysers, so that documents, queries and
/// training see the same words.

/// Throws UnknownComponent for a language that Xapian doesn't have; "none" is a stemmer that
/// changes nothing.
BRAID_API Xapian::Stem make_stemmer(const AnalysisSettings& analysis);

/// The stemmer of a query's words: none where the database has no stems.
BRAID_API Xapian::Stem make_query_stemmer(const AnalysisSettings& analysis);

/// The words of analysis.stop_list or, where that is empty, what analysis.stop_words names (see
/// load_stop_words); nullptr if that is no word at all. A listed word is taken as Xapian takes
/// words from text: lower case, ' for a curly apostrophe. Throws InvalidArgument for an entry that
/// isn't one word in Xapian's eyes ("e-mail"), since it could never stop anything.
BRAID_API std::unique_ptr<Xapian::Stopper> make_stopper(const AnalysisSettings& analysis);

/// The longest word, in bytes, that is indexed under `prefix`: analysis.max_word_length, or less
/// where prefix and word would be too long for a term.
BRAID_API unsigned longest_word(const AnalysisSettings& analysis, const std::string& prefix);

/// Sets stemmer, stemming strategy, stop words (see AnalysisSettings::stop_documents), word length
/// and whether words go to the spelling list of the database that the caller then sets. Borrows
/// `stopper`, which may be nullptr and must outlive the generator's use.
BRAID_API void configure(Xapian::TermGenerator& generator, const AnalysisSettings& analysis,
                         const Xapian::Stopper* stopper);

/// Sets stemmer, stemming strategy and stop words, and for each field: `name:word` for its prefix,
/// a boolean filter where it is exact, a range `name:from..to` where it has a value slot. Borrows
/// `stopper`, which may be nullptr and must outlive the parser's use.
BRAID_API void configure(Xapian::QueryParser& parser, const IndexSettings& settings,
                         const Xapian::Stopper* stopper);

}  // namespace braid
