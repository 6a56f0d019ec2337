// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/query_records.h"

#include <algorithm>
#include <array>
#include <utility>

#include "braid/indexer/formats/columns.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 9> kIdNames{
    "_id", "id", "qid", "query_id", "query-id", "queryid", "topic_id", "topic", "number"};

bool is_id_name(std::string_view name) {
    return std::find(kIdNames.begin(), kIdNames.end(), name) != kIdNames.end();
}

bool is_text_name(std::string_view name) {
    return name == "text" || name == "query" || name == "question" || name == "title";
}

// The lower-cased names in a table's first line, or nothing where that is a query itself.
std::vector<std::string> header_of(const std::vector<std::string_view>& cells) {
    std::vector<std::string> names;
    names.reserve(cells.size());
    for (const std::string_view cell : cells) names.push_back(lower_cased(cell));
    const bool named = std::any_of(names.begin(), names.end(), is_id_name) &&
                       std::any_of(names.begin(), names.end(), is_text_name);
    if (!named) names.clear();
    return names;
}

// Takes the field that names the query away from the others.
void take_id(SourceDocument& record) {
    if (!record.id.empty()) return;
    for (const std::string_view name : kIdNames) {
        const auto found =
            std::find_if(record.fields.begin(), record.fields.end(),
                         [name](const SourceField& field) { return field.name == name; });
        if (found == record.fields.end()) continue;
        record.id = std::move(found->text);
        record.fields.erase(found);
        return;
    }
}

}  // namespace

std::vector<SourceDocument> document_records(const std::string& path, std::string text,
                                             const std::string& format,
                                             const ReaderContext& context) {
    std::vector<SourceDocument> records;
    const auto reader =
        open_documents(Input::from_memory(std::move(text), path), format, context.options);
    for (SourceDocument record; reader->next(record);) {
        take_id(record);
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<SourceDocument> table_records(const std::string& path, std::string_view text,
                                          const ReaderContext& context) {
    std::vector<SourceDocument> records;
    std::vector<std::string> header;
    ColumnCutter cutter;
    std::string_view line;
    bool first = true;
    for (TextLines lines(text); lines.next(line);) {
        if (trim(line).empty()) continue;
        const auto& cells = cutter.cut(line, Separator::kTab);
        const SourceLocation where{path, lines.number()};
        if (std::exchange(first, false)) {
            header = header_of(cells);
            if (!header.empty()) continue;
        }
        SourceDocument& record = records.emplace_back();
        record.where = where;
        if (!header.empty()) {
            if (cells.size() > header.size()) {
                throw FormatError(
                    where, "found " + counted(cells.size(), "column") + ", expected at most the " +
                               std::to_string(header.size()) + " that the first line names");
            }
            for (std::size_t i = 0; i < cells.size(); ++i) {
                record.fields.push_back({header[i], std::string(cells[i])});
            }
            take_id(record);
        } else {
            const std::size_t tab = line.find('\t');
            if (tab == std::string_view::npos) {
                throw FormatError(where, "found no tab in " + quoted(trim(line)) +
                                             ", expected id, tab and text, as in "
                                             "'301<TAB>international organized crime'");
            }
            record.id = trim(line.substr(0, tab));
            record.fields.push_back({"text", std::string(line.substr(tab + 1))});
        }
        finish_document(record, context);
    }
    return records;
}

std::vector<SourceDocument> line_records(const std::string& path, std::string_view text,
                                         const ReaderContext& context) {
    std::vector<SourceDocument> records;
    std::string_view line;
    for (TextLines lines(text); lines.next(line);) {
        if (trim(line).empty()) continue;
        SourceDocument record{
            std::to_string(lines.number()), {{"text", std::string(line)}}, {path, lines.number()}};
        finish_document(record, context);
        records.push_back(std::move(record));
    }
    return records;
}

std::string guess_query_format(std::string_view text) {
    TextLines lines(text);
    std::string_view line;
    while (lines.next(line) && trim(line).empty()) continue;
    const std::string_view first = trim(line);
    if (document_formats().find("smart").recognise("", first) > 0) return "smart";
    if (first.starts_with('{')) return "jsonl";
    if (first.starts_with('<') && lower_cased(text).find("<top") != std::string::npos) {
        return "trec";
    }
    bool tabs = true;
    do {
        const std::size_t tab = line.find('\t');
        const bool cut = !trim(line.substr(0, tab)).empty() && tab != std::string_view::npos;
        tabs = trim(line).empty() || cut;
    } while (tabs && lines.next(line));
    return tabs ? "tsv" : "lines";
}

}  // namespace braid
