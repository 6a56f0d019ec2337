// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "braid/indexer/formats/input.h"
#include "braid/progress.h"

namespace braid {

/// One document of an interleaved list, as a log has it.
struct DraftedDocument {
    std::string document;
    std::string team;   ///< The ranking that brought it,
    std::string other;  ///< and the one beside it.
};

/// The header line of a log: docs/formats.md, Interleaved searches.
std::string draft_log_header();

/// The lines of one search, each document shown once and not clicked, behind `skipped` others.
/// Names lose their tabs and newlines.
std::string draft_log_lines(const std::string& session, const std::string& query,
                            const std::vector<DraftedDocument>& documents, std::size_t skipped = 0);

/// Clicks on interleaved lists of two rankings.
struct DraftComparison {
    std::array<std::string, 2> rankings;  ///< In order of appearance.
    /// By session: how many documents of each team were clicked.
    std::vector<std::array<std::size_t, 2>> clicked = {};
};

struct DraftLogOptions {
    WarningSink warn = {};
    std::size_t max_line = LineReader::kDefaultMaxLine;
};

/// One comparison for each pair of rankings. Clicks on documents that a session didn't show are
/// counted and left out, as is a last line that is cut off. Throws FormatError, with the line, for
/// what doesn't follow the format and for a session with two pairs.
std::vector<DraftComparison> read_draft_log(Input input, const DraftLogOptions& options = {});

}  // namespace braid
