// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "braid/error.h"

namespace braid {

/// The LDA-based document model of Wei and Croft; docs/algorithms/lbdm.md.
struct LbdmSettings {
    double lambda = 0.7;  ///< Share of the smoothed words, in [0, 1]; topics have the rest.
    double mu = 1000;     ///< Dirichlet smoothing, in tokens; >= 0.

    bool operator==(const LbdmSettings&) const = default;
};

/// One word of a query, with its statistics in one document.
struct LbdmTerm {
    double query_count = 1;        ///< c(w, q)
    double document_count = 0;     ///< c(w, d)
    double collection_share = 0;   ///< p(w|C) > 0.
    double topic_probability = 0;  ///< sum_z p(w|z) p(z|d): topic_probability() below.
};

/// sum_z p(w|z) p(z|d), the mean over `chains`, from the vectors of a word and a document as the
/// lda model stores them: p(w|z) of all chains, and p(z|d) of all chains at any length, since it
/// sums to 1 within a chain. 0 for a document without a vector.
double topic_probability(std::span<const float> word, std::span<const float> document,
                         std::size_t chains);

/// p(w|d), lbdm.md (1). `length` is the document's, in tokens; > 0 if mu is 0.
BRAID_API double lbdm_probability(const LbdmSettings& settings, const LbdmTerm& term,
                                  double length);

/// log p(q|d), (2). Skips words with collection_share 0 and topic_probability 0, which no document
/// can have.
double lbdm_score(const LbdmSettings& settings, std::span<const LbdmTerm> query, double length);

}  // namespace braid
