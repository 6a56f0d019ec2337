// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/scan.h"
#include "braid/read.h"

namespace braid {

/// The columns of a judgement file, from 0.
struct JudgementLayout {
    static constexpr std::size_t kNoGrade = ~std::size_t{0};

    Separator separator = Separator::kBlanks;
    std::size_t query = 0;
    std::size_t document = 1;
    std::size_t grade = kNoGrade;  ///< kNoGrade: listed documents are relevant.
    std::size_t fewest = 2;        ///< Minimum and maximum number of columns.
    std::size_t most = 2;
    bool has_header = false;
    std::string form;  ///< The name in judgement_formats().
};

/// The layout of `text` in the given format, or in the likeliest one for "". Reads every line.
/// Throws FormatError with `path` if no format fits.
JudgementLayout judgement_layout(const std::string& path, std::string_view text,
                                 const std::string& format);

/// One entry of the registry of judgement formats.
struct JudgementFormat {
    std::string name;     ///< "trec"
    std::string summary;  ///< One line for help texts.
    std::string example;  ///< An example line, for error messages.
};

/// All formats; docs/guide/queries-and-judgements.md shows them.
const Registry<JudgementFormat>& judgement_formats();

/// As read_judgements, for an input that is open already.
Judgements read_judgements(Input input, const JudgementOptions& options = {});

}  // namespace braid
