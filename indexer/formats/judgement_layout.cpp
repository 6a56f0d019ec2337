// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/judgement_layout.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_set>

#include "braid/core/base/error.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
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
                          "no judgements: found " + quoted(trim(first)) +
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

}  // namespace braid
