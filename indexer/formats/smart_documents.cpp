// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "braid/indexer/formats/text_cleaning.h"
#include "braid/indexer/formats/text_documents.h"

namespace braid {
namespace {

// The capital of a line ".T", which may have blanks behind it; of ".I" with anything behind the
// blanks; '\0' of any other line. So ".NET" and ".5 inch" are text.
char tag_of(std::string_view line) {
    if (line.size() < 2 || line[0] != '.' || line[1] < 'A' || line[1] > 'Z') return '\0';
    if (line.size() == 2) return line[1];
    const std::size_t rest = line.find_first_not_of(" \t", 2);
    if (rest == 2) return '\0';
    return rest == std::string_view::npos || line[1] == 'I' ? line[1] : '\0';
}

constexpr std::pair<char, const char*> kFieldNames[] = {
    {'T', "title"},    {'A', "author"},   {'B', "source"}, {'W', "text"},
    {'K', "keywords"}, {'C', "category"}, {'N', "note"},   {'X', "references"}};

std::string field_name(char tag) {
    for (const auto& [known, name] : kFieldNames) {
        if (known == tag) return name;
    }
    return {static_cast<char>(tag - 'A' + 'a')};
}

}  // namespace

int SmartDocuments::recognise(const std::string&, std::string_view head) {
    const std::size_t begin = head.find_first_not_of(kWhiteSpace);
    if (begin == std::string_view::npos) return 0;
    const std::string_view line = head.substr(begin, head.find('\n', begin) - begin);
    return tag_of(line) == 'I' && !trimmed(line.substr(2)).empty() ? 100 : 0;
}

bool SmartDocuments::find_first_record() {
    std::string_view line;
    while (lines_.next(line)) {
        if (tag_of(line) == 'I') {
            id_ = line.substr(2);
            where_ = lines_.where();
            at_record_ = true;
            return true;
        }
        if (trimmed(line).empty()) continue;
        throw FormatError(lines_.where(),
                          "not SMART: expected '.I <id>', found '" + excerpt(line) + "'");
    }
    return false;
}

// Reads up to the next record's first line; false if the record is too long to keep.
bool SmartDocuments::read_fields(SourceDocument& document) {
    std::size_t size = 0;
    std::string* text = nullptr;
    std::string_view line;
    at_record_ = false;
    while (lines_.next(line)) {
        const char tag = tag_of(line);
        if (tag == 'I') {
            id_ = line.substr(2);
            where_ = lines_.where();
            at_record_ = true;
            break;
        }
        size += line.size() + 1;
        if (lines_.was_cut()) size = context_.options.max_record + 1;
        if (size > context_.options.max_record) continue;
        if (tag != '\0') {
            text = &document.fields.emplace_back(SourceField{field_name(tag), {}}).text;
            continue;
        }
        if (text == nullptr) text = &document.fields.emplace_back(SourceField{"text", {}}).text;
        text->append(line).push_back('\n');
    }
    return size <= context_.options.max_record;
}

bool SmartDocuments::next(SourceDocument& document) {
    if (!at_record_ && lines_.line_number() > 0) return false;
    if (!at_record_ && !find_first_record()) return false;
    while (at_record_) {
        document.fields.clear();
        document.id = id_;
        document.where = where_;
        if (read_fields(document)) {
            finish_document(document, context_);
            return true;
        }
        warn_too_long(document.where, context_);
    }
    return false;
}

}  // namespace braid
