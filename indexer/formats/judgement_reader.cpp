// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/judgement_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <unordered_set>
#include <utility>

#include "braid/core/eval/name_table.h"
#include "braid/error.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

std::optional<Grade> whole(double value) {
    if (!(std::abs(value) <= std::numeric_limits<Grade>::max())) return std::nullopt;
    if (value != std::floor(value)) return std::nullopt;
    return static_cast<Grade>(value);
}

[[noreturn]] void refuse(std::string_view part, const std::string& problem) {
    throw InvalidArgument("grade map: " + in_quotes(part) + ": " + problem +
                          "; expected grade=grade, for example 1=3,2=2,all=0");
}

}  // namespace

GradeMap::GradeMap(const std::string& text) {
    std::string_view rest = text;
    while (!trim(rest).empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = trim(rest.substr(0, comma));
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) refuse(part, "there is no =");
        const std::string_view left = trim(part.substr(0, equals));
        const std::string_view right = trim(part.substr(equals + 1));
        Entry entry;
        if (right != "same") {
            const auto value = parse_number(right);
            if (value) entry.to = whole(*value);
            if (!entry.to) refuse(part, in_quotes(right) + " is no whole number and not 'same'");
        }
        if (left == "all") {
            if (others_) refuse(part, "'all' is there twice");
            others_ = entry;
            continue;
        }
        const auto from = parse_number(left);
        if (!from || !std::isfinite(*from)) refuse(part, in_quotes(left) + " is no number");
        entry.from = *from;
        for (const Entry& other : entries_) {
            if (other.from == entry.from) refuse(part, in_quotes(left) + " is there twice");
        }
        entries_.push_back(entry);
    }
}

std::optional<Grade> GradeMap::map(double grade) const {
    if (empty()) return whole(grade);
    const Entry* found = others_ ? &*others_ : nullptr;
    for (const Entry& entry : entries_) {
        if (entry.from == grade) found = &entry;
    }
    if (found == nullptr) return std::nullopt;
    return found->to ? found->to : whole(grade);
}

namespace {

constexpr std::array kSeparators{Separator::kBlanks, Separator::kTab, Separator::kComma};

bool is_one_of(std::string_view cell, std::initializer_list<std::string_view> names) {
    std::string plain;
    for (const char c : cell) {
        if (c == '-' || c == '_' || c == ' ') continue;
        plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return std::find(names.begin(), names.end(), plain) != names.end();
}

// Reads the columns' roles off a first line such as "query-id corpus-id score"; false where the
// line names no query or no document, which is to say where it is no header.
bool read_header(const std::vector<std::string_view>& cells, JudgementLayout& layout) {
    constexpr std::size_t kNone = JudgementLayout::kNoGrade;
    std::size_t query = kNone;
    std::size_t document = kNone;
    std::size_t grade = kNone;
    for (std::size_t i = cells.size(); i-- > 0;) {
        if (is_one_of(cells[i], {"qid", "query", "queryid", "topic", "topicid"})) query = i;
        if (is_one_of(cells[i], {"corpusid", "did", "doc", "docid", "docno", "document",
                                 "documentid", "passageid", "pid"})) {
            document = i;
        }
        if (is_one_of(cells[i], {"grade", "judgement", "judgment", "label", "rating", "rel",
                                 "relevance", "relevancy", "score"})) {
            grade = i;
        }
    }
    if (query == kNone || document == kNone) return false;
    layout.query = query;
    layout.document = document;
    layout.grade = grade;
    layout.fewest = std::max({query, document, grade == kNone ? 0 : grade}) + 1;
    layout.most = cells.size();
    layout.has_header = true;
    return true;
}

// The separator that most lines agree on, and the number of columns (2 to 4) it gives them; 0
// where no line has so many.
std::size_t find_separator(std::string_view text, JudgementLayout& layout,
                           const std::string& format) {
    std::size_t best_lines = 0;
    std::size_t best_columns = 0;
    ColumnCutter cutter;
    for (const Separator separator : kSeparators) {
        if (format == "tsv" && separator != Separator::kTab) continue;
        if (format == "csv" && separator != Separator::kComma) continue;
        std::array<std::size_t, 5> lines_with{};
        std::size_t lines = 0;
        std::string_view line;
        for (TextLines reader(text); reader.next(line);) {
            if (trim(line).empty()) continue;
            ++lines;
            const std::size_t columns = cutter.cut(line, separator).size();
            if (columns >= 2 && columns <= 4) ++lines_with[columns];
        }
        const auto most = std::max_element(lines_with.begin(), lines_with.end());
        if (*most > best_lines) {
            best_lines = *most;
            best_columns = static_cast<std::size_t>(most - lines_with.begin());
            layout.separator = separator;
        }
        if (best_lines == lines) break;
    }
    return best_columns;
}

// Tells "query iteration document grade" from "query document flag value": the documents' column
// is the one with more different values; the other is nearly always 0 throughout.
bool document_is_third(std::string_view text, Separator separator) {
    ColumnCutter cutter;
    std::array<std::unordered_set<std::string>, 2> values;
    std::array<std::string, 2> last;
    std::string_view line;
    for (TextLines reader(text); reader.next(line);) {
        const auto& cells = cutter.cut(line, separator);
        if (cells.size() != 4) continue;
        for (std::size_t i = 0; i < 2; ++i) {
            if (!values[i].empty() && last[i] == cells[i + 1]) continue;
            last[i] = cells[i + 1];
            values[i].insert(last[i]);
        }
        // Far apart already: the rest of a large file need not be kept.
        if (values[0].size() > 100 * values[1].size()) return false;
        if (values[1].size() > 100 * values[0].size()) return true;
    }
    if (values[0].size() != values[1].size()) return values[1].size() > values[0].size();
    return last[1] != "0" || last[0] == "0";
}

// `columns` is what the file has, or 0 where only its form is known.
void set_roles(JudgementLayout& layout, const std::string& form, std::size_t columns) {
    layout.form = form;
    if (form == "trec") {
        layout.document = 2;
        layout.grade = 3;
        layout.fewest = layout.most = 4;
    } else if (form == "plain") {
        layout.grade = 2;
        layout.fewest = layout.most = 3;
    } else {
        layout.fewest = columns == 0 ? 2 : columns;
        layout.most = columns == 0 ? 4 : columns;
    }
}

}  // namespace

JudgementLayout judgement_layout(const std::string& path, std::string_view text,
                                 const std::string& format) {
    JudgementLayout layout;
    layout.form = format;
    TextLines lines(text);
    std::string_view first;
    while (lines.next(first) && trim(first).empty()) continue;
    if (trim(first).empty()) throw FormatError({path, 0}, "no judgements: the file is empty");

    ColumnCutter cutter;
    for (const Separator separator : {Separator::kTab, Separator::kComma, Separator::kBlanks}) {
        if (format == "tsv" && separator != Separator::kTab) continue;
        if (format == "csv" && separator != Separator::kComma) continue;
        if (!read_header(cutter.cut(first, separator), layout)) continue;
        layout.separator = separator;
        if (format.empty()) layout.form = separator == Separator::kComma ? "csv" : "tsv";
        return layout;
    }
    const std::size_t columns = find_separator(text, layout, format);
    const bool named = format == "trec" || format == "plain" || format == "smart";
    if (!named && columns == 0) {
        throw FormatError({path, lines.number()},
                          "no judgements: found " + in_quotes(trim(first)) +
                              ", expected query and document, for example '" +
                              judgement_formats().find("trec").example + "'");
    }
    std::string form = format;
    if (!named) {
        form = columns == 3 ? "plain" : "smart";
        if (columns == 4 && document_is_third(text, layout.separator)) form = "trec";
    }
    set_roles(layout, form, named ? 0 : columns);
    return layout;
}

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
                                           " has no name in " + in_quotes(trim(line)) + expected());
        }
        const Grade grade = grade_of(cells);
        const auto added = judgements_.add(query_id(query), document_id(document), grade);
        if (added == Judgements::Added::kNew) return;
        std::string pair = "query " + in_quotes(query) + ", document " + in_quotes(document);
        if (added == Judgements::Added::kSame) {
            warnings_.warn(where(), "judged before, with the same grade", pair);
            return;
        }
        const Grade kept = *judgements_.find(query_id(query))->grade(document_id(document));
        pair += ", as " + std::to_string(kept) + " and now as " + std::to_string(grade);
        warnings_.warn(where(), "judged before, with another grade, which stays", pair);
    }

    // Copied only where there is a prefix.
    std::string_view query_id(std::string_view query) {
        if (options_.id_prefix.empty()) return query;
        return query_id_ = prefixed_query(options_.id_prefix, query);
    }
    std::string_view document_id(std::string_view document) {
        if (options_.id_prefix.empty()) return document;
        return document_id_ = options_.id_prefix + std::string(document);
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
            throw FormatError(where(), "found " + in_quotes(cell) +
                                           " as the grade, expected a number" + expected());
        }
        const auto mapped = options_.grades.map(*number);
        if (mapped) return *mapped;
        throw FormatError(where(), "grade " + in_quotes(cell) +
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
                                       in_quotes(trim(line)) + ", expected " + wanted + expected());
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
    std::string query_id_;
    std::string document_id_;
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
