// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/run.h"
#include "braid/core/model/fusion.h"

namespace braid {

/// The queries of several runs, each with its lists.
struct RunQuery {
    std::string query;                   ///< As the first run that has it names it.
    std::vector<const QueryRun*> lists;  ///< One a run; nullptr where the run lacks the query.
};

/// In order of first appearance, the first run's before the second's. Borrows the runs.
BRAID_API std::vector<RunQuery> queries_of(std::span<const Run> runs);

/// A document's vector, for methods whose graph is of features: of one length for all, or empty
/// for a document that has none.
using PlaceFinder = std::function<std::span<const float>(std::string_view document)>;

/// Fuses one query's lists, best document first (rank_documents). `depth`: documents of each list
/// that count, in its order by rank_documents; 0: all. A missing list finds nothing, which is all
/// that it says. `places` may be empty where the method reads none. Names are views into the lists'
/// runs. Throws InvalidArgument for a score that is not finite and for a document that a list has
/// twice.
BRAID_API QueryRun fuse_lists(const Fuser& fuser, const RunQuery& query, std::size_t depth = 0,
                              const PlaceFinder& places = {});

}  // namespace braid
