// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/documents/document_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/terms.h"

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

std::string CachingStemmer::operator()(const std::string& word) {
    Entry& entry = entries_[std::hash<std::string>()(word) % kPlaces];
    if (entry.word != word) {
        entry.stem = stem_(word);
        entry.word = word;
    }
    return entry.stem;
}

namespace {

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<double> number_in(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
        return std::nullopt;
    }
    return number;
}

}  // namespace

DocumentBuilder::DocumentBuilder(const IndexSettings& settings,
                                 const Xapian::WritableDatabase& spelling, WarningSink warn)
    : analysis_(settings.analysis),
      stopper_(make_stopper(settings.analysis)),
      warn_(std::move(warn)) {
    for (const FieldSettings& field : settings.fields) fields_.emplace(field.name, field);
    configure(generator_, analysis_, stopper_.get());
    const Xapian::Stem stem = make_stemmer(analysis_);
    if (!stem.is_none()) generator_.set_stemmer(Xapian::Stem(new CachingStemmer(stem)));
    if (analysis_.spelling) generator_.set_database(spelling);
}

DocumentBuilder::~DocumentBuilder() = default;

Xapian::Document DocumentBuilder::build(const SourceDocument& source, const std::string& name,
                                        const std::string& id_term, const std::string& data) {
    Xapian::Document document;
    generator_.set_document(document);
    for (const SourceField& source_field : source.fields) {
        const auto found = fields_.find(source_field.name);
        if (found == fields_.end()) continue;
        add_words(found->second, source_field.text);
    }
    has_words_ = document.termlist_count() > 0;
    for (const SourceField& source_field : source.fields) {
        const auto found = fields_.find(source_field.name);
        if (found == fields_.end()) continue;
        const FieldSettings& field = found->second;
        if (field.exact) add_exact(document, field, source_field.text);
        if (field.slot != FieldSettings::kNoSlot) {
            add_value(document, field, source, source_field.text);
        }
    }
    document.add_boolean_term(id_term);
    document.add_value(kNameSlot, name);
    document.set_data(data);
    return document;
}

// The words as free text and those with the field's prefix take the same positions.
void DocumentBuilder::add_words(const FieldSettings& field, const std::string& text) {
    const bool by_name = !field.prefix.empty() && !field.exact;
    if (!field.free_text && !by_name) return;
    const Xapian::termpos start = generator_.get_termpos();
    if (field.free_text) add_words(text, field.weight, "");
    if (by_name) {
        generator_.set_termpos(start);
        add_words(text, 1, field.prefix);
    }
    generator_.increase_termpos(kFieldGap);
}

void DocumentBuilder::add_words(const std::string& text, unsigned weight,
                                const std::string& prefix) {
    generator_.set_max_word_length(longest_word(analysis_, prefix));
    if (analysis_.positions) {
        generator_.index_text(text, weight, prefix);
    } else {
        generator_.index_text_without_positions(text, weight, prefix);
    }
}

void DocumentBuilder::add_exact(Xapian::Document& document, const FieldSettings& field,
                                std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view value = trim(text.substr(0, end));
        if (!value.empty()) document.add_boolean_term(exact_term(field.prefix, value));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// A field that comes several times sorts by its first value.
void DocumentBuilder::add_value(Xapian::Document& document, const FieldSettings& field,
                                const SourceDocument& source, const std::string& text) {
    const auto slot = static_cast<Xapian::valueno>(field.slot);
    const std::string_view value = trim(text);
    if (value.empty() || !document.get_value(slot).empty()) return;
    if (!field.numeric) {
        document.add_value(slot, std::string(value));
    } else if (const std::optional<double> number = number_in(value)) {
        document.add_value(slot, Xapian::sortable_serialise(*number));
    } else if (warn_) {
        warn_(source.where.to_string() + ": field '" + field.name + "': found '" +
              std::string(value.substr(0, 40)) + "', expected a number; the slot stays empty");
    }
}

}  // namespace braid
