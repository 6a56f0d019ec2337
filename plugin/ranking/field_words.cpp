// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/field_words.h"

#include <utility>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/sources/field_cursor.h"
#include "braid/plugin/store/word_form.h"

namespace braid {

CountedWords words_in_field(const Xapian::Database& database, const CountedWords& words,
                            const FieldCollection& field, PoolPostings& postings) {
    CountedWords in_field;
    for (const CountedWord& word : words.words) {
        CountedWord found;
        if (word.known_of.empty()) found.term = term_in_field(field.prefix, word.term);
        if (found.term.empty()) continue;
        found.query_occurrences = word.query_occurrences;
        found.factor = word.factor;
        found.known = {
            {term_statistics(database, field.collection, found.term, found.query_occurrences),
             field_bounds(database, found.term)}};
        found.counts = postings.term(found.term).counts;
        for (std::size_t i = 0; i < found.counts.size(); ++i) {
            if (word.counts[i] == 0) found.counts[i] = 0;
        }
        in_field.words.push_back(std::move(found));
    }
    return in_field;
}

double length_of(const CountedWords& words) {
    double sum = 0;
    for (const CountedWord& word : words.words) sum += word.query_occurrences;
    return sum;
}

}  // namespace braid
