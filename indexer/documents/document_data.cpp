// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/documents/document_data.h"

#include <algorithm>
#include <string_view>

namespace braid {
namespace {

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escape(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            out += "\\u00";
            out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
            out += "0123456789abcdef"[c & 15];
    }
}

// By runs of plain bytes, since nearly all are: an appended byte at a time is several times slower.
void append_text(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(
            std::find_if(text.begin(), text.end(), needs_escape) - text.begin());
        out.append(text.data(), plain);
        if (plain == text.size()) return;
        append_escape(out, text[plain]);
        text.remove_prefix(plain + 1);
    }
}

bool comes_before(const std::vector<SourceField>& fields, std::size_t index) {
    const auto at = fields.begin() + static_cast<std::ptrdiff_t>(index);
    return std::any_of(fields.begin(), at,
                       [&](const SourceField& field) { return field.name == at->name; });
}

}  // namespace

DocumentDataWriter::DocumentDataWriter(const std::vector<std::string>& stored)
    : stored_(stored), all_(stored == std::vector<std::string>{"*"}) {}

bool DocumentDataWriter::keeps(const std::string& name) const {
    return all_ || std::find(stored_.begin(), stored_.end(), name) != stored_.end();
}

void DocumentDataWriter::write(const SourceDocument& source, std::string& data) const {
    data = "{";
    const std::vector<SourceField>& fields = source.fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!keeps(fields[i].name) || comes_before(fields, i)) continue;
        if (data.size() > 1) data += ',';
        data += '"';
        append_text(data, fields[i].name);
        data += "\":\"";
        append_text(data, fields[i].text);
        for (std::size_t j = i + 1; j < fields.size(); ++j) {
            if (fields[j].name != fields[i].name) continue;
            data += "\\n";
            append_text(data, fields[j].text);
        }
        data += '"';
    }
    data += '}';
}

}  // namespace braid
