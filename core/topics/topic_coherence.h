// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"

namespace braid {

/// How well the first `words` words of each topic go together: the mean over their pairs of
/// npmi(a, b) = log(p(a, b) / (p(a) p(b))) / -log p(a, b), p by the share of `counts`' documents.
/// From -1, never together, to 1, always; two words of all documents count 0. A topic of fewer
/// than two words that the vocabulary has is 0. docs/algorithms/lda.md (12).
/// O(topics words (words documents / 64 + documents of a word)); words documents / 8 bytes a topic.
BRAID_API std::vector<double> topic_coherence(const std::vector<Topic>& topics,
                                              const TermDocumentCounts& counts,
                                              std::size_t words = 10);

}  // namespace braid
