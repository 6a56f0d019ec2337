// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "braid/plugin/sources/fused_counters.h"

namespace braid {

/// How a search was run, and what that took.
struct SearchRun {
    std::string path;            ///< In words.
    bool pruned = false;         ///< Whether by FusedSource, which prunes by the whole score.
    std::string why_not_pruned;  ///< A sentence; "" where it was.
    /// Where clusters were left out that may have results (SearchSettings::clusters_visited): the
    /// share of this page that the exact answer surely has at the same places. Else 1.
    double surely = 1;
    /// Of FusedSource, in local databases; all 0 elsewhere but `damaged`, which is everybody's.
    FusedCounters counters;
    double feedback_milliseconds = 0;  ///< Of first passes for rankers that learn from them.
    /// Of the query's own weights, where they follow from it, and the documents of the first pass
    /// that features of result lists take.
    double weighting_milliseconds = 0;
    std::size_t weighting_documents = 0;
    std::size_t rescored = 0;  ///< Documents that were scored once more, after a first pass,
    double rescoring_milliseconds = 0;  ///< and how long that took.
};

}  // namespace braid
