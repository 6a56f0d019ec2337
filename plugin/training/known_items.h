// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/parameters.h"
#include "braid/progress.h"

namespace braid {

// Searches that a database makes by itself, to see what a ranking loses before anybody has judged
// anything: docs/algorithms/known-items.md.

/// A few words of a document, and the document.
struct KnownItem {
    Xapian::Query query;
    Xapian::docid docid = 0;
};

/// `wanted` searches for documents of the database, fewer where its documents don't have the words.
/// The same for the same state and seed. Costs a walk over the docids and each document's terms.
std::vector<KnownItem> draw_known_items(const Xapian::Database& database, std::size_t wanted,
                                        std::uint64_t seed = kDefaultSeed);

/// 1 / rank of each item's document in the search by `model` with its own candidates, 0 beyond
/// rank 100. Throws as Searcher does; Cancelled.
std::vector<double> reciprocal_ranks(const SearchPaths& paths, const FusionModel& model,
                                     std::span<const KnownItem> items, Executor& executor,
                                     const Progress& progress = {});

}  // namespace braid
