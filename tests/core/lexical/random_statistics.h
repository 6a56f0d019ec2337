// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

#include "braid/core/base/random.h"
#include "braid/core/lexical/ranker.h"

namespace braid::test {

/// An integer from 1 to `high`, uniform in its logarithm: small ones come as often as large.
inline double random_count(Random& random, double high) {
    return std::floor(std::exp(random.uniform() * std::log(std::max(high, 1.0) + 0.999)));
}

inline TermStatistics random_term(Random& random) {
    TermStatistics term;
    term.collection.documents = random_count(random, 1e6);
    term.documents = random_count(random, term.collection.documents);
    term.occurrences = term.documents * random_count(random, 20);
    term.collection.total_length =
        term.occurrences + term.collection.documents * random_count(random, 1000);
    term.query_occurrences = random_count(random, 5);
    term.query_norm = tfidf_component(term) * (1 + 3 * random.uniform());
    return term;
}

inline BoundStatistics random_bounds(Random& random, double longest) {
    BoundStatistics bounds;
    bounds.length_max = random_count(random, longest);
    bounds.length_min = random_count(random, bounds.length_max);
    bounds.occurrences_max = random_count(random, bounds.length_max);
    return bounds;
}

/// A document within `bounds` that has the term.
inline DocumentStatistics random_document(Random& random, const BoundStatistics& bounds) {
    DocumentStatistics document;
    document.occurrences = random_count(random, bounds.occurrences_max);
    const double shortest = std::max(bounds.length_min, document.occurrences);
    document.length = shortest + random_count(random, bounds.length_max - shortest + 1) - 1;
    document.unique_terms = document.length > document.occurrences
                                ? 1 + random_count(random, document.length - document.occurrences)
                                : 1;
    document.norm = (1 + std::log(document.occurrences)) * (1 + 5 * random.uniform());
    return document;
}

/// Values for every parameter within its range, near the default or anywhere.
inline ParameterMap random_parameters(Random& random, const LexicalRankerInfo& info) {
    ParameterMap parameters;
    for (const ParameterInfo& parameter : info.parameters) {
        const double low = parameter.minimum;
        const double high = parameter.maximum;
        double value = low + random.uniform() * (high - low);
        if (random.below(2) == 0) {
            value = parameter.default_value * (0.25 + 1.5 * random.uniform());
        }
        if (random.below(8) == 0) value = random.below(2) == 0 ? low : high;
        parameters[parameter.name] = std::clamp(value, low, high);
    }
    return parameters;
}

}  // namespace braid::test
