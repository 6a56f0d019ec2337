// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/registry.h"
#include "braid/core/eval/judgements.h"
#include "braid/indexer/formats/grade_map.h"
#include "braid/indexer/formats/input.h"

namespace braid {

/// One entry of the registry of judgement forms: which column is what.
struct JudgementFormat {
    std::string name;     ///< "trec"
    std::string summary;  ///< One line for help texts.
    std::string example;  ///< A line in this form, for error messages.
};

/// Every form there is; docs/guide/queries-and-judgements.md shows them.
BRAID_API const Registry<JudgementFormat>& judgement_formats();

struct JudgementOptions {
    std::string format;  ///< A name from judgement_formats(), or "" to go by the whole file.
    GradeMap grades;
    WarningSink warn;  ///< May be empty. Gets the first few of a kind, then how many there were.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is refused.
};

/// Reads all judgements of a file ("-": standard input; gzip is unpacked). Of two judgements of a
/// pair the first stays, and a warning says how many there were. Throws UnknownComponent for a
/// format, FormatError with the line for a file that does not follow its form, or is empty.
BRAID_API Judgements read_judgements(const std::string& path, const JudgementOptions& options = {});
BRAID_API Judgements read_judgements(Input input, const JudgementOptions& options = {});

}  // namespace braid
