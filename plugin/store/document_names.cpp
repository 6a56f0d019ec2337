// SPDX-License-Identifier: GPL-2.0-or-later
#include <charconv>

#include "braid/core/base/bytes.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/terms.h"

namespace braid {
namespace {

constexpr StoredFormat kNamesFormat{.magic = "BrDN", .version = 1, .kind = "documents' names"};

std::string name_from_term(const Xapian::Document& document, const std::string& prefix) {
    Xapian::TermIterator term = document.termlist_begin();
    term.skip_to(prefix);
    if (term == document.termlist_end()) return "";
    const std::string found = *term;
    return found.starts_with(prefix) ? std::string(exact_value(prefix, found)) : "";
}

std::string first_line(const std::string& data) {
    std::string line = data.substr(0, data.find('\n'));
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

}  // namespace

DocumentNameSource DocumentNameSource::parse(std::string_view text) {
    if (text == "data") return {Kind::kData};
    if (text == "docid") return {Kind::kDocid};
    const std::size_t colon = text.find(':');
    const std::string_view kind = text.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    if (kind == "term" && !rest.empty()) return {Kind::kTerm, std::string(rest)};
    if (kind == "value") {
        unsigned slot = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), slot);
        const bool whole = error == std::errc() && end == rest.data() + rest.size();
        if (whole && slot != Xapian::BAD_VALUENO) return {Kind::kValue, {}, slot};
    }
    throw InvalidArgument("document names from '" + std::string(text) +
                          "'; expected term:PREFIX, value:SLOT, data or docid");
}

std::string DocumentNameSource::to_string() const {
    switch (kind) {
        case Kind::kTerm:
            return "term:" + prefix;
        case Kind::kValue:
            return "value:" + std::to_string(slot);
        case Kind::kData:
            return "data";
        case Kind::kDocid:
            break;
    }
    return "docid";
}

std::string document_name(const Xapian::Document& document, const DocumentNameSource& source) {
    switch (source.kind) {
        case DocumentNameSource::Kind::kTerm:
            return name_from_term(document, source.prefix);
        case DocumentNameSource::Kind::kValue:
            return document.get_value(source.slot);
        case DocumentNameSource::Kind::kData:
            return first_line(document.get_data());
        case DocumentNameSource::Kind::kDocid:
            break;
    }
    return std::to_string(document.get_docid());
}

void store_document_names(Xapian::WritableDatabase& database, const DocumentNameSource& source) {
    ByteWriter body;
    body.text(source.to_string());
    database.set_metadata(kDocumentNamesKey, write_stored(kNamesFormat, body));
}

std::optional<DocumentNameSource> load_document_names(const Xapian::Database& database) {
    const std::string where = std::string("metadata key ") + kDocumentNamesKey;
    std::string text = database.get_metadata(kDocumentNamesKey);
    if (text.empty()) return std::nullopt;
    // Older versions wrote the text alone, and so may a person.
    if (text.starts_with(kNamesFormat.magic)) {
        const std::string bytes = text;
        auto [version, in] = read_stored(kNamesFormat, bytes, where);
        text = in.text("place");
        in.finish();
    }
    try {
        return DocumentNameSource::parse(text);
    } catch (const InvalidArgument& error) {
        throw FormatError(where + ": " + error.what());
    }
}

}  // namespace braid
