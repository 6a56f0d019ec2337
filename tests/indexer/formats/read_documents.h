// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/indexer/formats/document_reader.h"
#include "braid/tests/support/support.h"

namespace braid::test {

struct ReadResult {
    std::vector<SourceDocument> documents;
    std::vector<std::string> warnings;
};

inline ReadResult read_all(DocumentReader& reader, const std::vector<std::string>& warnings) {
    ReadResult result;
    SourceDocument document;
    while (reader.next(document)) result.documents.push_back(document);
    CHECK_FALSE(reader.next(document));
    result.warnings = warnings;
    return result;
}

/// All documents and warnings of `text` in memory, named "input", read in pieces of `piece` bytes.
inline ReadResult read_text(const std::string& text, const std::string& format,
                            ReaderOptions options = {}, std::size_t piece = SIZE_MAX) {
    std::vector<std::string> warnings;
    options.warn = [&](const std::string& message) { warnings.push_back(message); };
    return read_all(*open_documents(Input::from_memory(text, "input", piece), format, options),
                    warnings);
}

inline ReadResult read_paths(const std::vector<std::string>& paths, const std::string& format,
                             ReaderOptions options = {}) {
    std::vector<std::string> warnings;
    options.warn = [&](const std::string& message) { warnings.push_back(message); };
    return read_all(*open_documents(paths, format, options), warnings);
}

/// "id|name=text|name=text", for comparing whole documents.
inline std::string flat(const SourceDocument& document) {
    std::string result = document.id;
    for (const SourceField& field : document.fields) result += '|' + field.name + '=' + field.text;
    return result;
}

inline std::vector<std::string> flat(const ReadResult& result) {
    std::vector<std::string> all;
    for (const SourceDocument& document : result.documents) all.push_back(flat(document));
    return all;
}

using Texts = std::vector<std::string>;

}  // namespace braid::test
