// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/eval/run.h"
#include "braid/indexer/formats/input.h"

namespace braid {

struct RunOptions {
    /// Treatment of a document that occurs twice in a query.
    enum class Duplicates {
        kKeepBest,  ///< The higher score stays; a warning says how often.
        kRefuse,    ///< FormatError.
    };
    Duplicates duplicates = Duplicates::kKeepBest;
    WarningSink warn;                                    ///< May be empty.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
};

/// Reads a TREC run ("-": standard input; gzip is unpacked): query, anything, document, rank, score
/// and the run's name, between blanks, or between tabs where a line has exactly five of them. The
/// rank is ignored. Lines of a query may be scattered. Documents keep the order of their lines; see
/// rank_documents. The run keeps the file in memory: names are views into it. Throws
/// FormatError with the line; an empty file gives an empty run and a warning.
BRAID_API Run read_run(const std::string& path, const RunOptions& options = {});
BRAID_API Run read_run(Input input, const RunOptions& options = {});

/// Appends one query's lines of a TREC run to `out`: best first in the order of rank_documents,
/// ranks from 1, scores in the fewest digits that read back as the same double. An empty `run_name`
/// becomes "braid". Names with blanks are written with tabs between the columns, which read_run
/// understands and trec_eval does not. Throws InvalidArgument for a name that is empty, has a
/// control character (a tab, an escape), or begins or ends in a blank, and for a score that is not
/// finite; `out` is then unchanged.
BRAID_API void append_run(std::string& out, const QueryRun& query, std::string_view run_name);

/// All queries of a run, as above, under the run's own name.
BRAID_API std::string run_text(const Run& run);

}  // namespace braid
