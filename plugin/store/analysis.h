// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/error.h"
#include "braid/settings.h"

namespace braid {

/// The form of a database's words, for topic models.
enum class WordForm : std::uint8_t {
    kStems,  ///< Terms that begin with Z and go on without a capital: TermGenerator's stems.
    kWords,  ///< Terms that begin with neither a capital nor a colon: words as they are indexed.
};

/// Words and their counts, in byte order, the order in which texts are folded in.
using WordCounts = std::map<std::string, double, std::less<>>;

/// Longer words are not in topic models: their vectors' keys would not fit a database.
inline constexpr std::size_t kMaxTopicWordBytes = 200;

/// Stems if the database has any, else words.
BRAID_API WordForm find_word_form(const Xapian::Database& database);

/// The first term of that form, in a database's order, is not before this.
BRAID_API std::string_view first_term(WordForm form);

/// The word of `term`; "" if it isn't of that form, or too long.
BRAID_API std::string_view word_of_term(WordForm form, std::string_view term);

/// The term of a word; word_of_term's inverse.
BRAID_API std::string term_of_word(WordForm form, std::string_view word);

/// Whether `term` is a word of that form in the field with that prefix, which is not "".
BRAID_API bool is_word_of_field(WordForm form, std::string_view prefix, std::string_view term);

/// The term for the word of a query's term, stem or not, in the field with that prefix: `term`
/// itself where it is that field's, "" where it is another's.
BRAID_API std::string term_in_field(std::string_view prefix, std::string_view term);

/// The only place that turns settings into Xapian's analysers, so that documents, queries and
/// training get the same words.

/// `some`, `all` or `none`: Xapian's name of that stemming, which differs between its classes.
template <typename Strategy>
Strategy strategy_of(AnalysisSettings::Stemming stemming, Strategy some, Strategy all,
                     Strategy none) {
    switch (stemming) {
        case AnalysisSettings::Stemming::kSome:
            return some;
        case AnalysisSettings::Stemming::kAll:
            return all;
        case AnalysisSettings::Stemming::kNone:
            break;
    }
    return none;
}

/// Throws UnknownComponent for a language unknown to Xapian; "none" is a stemmer that changes
/// nothing.
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
