// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/reader_context.h"

#include <algorithm>
#include <string>
#include <utility>

#include "braid/indexer/formats/text_cleaning.h"

namespace braid {

void WarningCounter::warn(const SourceLocation& where, std::string_view problem,
                          std::string_view detail) {
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&](const Kind& known) { return known.problem == problem; });
    if (kind == kinds_.end()) kind = kinds_.insert(kind, {std::string(problem), 0});
    if (++kind->count > kPassedOn || !sink_) return;
    std::string message = where.to_string() + ": " + kind->problem;
    if (!detail.empty()) message.append(" (").append(detail).append(")");
    sink_(message);
}

void WarningCounter::report_totals() {
    const std::vector<Kind> kinds = std::exchange(kinds_, {});
    for (const Kind& kind : kinds) {
        if (kind.count <= kPassedOn || !sink_) continue;
        sink_(std::to_string(kind.count) + " times in all: " + kind.problem);
    }
}

namespace {

CleaningResult clean_and_trim(std::string& text) {
    const CleaningResult result = clean_text(text);
    const std::string_view wanted = trimmed(text);
    if (wanted.size() == text.size()) return result;
    // The view points into the text, so its place is taken before anything moves.
    const auto begin = static_cast<std::size_t>(wanted.data() - text.data());
    const std::size_t length = wanted.size();
    text.resize(length == 0 ? 0 : begin + length);
    text.erase(0, length == 0 ? 0 : begin);
    return result;
}

// A name is one line.
CleaningResult clean_name(std::string& name) {
    const CleaningResult result = clean_and_trim(name);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return result;
}

}  // namespace

void finish_document(SourceDocument& document, const ReaderContext& context) {
    CleaningResult all = clean_name(document.id);
    const auto add = [&](const CleaningResult& one) {
        all.converted |= one.converted;
        all.had_nul |= one.had_nul;
    };
    for (SourceField& field : document.fields) {
        add(clean_name(field.name));
        add(clean_and_trim(field.text));
    }
    std::erase_if(document.fields, [](const SourceField& field) { return field.text.empty(); });
    if (all.converted) {
        context.warn(document.where, "not UTF-8: the bytes that are not were read as windows-1252");
    }
    if (all.had_nul) context.warn(document.where, "NUL bytes in the text became spaces");
}

bool has_extension(std::string_view path, std::string_view extension) {
    std::string name = lower_cased(path);
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    return name.ends_with(extension);
}

void warn_too_long(const SourceLocation& where, const ReaderContext& context) {
    context.warn(where, "record skipped: longer than " +
                            std::to_string(context.options.max_record) + " bytes");
}

}  // namespace braid
