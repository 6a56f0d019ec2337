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

/// What the grades of a judgement file mean, where they don't already mean "more is better, 1 and
/// above is relevant". An empty map keeps whole numbers as they are.
class BRAID_API GradeMap {
  public:
    GradeMap() = default;

    /// Reads "1=4,2=3,-1=4": grade in the file = grade from here on. "all" on the left stands for
    /// every grade not named, "same" on the right keeps it: "all=1", "-2=0,all=same". Throws
    /// InvalidArgument.
    explicit GradeMap(const std::string& text);

    /// Nothing for a grade the map does not name, and for one kept that is no whole number.
    std::optional<Grade> map(double grade) const;

    bool empty() const { return entries_.empty() && !others_; }

  private:
    struct Entry {
        double from = 0;
        std::optional<Grade> to;  ///< Nothing: the same.
    };
    std::optional<Entry> others_;
    std::vector<Entry> entries_;
};

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
