// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Documents kept from a fit, to measure it by; not installed.

#include <cstddef>
#include <cstdint>

#include "braid/core/base/export.h"
#include "braid/core/topics/term_document_counts.h"

namespace braid {

/// One collection in two. Both have the words that `training` has, and no others: a word that the
/// model never saw tells nothing about it.
struct HeldOutDocuments {
    TermDocumentCounts training;
    TermDocumentCounts held_out;
};

struct HoldOutOptions {
    double share = 0.1;       ///< Of the documents that can be measured, in (0, 1).
    std::size_t most = 1000;  ///< Documents held out at most.
    std::size_t least = 20;   ///< Documents to choose from, at least.
    std::uint64_t seed = 0;
};

/// Holds out documents drawn at random from those of two tokens or more (counts rounded), in their
/// order. Empty on both sides where there are fewer than options.least of these.
BRAID_API HeldOutDocuments hold_out_documents(const TermDocumentCounts& counts,
                                              const HoldOutOptions& options);

}  // namespace braid
