// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <utility>

#include "braid/indexer/formats/sgml.h"
#include "braid/indexer/formats/text_cleaning.h"
#include "braid/indexer/formats/text_documents.h"

namespace braid {
namespace {

struct Boundary {
    std::size_t begin = std::string_view::npos;  // npos: there is none.
    std::size_t end = std::string_view::npos;    // Behind "<DOC" or "</DOC".
    bool is_end = false;
};

// The next "<DOC" or "</DOC" of `text`, in any case, that no name character follows.
Boundary find_boundary(std::string_view text) {
    constexpr std::string_view kName = "doc";
    for (std::size_t at = text.find('<'); at != std::string_view::npos;
         at = text.find('<', at + 1)) {
        const bool is_end = text.substr(at + 1).starts_with('/');
        const std::size_t name = at + (is_end ? 2 : 1);
        if (lower_cased(text.substr(name, kName.size())) != kName) continue;
        const std::size_t end = name + kName.size();
        if (end == text.size() || text[end] == '>' ||
            kWhiteSpace.find(text[end]) != std::string_view::npos) {
            return {at, end, is_end};
        }
    }
    return {};
}

// The first of the usual names of a document's number that it has becomes its id.
void take_id(SourceDocument& document) {
    for (const std::string_view name : {"docno", "docid", "id"}) {
        const auto field = std::find_if(document.fields.begin(), document.fields.end(),
                                        [&](const SourceField& one) { return one.name == name; });
        if (field == document.fields.end()) continue;
        document.id = std::move(field->text);
        document.fields.erase(field);
        return;
    }
}

}  // namespace

int TrecDocuments::recognise(const std::string&, std::string_view head) {
    const Boundary first = find_boundary(head);
    if (first.is_end || first.begin == std::string_view::npos) return 0;
    // Only markup may stand before the first record: "<?xml ...?>", a root, comments.
    const std::string_view before = trimmed(head.substr(0, first.begin));
    if (!before.empty() && !(before.starts_with('<') && before.ends_with('>'))) return 0;
    const std::string text = lower_cased(head);
    if (text.find("<docno") != std::string::npos || text.find("<docid") != std::string::npos) {
        return 100;
    }
    // Other XML has <doc> too; "<doc id=..." is what tools that imitate TREC write.
    return trimmed(text.substr(first.end, 100)).starts_with("id=") ? 80 : 30;
}

// Reads a line into rest_ unless one is there already, maybe consumed to its end.
bool TrecDocuments::has_line() {
    if (!has_line_) has_line_ = lines_.next(rest_);
    return has_line_;
}

// Goes behind the next "<DOC".
bool TrecDocuments::find_record() {
    for (; has_line(); has_line_ = false) {
        for (Boundary next = find_boundary(rest_); next.begin != std::string_view::npos;
             next = find_boundary(rest_)) {
            rest_.remove_prefix(next.end);
            if (!next.is_end) {
                where_ = lines_.where();
                return true;
            }
            context_.warn(lines_.where(), "</DOC> without <DOC>: what is before it was skipped");
        }
    }
    if (records_ == 0 && lines_.line_number() > 0) {
        throw FormatError({lines_.where().file, 1}, "not TREC: no <DOC> found");
    }
    return false;
}

// Collects the record up to "</DOC>", or to the next "<DOC" or the end where that is missing.
// False if it is too long to keep.
bool TrecDocuments::read_record() {
    record_.clear();
    ++records_;
    std::size_t size = 0;
    const std::size_t max = context_.options.max_record;
    const auto add = [&](std::string_view text) {
        size = lines_.was_cut() ? max + 1 : size + text.size();
        if (size <= max) record_.append(text);
    };
    while (has_line()) {
        const Boundary next = find_boundary(rest_);
        add(rest_.substr(0, next.begin));
        if (next.begin == std::string_view::npos) {
            add("\n");
            has_line_ = false;
            continue;
        }
        rest_.remove_prefix(next.is_end ? next.end : next.begin);
        if (!next.is_end) break;
        rest_.remove_prefix(rest_.find('>') + 1);  // Nothing where the line ends before it.
        return size <= max;
    }
    context_.warn(where_, "no </DOC>: the document ends where the next begins, or the file ends");
    return size <= max;
}

bool TrecDocuments::next(SourceDocument& document) {
    while (find_record()) {
        document.where = where_;
        document.id.clear();
        document.fields.clear();
        if (!read_record()) {
            warn_too_long(document.where, context_);
            continue;
        }
        parse_sgml_record(record_, document.fields);
        take_id(document);
        finish_document(document, context_);
        return true;
    }
    return false;
}

}  // namespace braid
