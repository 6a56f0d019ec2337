// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// Which terms of a database are the words of its texts, for topic models.
enum class WordForm : std::uint8_t {
    kStems,  ///< Terms that begin with Z and go on without a capital: TermGenerator's stems.
    kWords,  ///< Terms that begin with neither a capital nor a colon: words as they are indexed.
};

/// Words and how often each occurs: ascending by bytes, which is the order texts are folded in.
using WordCounts = std::map<std::string, double, std::less<>>;

/// Longer words are no words of a topic model: their vectors' keys would not fit a database.
inline constexpr std::size_t kMaxTopicWordBytes = 200;

/// Stems where the database has any, else words.
BRAID_API WordForm find_word_form(const Xapian::Database& database);

/// The first term of that form, in a database's order, is not before this.
BRAID_API std::string_view first_term(WordForm form);

/// The word that `term` stands for; "" where it is none of that form, or too long.
BRAID_API std::string_view word_of_term(WordForm form, std::string_view term);

/// The term of a word; word_of_term's inverse.
BRAID_API std::string term_of_word(WordForm form, std::string_view word);

/// Whether `term` is a word of that form in the field with that prefix, which is not "".
BRAID_API bool is_word_of_field(WordForm form, std::string_view prefix, std::string_view term);

/// The term for the word of a query's term, stem or not, in the field with that prefix: `term`
/// itself where it is that field's, "" where it is another's.
BRAID_API std::string term_in_field(std::string_view prefix, std::string_view term);

}  // namespace braid
