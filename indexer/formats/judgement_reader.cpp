// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/judgement_reader.h"

#include <charconv>
#include <utility>

#include "braid/core/base/error.h"
#include "braid/indexer/formats/judgement_layout.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/warning_counter.h"

namespace braid {
namespace {

class JudgementParser {
  public:
    JudgementParser(const std::string& path, std::string_view text, const JudgementOptions& options)
        : path_(path),
          options_(options),
          lines_(text),
          layout_(judgement_layout(path, text, options.format)),
          warnings_(options.warn) {}

    Judgements read() {
        std::string_view line;
        bool skip_header = layout_.has_header;
        while (lines_.next(line)) {
            if (trim(line).empty()) continue;
            if (!skip_header) add(line);
            skip_header = false;
        }
        if (judgements_.size() == 0) {
            throw FormatError({path_, 0}, "no judgements after the header line");
        }
        warnings_.report_totals();
        return std::move(judgements_);
    }

  private:
    void add(std::string_view line) {
        const auto& cells = cutter_.cut(line, layout_.separator);
        if (cells.size() < layout_.fewest || cells.size() > layout_.most) {
            refuse_columns(line, cells.size());
        }
        const std::string_view query = cells[layout_.query];
        const std::string_view document = cells[layout_.document];
        if (query.empty() || document.empty()) {
            throw FormatError(where(), std::string("the ") +
                                           (query.empty() ? "query" : "document") +
                                           " has no name in " + quoted(trim(line)) + expected());
        }
        const Grade grade = grade_of(cells);
        const auto added = judgements_.add(query, document, grade);
        if (added == Judgements::Added::kNew) return;
        std::string pair = "query " + quoted(query) + ", document " + quoted(document);
        if (added == Judgements::Added::kSame) {
            warnings_.warn(where(), "judged before, with the same grade", pair);
            return;
        }
        const Grade kept = *judgements_.find(query)->grade(document);
        pair += ", as " + std::to_string(kept) + " and now as " + std::to_string(grade);
        warnings_.warn(where(), "judged before, with another grade, which stays", pair);
    }

    Grade grade_of(const std::vector<std::string_view>& cells) const {
        if (layout_.grade == JudgementLayout::kNoGrade) {
            const auto mapped = options_.grades.map(1);
            if (mapped) return *mapped;
            throw FormatError(where(), "to be listed counts as grade 1 in this form" + unmapped());
        }
        const std::string_view cell = cells[layout_.grade];
        if (options_.grades.empty()) {
            Grade grade = 0;
            const auto [end, error] =
                std::from_chars(cell.data(), cell.data() + cell.size(), grade);
            if (error == std::errc() && end == cell.data() + cell.size()) return grade;
        }
        const auto number = parse_number(cell);
        if (!number) {
            throw FormatError(
                where(), "found " + quoted(cell) + " as the grade, expected a number" + expected());
        }
        const auto mapped = options_.grades.map(*number);
        if (mapped) return *mapped;
        throw FormatError(where(), "grade " + quoted(cell) +
                                       (options_.grades.empty()
                                            ? " is no whole number; a grade map can make it one"
                                            : unmapped()));
    }

    static std::string unmapped() {
        return " is not in the grade map; it can be added, or all=same for the rest";
    }

    [[noreturn]] void refuse_columns(std::string_view line, std::size_t found) const {
        std::string wanted = std::to_string(layout_.fewest);
        if (layout_.most != layout_.fewest) wanted += " to " + std::to_string(layout_.most);
        throw FormatError(where(), "found " + counted(found, "column") + " in " +
                                       quoted(trim(line)) + ", expected " + wanted + expected());
    }

    std::string expected() const {
        const JudgementFormat& form = judgement_formats().find(layout_.form);
        return ", as in '" + form.example + "' (form " + form.name + ")";
    }

    SourceLocation where() const { return {path_, lines_.number()}; }

    const std::string& path_;
    const JudgementOptions& options_;
    TextLines lines_;
    JudgementLayout layout_;
    ColumnCutter cutter_;
    Judgements judgements_;
    WarningCounter warnings_;
};

}  // namespace

const Registry<JudgementFormat>& judgement_formats() {
    static const Registry<JudgementFormat> formats(
        "judgement format",
        {{"trec", "query, iteration (not looked at), document, grade", "301 0 FT911-3 1"},
         {"smart", "query and document; listed is relevant, further columns don't count",
          "1 28 0 0.000000"},
         {"plain", "query, document, grade", "301 FT911-3 1"},
         {"tsv", "between tabs; a header line such as BEIR's may say which column is what",
          "query-id<TAB>corpus-id<TAB>score"},
         {"csv", "between commas, with or without a header line", "query,document,grade"}});
    return formats;
}

Judgements read_judgements(const std::string& path, const JudgementOptions& options) {
    if (!options.format.empty()) judgement_formats().find(options.format);
    const std::string text = read_whole(path, options.max_line);
    return JudgementParser(path, text, options).read();
}

Judgements read_judgements(Input input, const JudgementOptions& options) {
    if (!options.format.empty()) judgement_formats().find(options.format);
    const std::string path = input.path();
    const std::string text = read_whole(std::move(input), 0, options.max_line);
    return JudgementParser(path, text, options).read();
}

}  // namespace braid
