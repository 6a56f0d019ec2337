// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/core/lexical/ranker.h"

/// The entries of the registry without their names, one function for each ranker or family.
namespace braid::lexical {

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
