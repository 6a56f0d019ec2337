// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "braid/indexer/formats/query_records.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/sgml.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
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

}  // namespace braid
