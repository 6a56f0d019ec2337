// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// How well a model recognises the other half of a text; not installed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"

namespace braid {

/// docs/algorithms/dimensions.md (3): the tokens of each document are dealt at random to two
/// halves, both are folded in, and each half looks for its other half among the halves of all
/// documents, by cosine. A half without terms takes no part, nor does its other half.
///
/// `dimensions` are ascending, to model.header.dimensions: each is tried as the model that has
/// the first so many dimensions only. Returns, for each of them, a document's mean of its two
/// reciprocal ranks, in the order of documents that take part. Ties count as found before.
/// `documents` has the vocabulary of `model`. O(documents^2 dimensions). The same bits at any
/// number of threads.
BRAID_API std::vector<std::vector<double>> split_half_reciprocal_ranks(
    const TopicModel& model, const TermDocumentCounts& documents,
    const std::vector<std::size_t>& dimensions, std::uint64_t seed, Executor& executor);

/// (4): the first candidate whose mean is within one standard error of the highest mean; `scores`
/// has for each candidate, of which there is one at least, the same documents' scores. Without
/// documents the first.
BRAID_API std::size_t smallest_within_one_error(const std::vector<std::vector<double>>& scores);

}  // namespace braid
