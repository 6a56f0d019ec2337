// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/read.h"
#include "braid/run.h"

namespace braid {

/// As read_run, for an input that is open already.
Run read_run(Input input, const RunOptions& options = {});

/// Appends one query's lines of a TREC run to `out`: best first in the order of rank_documents,
/// ranks from 1, scores in the fewest digits that read back as the same double. An empty `run_name`
/// becomes "braid". Names with blanks are written with tabs between the columns, which read_run
/// understands and trec_eval does not. Throws InvalidArgument for a name that is empty, has a
/// control character (a tab, an escape), or begins or ends in a blank, and for a score that is not
/// finite; `out` is then unchanged.
void append_run(std::string& out, const QueryRun& query, std::string_view run_name);

}  // namespace braid
