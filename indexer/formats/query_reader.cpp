// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/query_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "braid/indexer/formats/query_records.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
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
        if (options_.ids == QueryOptions::Ids::kSequence) return std::to_string(count_);
        if (record.id.empty()) {
            throw FormatError(record.where,
                              "the query has no id; queries can be numbered in their "
                              "order instead (query ids: sequence)");
        }
        const auto [place, is_new] = first_lines_.emplace(record.id, record.where.line);
        if (!is_new) {
            throw FormatError(record.where,
                              "query id " + quoted(record.id) + " is there twice, first at line " +
                                  std::to_string(place->second) +
                                  "; queries can be numbered in their order instead (query ids: "
                                  "sequence)");
        }
        return record.id;
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
