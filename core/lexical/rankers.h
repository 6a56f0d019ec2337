// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/core/lexical/ranker.h"

/// The entries of the registry, one function for each ranker or family.
namespace braid::lexical {

/// `info` with one more parameter: the average length to use in the formula instead of the
/// collection's; 0: the collection's.
LexicalRankerInfo with_average_length(LexicalRankerInfo info);

LexicalRankerInfo bm25();
LexicalRankerInfo bm25_plus();
LexicalRankerInfo bm25f();
LexicalRankerInfo log_bm25();
LexicalRankerInfo tfidf_cosine();
LexicalRankerInfo tfidf();
LexicalRankerInfo tfidf_pivoted();
LexicalRankerInfo tfidf_lucene();
LexicalRankerInfo lm_dirichlet();
LexicalRankerInfo lm_jelinek_mercer();
LexicalRankerInfo lm_absolute_discount();
LexicalRankerInfo dph();
LexicalRankerInfo pl2();
/// The low-level features of docs/algorithms/lexical.md, section 6.
std::vector<LazyRegistry<LexicalRankerInfo>::Item> features();

}  // namespace braid::lexical
