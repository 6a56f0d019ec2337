// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/settings.h"

namespace braid {

struct ParsedQuery {
    Xapian::Query query;
    std::string corrected;  ///< The text with words that the database knows, or "".
    bool scored = true;     ///< False where there is nothing but filters.
    /// What the text says and the query doesn't: an unknown field, a range that there isn't, an
    /// unclosed quote, stop words alone. A sentence each.
    std::vector<std::string> doubts = {};
};

/// Turns text into queries with the analysis that made the database's terms. For one thread.
class QueryBuilder {
  public:
    /// Throws as make_stemmer does. Heeds the limits of queries: words, nesting, expansion. The
    /// parser is made with the first text, since a query that a program made itself needs none.
    QueryBuilder(const IndexSettings& index, const SearchSettings& search,
                 const Limits& limits = {});

    /// Text that a person typed, in Xapian's query syntax; see SearchRequest::text. `database`
    /// expands wildcards and corrects spelling. Throws InvalidArgument for text that does not
    /// follow the syntax or is beyond the limits, and as make_stopper does.
    ParsedQuery parse(const std::string& text, const Xapian::Database& database);

    /// Free text, as an OR of its words in their order, each once, with their numbers of
    /// occurrences: quotes, brackets, signs and capitals mean nothing, stop words are dropped
    /// unless there are only such. Throws InvalidArgument for text of too many words, and as
    /// make_stopper does.
    Xapian::Query bag_of_words(const std::string& text);

  private:
    void prepare();
    void find_doubts(const std::string& text, ParsedQuery& parsed) const;

    IndexSettings index_;
    SearchSettings search_;
    std::unique_ptr<Xapian::Stopper> stopper_;
    std::vector<std::string> fields_;  ///< Names before a colon,
    std::vector<std::string> ranges_;  ///< and those of them that have ranges.
    std::optional<Xapian::QueryParser> parser_;
    std::optional<Xapian::TermGenerator> words_;
    unsigned flags_ = 0;
    Limits limits_;
};

/// How many words of a query score: without those of filters and exclusions, and at least 1.
Xapian::termcount scored_length(const Xapian::Query& query);

}  // namespace braid
