// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/query_reader.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "braid/core/eval/name_table.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/sgml.h"
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
                throw FormatError(where, "found no tab in " + in_quotes(trim(line)) +
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

namespace {

// Where the next "<top" or "<topic" element begins in `lower`, from `at` on; npos if none does.
std::size_t find_topic(std::string_view lower, std::size_t at) {
    constexpr std::string_view kTop = "<top";
    for (at = lower.find(kTop, at); at != std::string_view::npos; at = lower.find(kTop, at + 1)) {
        std::string_view rest = lower.substr(at + kTop.size());
        if (rest.starts_with("ic")) rest.remove_prefix(2);
        if (rest.empty() || rest[0] == '>' || rest[0] == '\n' || is_blank(rest[0])) return at;
    }
    return at;
}

// Topics introduce a field's text by a word of its own: "<num> Number: 301", "<con> Concept(s):".
// Nearly always the tag is the word's beginning.
void drop_label(SourceField& field) {
    const std::size_t colon = field.text.find(':');
    if (colon == std::string::npos) return;
    std::string label = lower_cased(trimmed(std::string_view(field.text).substr(0, colon)));
    if (label.ends_with("(s)")) label.resize(label.size() - 3);
    const bool word = !label.empty() && std::all_of(label.begin(), label.end(),
                                                    [](char c) { return c >= 'a' && c <= 'z'; });
    const bool own = label.starts_with(field.name) || (field.name == "title" && label == "topic") ||
                     (field.name == "smry" && label == "summary");
    if (!word || !own) return;
    field.text = std::string(trimmed(std::string_view(field.text).substr(colon + 1)));
}

}  // namespace

std::vector<SourceDocument> topic_records(const std::string& path, std::string_view text,
                                          const ReaderContext& context) {
    std::vector<SourceDocument> records;
    const std::string lower = lower_cased(text);
    std::size_t line = 1;
    std::size_t counted_to = 0;
    for (std::size_t at = find_topic(lower, 0); at != std::string::npos;) {
        const std::size_t next = find_topic(lower, at + 1);
        std::size_t end = std::min(next, text.size());
        const std::size_t close = lower.find("</top", at);
        end = std::min(end, close);
        line +=
            static_cast<std::size_t>(std::count(text.data() + counted_to, text.data() + at, '\n'));
        counted_to = at;

        SourceDocument record;
        record.where = {path, line};
        std::size_t name = at + std::string_view("<top").size();
        if (std::string_view(lower).substr(name).starts_with("ic")) name += 2;
        parse_sgml_record(text.substr(name, end - name), record.fields);
        finish_document(record, context);
        for (SourceField& field : record.fields) drop_label(field);
        for (auto field = record.fields.begin(); field != record.fields.end(); ++field) {
            if (field->name != "num" && field->name != "number" && field->name != "id") continue;
            record.id = std::move(field->text);
            record.fields.erase(field);
            break;
        }
        records.push_back(std::move(record));
        at = next;
    }
    return records;
}

namespace {

std::vector<SourceDocument> read_records(const std::string& path, std::string text,
                                         const std::string& format, const ReaderContext& context) {
    if (format == "trec") return topic_records(path, text, context);
    if (format == "tsv") return table_records(path, text, context);
    if (format == "lines") return line_records(path, text, context);
    return document_records(path, std::move(text), format, context);
}

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

std::string text_of_any(const SourceDocument& record, const std::vector<std::string>& fields) {
    std::string text;
    for (const SourceField& field : record.fields) {
        if (std::find(fields.begin(), fields.end(), field.name) == fields.end()) continue;
        if (!text.empty()) text += '\n';
        text += field.text;
    }
    return text;
}

// The names of all fields that occur, in order of appearance.
std::vector<std::string> field_names(const std::vector<SourceDocument>& records) {
    std::vector<std::string> names;
    for (const SourceDocument& record : records) {
        for (const SourceField& field : record.fields) {
            if (std::find(names.begin(), names.end(), field.name) != names.end()) continue;
            names.push_back(field.name);
        }
    }
    return names;
}

class QueryMaker {
  public:
    QueryMaker(const QueryFormat& format, const QueryOptions& options)
        : options_(options), groups_(format.default_fields) {
        if (!options.fields.empty()) groups_ = {options.fields};
    }

    SourceQuery make(const SourceDocument& record) {
        SourceQuery query{name(record), {}, record.where};
        for (const auto& group : groups_) {
            if (query.text.empty()) query.text = text_of_any(record, group);
        }
        return query;
    }

    std::string wanted() const {
        std::string list;
        for (const auto& group : groups_) list += (list.empty() ? "" : " or else ") + joined(group);
        return list;
    }

  private:
    std::string name(const SourceDocument& record) {
        ++count_;
        if (options_.ids == QueryOptions::Ids::kSequence) {
            return options_.id_prefix + std::to_string(count_);
        }
        if (record.id.empty()) {
            throw FormatError(record.where,
                              "the query has no id; queries can be numbered in their "
                              "order instead (query ids: sequence)");
        }
        std::string id = prefixed_query(options_.id_prefix, record.id);
        const auto [place, is_new] = first_lines_.emplace(id, record.where.line);
        if (!is_new) {
            throw FormatError(record.where,
                              "query id " + in_quotes(id) + " is there twice, first at line " +
                                  std::to_string(place->second) +
                                  "; queries can be numbered in their order instead (query ids: "
                                  "sequence)");
        }
        return id;
    }

    const QueryOptions& options_;
    std::vector<std::vector<std::string>> groups_;
    std::unordered_map<std::string, std::size_t> first_lines_;
    std::size_t count_ = 0;
};

}  // namespace

const Registry<QueryFormat>& query_formats() {
    static const Registry<QueryFormat> formats(
        "query format",
        {{"smart", "SMART records: .I and an id, then .T and .W", ".I 1", {{"title", "text"}}},
         {"trec",
          "TREC topics: <top> with <num>, <title>, <desc> and <narr>, closed or not; <topic>",
          "<top>",
          {{"title"}, {"query"}}},
         {"jsonl",
          "one JSON object a line, as BEIR's queries.jsonl",
          "{\"_id\": \"1\", \"text\": \"...\"}",
          {{"text"}, {"query"}, {"question"}, {"title"}}},
         {"tsv",
          "id, tab, text; a header line may name more columns",
          "301<TAB>international organized crime",
          {{"text"}, {"query"}, {"question"}, {"title"}}},
         {"lines", "a query a line, named by the line's number", "organized crime", {{"text"}}}});
    return formats;
}

std::vector<SourceQuery> read_queries(const std::string& path, const QueryOptions& options) {
    return read_queries(Input(path), options);
}

std::vector<SourceQuery> read_queries(Input input, const QueryOptions& options) {
    if (!options.format.empty()) query_formats().find(options.format);
    const std::string path = input.path();
    std::string text = read_whole(std::move(input), 0, options.max_line);
    if (trimmed(text).empty()) throw FormatError({path, 0}, "no queries: the file is empty");
    const QueryFormat& format =
        query_formats().find(options.format.empty() ? guess_query_format(text) : options.format);

    ReaderContext context;
    context.options.warn = options.warn;
    context.warnings = std::make_shared<WarningCounter>(options.warn);
    const auto records = read_records(path, std::move(text), format.name, context);
    if (records.empty()) {
        throw FormatError({path, 0}, "no queries, expected format " + format.name + ", as in '" +
                                         format.example + "'");
    }
    QueryMaker maker(format, options);
    std::vector<SourceQuery> queries;
    bool any_text = false;
    for (const SourceDocument& record : records) {
        queries.push_back(maker.make(record));
        any_text = any_text || !queries.back().text.empty();
    }
    if (!any_text) {
        throw FormatError({path, 0}, "no query has the wanted fields (" + maker.wanted() +
                                         "); there are: " + joined(field_names(records)));
    }
    for (const SourceQuery& query : queries) {
        if (!query.text.empty()) continue;
        context.warn(query.where, "the query has no text in the wanted fields",
                     "query " + query.id + ", fields " + maker.wanted());
    }
    context.warnings->report_totals();
    return queries;
}

}  // namespace braid
