// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/random_shapes.h"

#include <string>
#include <vector>

namespace braid::test {

using Xapian::Query;

namespace {

Query random_word(Random& random, const RandomCorpus& corpus) {
    const std::size_t number = random.below(20) == 0 ? 999 : random.below(corpus.vocabulary());
    const auto occurrences = static_cast<Xapian::termcount>(1 + random.below(2));
    return {"w" + std::to_string(number), occurrences};
}

Query of_words(Random& random, const RandomCorpus& corpus, Query::op op, std::size_t count,
               Xapian::termcount window) {
    std::vector<Query> words;
    for (std::size_t i = 0; i < count; ++i) words.push_back(random_word(random, corpus));
    return {op, words.begin(), words.end(), window};
}

Query random_leaf(Random& random, const RandomCorpus& corpus) {
    switch (random.below(9)) {
        case 0:
            return of_words(random, corpus, Query::OP_PHRASE, 2, 2);
        case 1:
            return of_words(random, corpus, Query::OP_NEAR, 2 + random.below(2), 6);
        case 2:
            return of_words(random, corpus, Query::OP_SYNONYM, 2 + random.below(2), 0);
        case 3:
            return {Query::OP_WILDCARD, random.below(2) == 0 ? "w1" : "nowhere"};
        case 4:
            return {Query::OP_VALUE_RANGE, 1, "2", "4"};
        default:
            return random_word(random, corpus);
    }
}

}  // namespace

Query random_shape(Random& random, const RandomCorpus& corpus, std::size_t depth, bool choosing) {
    if (depth == 0) return random_leaf(random, corpus);
    const auto part = [&] { return random_shape(random, corpus, random.below(depth), choosing); };
    switch (random.below(choosing ? 13 : 11)) {
        case 0:
        case 1:
            return {Query::OP_AND, part(), part()};
        case 2:
            return {Query::OP_XOR, part(), part()};
        case 3:
            return {Query::OP_AND_NOT, part(), part()};
        case 4:
            return {Query::OP_AND_MAYBE, part(), part()};
        case 5:
            return {Query::OP_FILTER, part(), random.below(2) == 0 ? Query("XEVEN") : part()};
        case 6:
            return {Query::OP_SCALE_WEIGHT, random_leaf(random, corpus),
                    random.below(3) == 0 ? 0 : 0.5 + random.uniform()};
        case 7:
            return {Query::OP_AND_MAYBE, Query::MatchAll, part()};
        case 8:
            return {Query::OP_OR, Query("XODD"), part()};
        case 11:
            return {Query::OP_MAX, part(), part()};
        case 12:
            return of_words(random, corpus, Query::OP_ELITE_SET, 4, 2);
        default:
            return {Query::OP_OR, part(), part()};
    }
}

}  // namespace braid::test
