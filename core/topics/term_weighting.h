// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Weights of counts before a singular value decomposition.

#include <string>
#include <vector>

#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"

namespace braid {

/// A function of a count, applied before its term's weight. Model headers store the numbers, so
/// they must not change.
enum class LocalWeight { kCount = 0, kLog1p = 1 };

double local_weight(LocalWeight local, double count);

/// docs/algorithms/lsa.md (1) to (3).
struct TermWeighting {
    LocalWeight local = LocalWeight::kCount;
    std::vector<double> term_weights;  ///< Never negative.
    bool unit_length = false;          ///< Scales documents to Euclidean length 1.
};

/// `name` is raw, log-entropy or tf-idf; the counts have at least one entry.
TermWeighting make_term_weighting(const std::string& name, const TermDocumentCounts& counts);

/// The weighted entries, in the order of `counts`.
std::vector<float> weigh(const TermDocumentCounts& counts, const TermWeighting& weighting);

}  // namespace braid
