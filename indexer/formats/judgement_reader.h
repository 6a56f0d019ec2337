// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/registry.h"
#include "braid/core/eval/judgements.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/scan.h"

namespace braid {

/// Maps the grades of a judgement file to grades where more is better and 1 and above is relevant.
/// An empty map keeps whole numbers.
class BRAID_API GradeMap {
  public:
    GradeMap() = default;

    /// Reads "1=4,2=3,-1=4": grade in the file = grade from here on. "all" on the left stands for
    /// every grade not named, "same" on the right keeps it: "all=1", "-2=0,all=same". Throws
    /// InvalidArgument.
    explicit GradeMap(const std::string& text);

    /// Empty for a grade that the map doesn't name, and for a kept grade that isn't a whole number.
    std::optional<Grade> map(double grade) const;

    bool empty() const { return entries_.empty() && !others_; }

  private:
    struct Entry {
        double from = 0;
        std::optional<Grade> to;  ///< Empty: the same.
    };
    std::optional<Entry> others_;
    std::vector<Entry> entries_;
};

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
BRAID_API const Registry<JudgementFormat>& judgement_formats();

struct JudgementOptions {
    std::string format;  ///< A name from judgement_formats(), or "" to detect it by the whole file.
    GradeMap grades;
    WarningSink warn;  ///< May be empty. Gets the first few of a kind, then their number.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
};

/// Reads all judgements of a file ("-": standard input; gzip is unpacked). Keeps the first of
/// repeated judgements and warns with their number. Throws UnknownComponent for an unknown format,
/// FormatError with the line for a file that doesn't follow its format, or is empty.
BRAID_API Judgements read_judgements(const std::string& path, const JudgementOptions& options = {});
BRAID_API Judgements read_judgements(Input input, const JudgementOptions& options = {});

}  // namespace braid
