// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/export.h"
#include "braid/core/eval/run.h"

namespace braid {

/// Appends one query's lines of a TREC run to `out`: best first in the order of rank_documents,
/// ranks from 1, scores in the fewest digits that read back as the same double. An empty `run_name`
/// becomes "braid". Names with blanks are written with tabs between the columns, which read_run
/// understands and trec_eval does not. Throws InvalidArgument for a name that is empty, has a
/// control character (a tab, an escape), or begins or ends in a blank, and for a score that is not
/// finite; `out` is then as it was.
BRAID_API void append_run(std::string& out, const QueryRun& query, std::string_view run_name);

/// All queries of a run, as above, under the run's own name.
BRAID_API std::string run_text(const Run& run);

}  // namespace braid
