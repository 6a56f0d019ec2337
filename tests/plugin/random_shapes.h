// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/tests/plugin/random_corpus.h"

namespace braid::test {

/// Operators within operators over words of the corpus: AND, OR, XOR, NOT, AND_MAYBE, filters by
/// terms and by values, phrases, NEAR, synonyms, wildcards, factors, all documents.
/// `choosing` adds those whose documents or parts depend on the weights of words: OP_MAX,
/// OP_ELITE_SET.
Xapian::Query random_shape(Random& random, const RandomCorpus& corpus, std::size_t depth,
                           bool choosing);

}  // namespace braid::test
