// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/text_documents.h"

#include <algorithm>
#include <utility>

#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
namespace {

constexpr std::size_t kLongestTitle = 200;
constexpr std::size_t kReadAhead = std::size_t{1} << 16;

// Markdown's "## Title" is "Title".
std::string_view without_mark(std::string_view title) {
    const std::size_t marks = title.find_first_not_of('#');
    if (marks == 0 || marks > 6 || title.substr(marks, 1) != " ") return title;
    return title.substr(marks);
}

}  // namespace

TextDocuments::TextDocuments(Input input, const ReaderContext& context)
    : context_(context), input_(std::move(input)) {}

int TextDocuments::recognise(const std::string& path, std::string_view) {
    for (const char* extension : {".txt", ".text", ".md", ".rst", ".org", ".adoc"}) {
        if (has_extension(path, extension)) return 60;
    }
    return 0;
}

// False if the file is longer than a record may be.
bool TextDocuments::read_all(std::string& text) {
    const std::size_t max = context_.options.max_record;
    std::size_t used = 0;
    for (;;) {
        if (text.size() - used < kReadAhead) text.resize(used + std::max(kReadAhead, used));
        const std::size_t count = input_.read(text.data() + used, text.size() - used);
        used += count;
        if (used > max) return false;
        if (count == 0) break;
    }
    text.resize(used);
    return true;
}

bool TextDocuments::next(SourceDocument& document) {
    if (std::exchange(done_, true)) return false;
    document.where = {input_.path(), 1};
    document.id = input_.path() == "-" ? "" : input_.path();
    document.fields.clear();
    std::string text;
    if (!read_all(text)) {
        warn_too_long({input_.path(), 0}, context_);
        return false;
    }
    if (text.find('\0') != std::string::npos) {
        context_.warn({input_.path(), 0}, "file skipped: binary");
        return false;
    }
    const std::size_t begin = std::min(text.find_first_not_of(kWhiteSpace), text.size());
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    std::string title(without_mark(std::string_view(text).substr(begin, end - begin)));
    if (title.empty() || title.size() > kLongestTitle) {
        title = input_.path().substr(input_.path().rfind('/') + 1);
    } else {
        text.erase(0, end);
    }
    document.fields.push_back({"title", std::move(title)});
    document.fields.push_back({"text", std::move(text)});
    finish_document(document, context_);
    return true;
}

}  // namespace braid
