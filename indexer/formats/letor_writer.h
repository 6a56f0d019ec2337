// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/indexer/formats/letor_data.h"

namespace braid {

/// The line that names a LETOR file's features, "# 1:bm25 2:lsa", with its newline. Throws
/// InvalidArgument for a name that is empty, has a blank or newline, or occurs twice.
BRAID_API std::string letor_names_line(const std::vector<std::string>& feature_names);

/// Appends one row: all features from 1, NaN as NULL, in the fewest digits that read back as the
/// same double; then "# docid = NAME", unless `document` is "". A name with blanks is quoted.
/// Throws InvalidArgument for an infinite value and for text that would break the line (a query
/// with a blank, a control character); `out` is then unchanged.
BRAID_API void append_letor_row(std::string& out, int label, std::string_view query,
                                std::span<const double> values, std::string_view document);

/// Writes the names, if any, and all rows.
BRAID_API std::string letor_text(const LetorData& data);

}  // namespace braid
