// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>

#include <xapian.h>

#include "braid/core/settings/limits.h"
#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

// Queries are trees, which Xapian and Braid walk by recursion: one that is nested deep enough ends
// the program, and one of a hundred thousand words takes minutes. Both are refused first.

/// Throws InvalidArgument for text with more words (runs of letters and digits) than
/// Limits::words, or brackets nested deeper than Limits::nesting. Before it is parsed. O(size).
void check_query_text(const std::string& text, const Limits& limits);

/// Throws InvalidArgument for a query with more leaves than Limits::words, or more operators below
/// one another than Limits::nesting. Doesn't recurse, and stops at the first that is too much, so
/// that a subquery shared a million times costs no more. O(leaves).
void check_query(const Xapian::Query& query, const Limits& limits);

/// A term without its Z and its prefix, by Xapian's conventions.
std::string bare_word(const std::string& term);

/// The word, as the topic model of `record` knows words, that a query's term stands for, whatever
/// field the term is of: its Z and its prefix are taken off, and where the model has stems, words
/// that are none yet are stemmed by `stem`. "" where nothing is left.
std::string word_of_query_term(const TopicRecord& record, const Xapian::Stem& stem,
                               const std::string& term);

/// The terms of a query that count in its score, as it has them, with the sum of their numbers of
/// occurrences: filters, exclusions and what is scaled by 0 do not. A group of alternatives is one
/// word, whose count its terms share: an OR or synonym that an AND joins to others, or whose terms
/// are one word under several prefixes.
std::map<std::string, double> scored_terms(const Xapian::Query& query);

/// The words of a query that count in its score, each as often as the query says it: filters,
/// exclusions and what is scaled by 0 do not. `stem` is the record's.
WordCounts query_words(const Xapian::Query& query, const TopicRecord& record,
                       const Xapian::Stem& stem);
/// The same, of what scored_terms gave.
WordCounts query_words(const std::map<std::string, double>& terms, const TopicRecord& record,
                       const Xapian::Stem& stem);

}  // namespace braid
