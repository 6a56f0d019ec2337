// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "braid/indexer/formats/columns.h"

namespace braid {

/// Which column of a judgement file is what. Columns count from 0.
struct JudgementLayout {
    static constexpr std::size_t kNoGrade = ~std::size_t{0};

    Separator separator = Separator::kBlanks;
    std::size_t query = 0;
    std::size_t document = 1;
    std::size_t grade = kNoGrade;  ///< kNoGrade: to be listed is to be relevant.
    std::size_t fewest = 2;        ///< Columns a line has, at least and at most.
    std::size_t most = 2;
    bool has_header = false;
    std::string form;  ///< The name in judgement_formats().
};

/// The layout of `text` in the form called `format`, or in the likeliest form for "". Looks at
/// every line. Throws FormatError, naming `path`, where no form fits.
JudgementLayout judgement_layout(const std::string& path, std::string_view text,
                                 const std::string& format);

}  // namespace braid
