// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"

namespace braid {

/// One term of a text that is folded in. `vector` is borrowed.
struct FoldingTerm {
    double count = 0;  ///< Occurrences in the text, over 0.
    std::span<const float> vector;
};

/// Turns a text's terms into the text's vector. It needs the vectors of these terms and nothing
/// else of the model, so a query reads only its own terms from a database. Immutable, safe to
/// share between threads, starts none; made by make_topic_folding().
///
/// Every implementation promises, and the conformance test checks:
/// * the result is finite and has Euclidean length 1, or is all zero where `terms` is empty (or,
///   signed models only, where the terms cancel out);
/// * the same terms in the same order give the same bits. Callers pass terms ascending by bytes.
class BRAID_API TopicFolding {
  public:
    virtual ~TopicFolding() = default;

    /// Writes the text's vector to `result`, which has header.dimensions floats, as each
    /// term's vector has.
    virtual void fold(std::span<const FoldingTerm> terms, std::span<float> result) const = 0;
};

/// Folds in a text given by term ids of `model`'s vocabulary.
BRAID_API std::vector<float> fold_in(const TopicFolding& folding, const TopicModel& model,
                                     const TermCounts& text);

}  // namespace braid
