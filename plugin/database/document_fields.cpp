// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/document_fields.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "braid/error.h"
#include "braid/plugin/database/xapian_version.h"

namespace braid {
namespace {

using Fields = std::map<std::string, std::string>;

constexpr const char* kTitles[] = {"title", "caption", "subject", "name"};
constexpr const char* kTexts[] = {"text", "sample"};

// Lists and objects within each other: what is deeper is left out, as writing it out takes a frame
// of the stack for each.
constexpr int kMostNesting = 100;

// Reads an object's members, and no tree of values: a tree allocates where it is let go, which ends
// the process if there is no memory.
class FieldReader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    const Fields& fields() const { return fields_; }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override {
        if (depth_ != 1) return add(value);
        fields_[name_] = value;
        return true;
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open('{'); }
    bool end_object() override { return close('}'); }
    bool start_array(std::size_t) override { return depth_ > 0 && open('['); }
    bool end_array() override { return close(']'); }
    bool key(string_t& name) override {
        (depth_ == 1 ? name_ : member_) = name;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        return false;
    }

  private:
    static std::string text_of(const nlohmann::json& scalar) {
        return scalar.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }

    bool add(const nlohmann::json& scalar) {
        if (depth_ == 0) return false;
        if (depth_ == 1) {
            fields_[name_] = text_of(scalar);
        } else if (depth_ < kMostNesting) {
            begin_item();
            text_ += text_of(scalar);
        }
        return true;
    }
    // What stands before an item within a member.
    void begin_item() {
        const bool in_object = in_object_.back();
        if (text_.back() != '{' && text_.back() != '[') text_ += ',';
        if (in_object) text_ += text_of(member_) + ':';
    }
    bool open(char bracket) {
        if (depth_ > 0 && depth_ < kMostNesting) {
            if (depth_ == 1) {
                text_.clear();
            } else {
                begin_item();
            }
            text_ += bracket;
        }
        in_object_.push_back(bracket == '{');
        ++depth_;
        return true;
    }
    bool close(char bracket) {
        in_object_.pop_back();
        --depth_;
        if (depth_ > 0 && depth_ < kMostNesting) text_ += bracket;
        if (depth_ == 1) fields_[name_] = text_;
        return true;
    }

    Fields fields_;
    std::string name_;    ///< The member's name.
    std::string text_;    ///< JSON text read so far of a member that is an array or object.
    std::string member_;  ///< The last name in `text_`.
    std::vector<bool> in_object_;
    int depth_ = 0;
};

Fields json_fields(const std::string& data) {
    FieldReader reader;
    return nlohmann::json::sax_parse(data, &reader) ? reader.fields() : Fields{};
}

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
}

// All lines must be of that form: other text may well begin with one.
Fields line_fields(std::string_view data) {
    Fields fields;
    while (!data.empty()) {
        const std::string_view line = data.substr(0, data.find('\n'));
        data.remove_prefix(std::min(line.size() + 1, data.size()));
        if (line.empty()) continue;
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos || !is_name(line.substr(0, equals))) return {};
        std::string& value = fields[std::string(line.substr(0, equals))];
        if (!value.empty()) value += '\n';
        value += line.substr(equals + 1);
    }
    return fields;
}

}  // namespace

Fields document_fields(const std::string& data) {
    if (!data.empty() && data[0] == '{') return json_fields(data);
    return line_fields(data);
}

std::string document_title(const Fields& fields, const std::string& data) {
    for (const char* name : kTitles) {
        const auto found = fields.find(name);
        if (found != fields.end() && !found->second.empty()) return found->second;
    }
    return fields.empty() ? data.substr(0, data.find('\n')) : "";
}

std::string document_text(const Fields& fields, const std::string& data) {
    if (fields.empty()) return data;
    for (const char* name : kTexts) {
        const auto found = fields.find(name);
        if (found != fields.end() && !found->second.empty()) return found->second;
    }
    std::string text;
    for (const auto& [name, value] : fields) {
        const bool title =
            std::find(std::begin(kTitles), std::end(kTitles), name) != std::end(kTitles);
        if (!title) text += value + "\n";
    }
    return text;
}

namespace {

double words_now(const RecordedField& field, double documents) {
    const auto words = static_cast<double>(field.words);
    const auto counted = static_cast<double>(field.documents);
    if (counted == documents || counted == 0) return words;
    return words / counted * documents;
}

}  // namespace

std::size_t place_of_field(const DocumentRecords& records, const std::string& field) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < records.fields.size(); ++i) {
        if (records.fields[i].name == field) return i;
        known.push_back(records.fields[i].name);
    }
    throw ModelMismatch(fmt::format(
        "the field '{}' can't be scored alone, since the database doesn't hold its length in each "
        "document; {}. `braid adopt --statistics` records every field that has a prefix of its own "
        "and is indexed by words",
        field,
        known.empty() ? "it holds that of no field"
                      : fmt::format("it holds that of {}", fmt::join(known, ", "))));
}

std::vector<FieldCollection> field_collections(const Xapian::Database& database,
                                               const std::vector<std::string>& fields) {
    std::vector<FieldCollection> result;
    if (fields.empty()) return result;
    std::vector<Xapian::Database> shards = shards_of(database);
    // Where they can't be separated the first one's words are known, and stand for all.
    if (shards.empty()) shards = {database};
    for (const std::string& name : fields) {
        FieldCollection& field = result.emplace_back();
        field.name = name;
        field.collection.documents = static_cast<double>(database.get_doccount());
    }
    for (const Xapian::Database& shard : shards) {
        const DocumentRecords records = load_document_records(shard).value_or(DocumentRecords{});
        for (FieldCollection& field : result) {
            const RecordedField& recorded = records.fields[place_of_field(records, field.name)];
            if (!field.prefix.empty() && field.prefix != recorded.prefix) {
                throw ModelMismatch(
                    fmt::format("the field '{}' has the prefix {} in one shard and {} in another",
                                field.name, field.prefix, recorded.prefix));
            }
            field.prefix = recorded.prefix;
            field.collection.total_length +=
                words_now(recorded, static_cast<double>(shard.get_doccount()));
        }
    }
    return result;
}

}  // namespace braid
