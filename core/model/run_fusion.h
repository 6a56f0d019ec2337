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
    std::string query;                   ///< As named by the first run that has it.
    std::vector<const QueryRun*> lists;  ///< One a run; nullptr if the run lacks the query.
};

/// In order of first appearance, the first run's queries first. Borrows the runs.
BRAID_API std::vector<RunQuery> queries_of(std::span<const Run> runs);

/// A document's vector, for methods whose graph uses features: the same length for all, or empty
/// for a document without one.
using PlaceFinder = std::function<std::span<const float>(std::string_view document)>;

/// Fuses one query's lists; the best document is first (rank_documents). `depth`: number of
/// documents used from each list, in the order of rank_documents; 0: all. A null list counts as
/// empty. `places` may be empty if the method reads none. Names are views into the runs of the
/// lists. Throws InvalidArgument for a score that is not finite and for a document twice in a list.
BRAID_API QueryRun fuse_lists(const Fuser& fuser, const RunQuery& query, std::size_t depth = 0,
                              const PlaceFinder& places = {});

}  // namespace braid
