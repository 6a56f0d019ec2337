// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

/// Whether `read` takes its input; else it throws a FormatError, which is a right answer to any.
template <typename Read>
bool accepts(const Read& read) {
    try {
        read();
    } catch (const FormatError&) {
        return false;
    }
    return true;
}

// What DocumentReader promises of every text.
inline void check_text(const std::string& text) {
    require(is_utf8(text), "valid UTF-8");
    require(trimmed(text).size() == text.size(), "no blanks around it");
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        require((byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\t', "no controls");
    }
}

/// Reads all documents, checks them, and returns everything that was read as one string; a
/// FormatError, which is a right answer to any input, ends it.
inline std::string read_and_check(DocumentReader& reader, std::size_t most_documents) {
    std::string all;
    SourceDocument document;
    std::size_t documents = 0;
    try {
        while (reader.next(document)) {
            require(++documents <= most_documents, "no more documents than bytes");
            check_text(document.id);
            all += document.where.to_string() + '|' + document.id;
            for (const SourceField& field : document.fields) {
                check_text(field.name);
                check_text(field.text);
                require(!field.text.empty(), "no field without text");
                all += '|' + field.name + '=' + field.text;
            }
            all += '\n';
        }
        require(!reader.next(document), "the end is the end");
    } catch (const FormatError& error) {
        require(error.what()[0] != '\0', "an error says what it is");
        all += error.what();
    }
    return all;
}

}  // namespace braid::fuzz
