// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/settings/settings.h"

namespace braid {

struct ParsedQuery {
    Xapian::Query query;
    std::string corrected;  ///< The text with words that the database knows, or "".
    bool scored = true;     ///< False where there is nothing but filters.
};

/// Turns text into queries with the analysis that made the database's terms. For one thread.
class BRAID_API QueryBuilder {
  public:
    /// Throws as make_stemmer and make_stopper do. Heeds the limits of queries: words, nesting,
    /// expansion.
    QueryBuilder(const IndexSettings& index, const SearchSettings& search,
                 const Limits& limits = {});

    /// Text that a person typed, in Xapian's query syntax; see SearchRequest::text. `database`
    /// expands wildcards and corrects spelling. Throws InvalidArgument for text that does not
    /// follow the syntax or is beyond the limits.
    ParsedQuery parse(const std::string& text, const Xapian::Database& database);

    /// Free text, as an OR of its words with their numbers of occurrences: quotes, brackets, signs
    /// and capitals mean nothing, stop words are dropped unless there are only such. Throws
    /// InvalidArgument for text of too many words.
    Xapian::Query bag_of_words(const std::string& text);

  private:
    std::unique_ptr<Xapian::Stopper> stopper_;
    Xapian::QueryParser parser_;
    Xapian::TermGenerator words_;
    unsigned flags_ = 0;
    Limits limits_;
};

/// How many words of a query score: without those of filters and exclusions, and at least 1.
BRAID_API Xapian::termcount scored_length(const Xapian::Query& query);

}  // namespace braid
