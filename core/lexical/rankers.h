// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/core/lexical/ranker.h"

/// The entries of the registry, one function for each ranker or family; not installed.
namespace braid::lexical {

/// `info` with one parameter more: the average length that its formula takes for that of the
/// collection's documents, where it isn't 0.
LexicalRankerInfo with_average_length(LexicalRankerInfo info);

LexicalRankerInfo bm25();
LexicalRankerInfo bm25_plus();
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
std::vector<LexicalRankerInfo> features();

}  // namespace braid::lexical
