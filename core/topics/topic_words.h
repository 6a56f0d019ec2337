// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/error.h"

namespace braid {

// Shared by the topic models.

/// Scales `vector` to Euclidean length 1; an all-zero one stays unchanged.
void scale_to_unit(std::span<float> vector);

/// The `count` terms of largest |weight(t)|, ties by term; without those of weight 0.
std::vector<Topic::Word> top_words(const std::vector<std::string>& vocabulary, std::size_t count,
                                   const std::function<double(std::size_t)>& weight);

/// The coherence of each topic's first `words` words: the mean over their pairs of npmi(a, b) =
/// log(p(a, b) / (p(a) p(b))) / -log p(a, b), where p is the share of `counts`' documents. From -1
/// (never together) to 1 (always); two words of all documents count 0. A topic with fewer than two
/// words of the vocabulary gets 0. docs/algorithms/lda.md (12). O(topics words (words documents /
/// 64 + documents of a word)); words documents / 8 bytes a topic.
BRAID_API std::vector<double> topic_coherence(const std::vector<Topic>& topics,
                                              const TermDocumentCounts& counts,
                                              std::size_t words = 10);

}  // namespace braid
