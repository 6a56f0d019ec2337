// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/json_documents.h"

#include <utility>

#include "braid/indexer/formats/field_ids.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid {

JsonDocuments::JsonDocuments(Input input, const ReaderContext& context)
    : context_(context), lines_(std::move(input), context.options.max_record) {}

int JsonDocuments::recognise(const std::string&, std::string_view head) {
    const std::size_t begin = head.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos || head[begin] != '{') return 0;
    const std::size_t end = head.find('\n', begin);
    std::vector<JsonValue> values;
    const JsonProblem problem = parse_json_object(head.substr(begin, end - begin), values);
    if (problem.what.empty()) return 100;
    // A first object longer than the head: its end is missing, and some of it has been read.
    return end == std::string_view::npos && !values.empty() ? 90 : 0;
}

// Fills values_; false if the line was skipped. A first line that is wrong says that the file is
// no JSON lines at all; a later one that something happened to that line.
bool JsonDocuments::parse(std::string_view line) {
    values_.clear();
    const JsonProblem problem = parse_json_object(line, values_);
    if (problem.what.empty()) return true;
    const std::string what = "column " + std::to_string(problem.column) + ": " + problem.what;
    if (records_ == 0) {
        throw FormatError(lines_.where(), what + "; expected one JSON object a line");
    }
    context_.warn(lines_.where(), "record skipped: broken JSON", what);
    return false;
}

bool JsonDocuments::next(SourceDocument& document) {
    std::string_view line;
    while (lines_.next(line)) {
        if (lines_.was_cut()) {
            warn_too_long(lines_.where(), context_);
            continue;
        }
        if (trimmed(line).empty() || !parse(line)) continue;
        ++records_;
        document.where = lines_.where();
        document.id.clear();
        document.fields.clear();
        names_.clear();
        for (JsonValue& value : values_) {
            value.path = lower_cased(value.path);
            names_.push_back(value.path);
        }
        const std::size_t id = find_id_field(names_, context_.options.id_field);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (i == id) {
                document.id = std::move(values_[i].text);
            } else {
                document.fields.push_back({std::move(values_[i].path), std::move(values_[i].text)});
            }
        }
        finish_document(document, context_);
        return true;
    }
    return false;
}

}  // namespace braid
