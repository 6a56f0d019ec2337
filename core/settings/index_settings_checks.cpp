// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/index_settings_checks.h"

#include <algorithm>
#include <string_view>

#include "braid/core/error.h"

namespace braid {
namespace {

[[noreturn]] void refuse(const FieldSettings& field, const std::string& problem) {
    throw InvalidArgument("field '" + field.name + "': " + problem);
}

std::string range(const std::string& name, long long found, long long most) {
    return name + " " + std::to_string(found) + ", expected 1 to " + std::to_string(most);
}

void validate_prefix(const FieldSettings& field) {
    const std::string& prefix = field.prefix;
    if (prefix.empty()) {
        if (field.exact) refuse(field, "exact needs a prefix, such as XCATEGORY");
        return;
    }
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (!std::all_of(prefix.begin(), prefix.end(), is_capital) ||
        prefix.size() > kMaxPrefixLength) {
        refuse(field, "prefix '" + prefix + "', expected 1 to " + std::to_string(kMaxPrefixLength) +
                          " capital letters A to Z");
    }
    // Q identifies documents, Z marks stems, R marked capitals in old databases.
    if (prefix.starts_with('Q') || prefix.starts_with('Z') || prefix.starts_with('R') ||
        prefix.starts_with("XBRAID")) {
        refuse(field, "prefix '" + prefix +
                          "' is taken; prefixes that begin with Q, R, Z or XBRAID " +
                          "have a meaning of their own");
    }
}

void validate_field(const FieldSettings& field) {
    if (field.name.empty()) throw InvalidArgument("a field without a name");
    validate_prefix(field);
    if (field.weight < 1 || field.weight > kMaxFieldWeight) {
        refuse(field, range("weight", field.weight, kMaxFieldWeight));
    }
    if (field.slot != -1 && (field.slot < 1 || field.slot > kMaxSlot)) {
        refuse(field, range("slot", field.slot, kMaxSlot) + " (0 holds the names), or -1 for none");
    }
    if (field.numeric && field.slot == -1) refuse(field, "numeric needs a slot");
}

void validate_pair(const FieldSettings& first, const FieldSettings& second) {
    if (first.name == second.name) refuse(first, "is named twice");
    if (first.slot != -1 && first.slot == second.slot) {
        refuse(second, "slot " + std::to_string(second.slot) + " is '" + first.name + "'s already");
    }
    const std::string& shorter =
        first.prefix.size() < second.prefix.size() ? first.prefix : second.prefix;
    if (shorter.empty()) return;
    if (first.prefix.starts_with(shorter) && second.prefix.starts_with(shorter)) {
        refuse(second, "prefix '" + second.prefix + "' and prefix '" + first.prefix +
                           "' of field '" + first.name + "' can't be told apart in terms");
    }
}

const char* yes_no(bool value) { return value ? "yes" : "no"; }

const char* stemming_name(AnalysisSettings::Stemming stemming) {
    switch (stemming) {
        case AnalysisSettings::Stemming::kSome:
            return "some";
        case AnalysisSettings::Stemming::kAll:
            return "all";
        case AnalysisSettings::Stemming::kNone:
            break;
    }
    return "none";
}

std::string join(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) result += (result.empty() ? "" : " ") + word;
    return result.empty() ? "nothing" : result;
}

// Collects the first pair of values that differ.
class Comparison {
  public:
    void text(const std::string& name, const std::string& first, const std::string& second) {
        if (result_.empty() && first != second) result_ = name + ": " + first + ", " + second;
    }
    void number(const std::string& name, long long first, long long second) {
        text(name, std::to_string(first), std::to_string(second));
    }
    void flag(const std::string& name, bool first, bool second) {
        text(name, yes_no(first), yes_no(second));
    }
    const std::string& result() const { return result_; }

  private:
    std::string result_;
};

void compare(Comparison& comparison, const AnalysisSettings& first,
             const AnalysisSettings& second) {
    comparison.text("stemmer", first.stemmer, second.stemmer);
    comparison.text("stemming", stemming_name(first.stemming), stemming_name(second.stemming));
    if (first.stop_list != second.stop_list) {
        comparison.text(
            "stop words",
            first.stop_words + " (" + std::to_string(first.stop_list.size()) + " words)",
            second.stop_words + " (" + std::to_string(second.stop_list.size()) +
                " words, not the same ones)");
    }
    comparison.flag("stop_documents", first.stop_documents, second.stop_documents);
    comparison.flag("positions", first.positions, second.positions);
    comparison.number("max_word_length", first.max_word_length, second.max_word_length);
}

void compare(Comparison& comparison, const FieldSettings& first, const FieldSettings& second) {
    const std::string name = "field '" + first.name + "' ";
    comparison.text(name + "prefix", "'" + first.prefix + "'", "'" + second.prefix + "'");
    comparison.flag(name + "free_text", first.free_text, second.free_text);
    comparison.flag(name + "exact", first.exact, second.exact);
    comparison.number(name + "weight", first.weight, second.weight);
    comparison.number(name + "slot", first.slot, second.slot);
    comparison.flag(name + "numeric", first.numeric, second.numeric);
}

std::vector<FieldSettings> sorted_by_name(std::vector<FieldSettings> fields) {
    std::sort(fields.begin(), fields.end(),
              [](const FieldSettings& a, const FieldSettings& b) { return a.name < b.name; });
    return fields;
}

std::vector<std::string> names_of(const std::vector<FieldSettings>& fields) {
    std::vector<std::string> names;
    for (const FieldSettings& field : fields) names.push_back(field.name);
    return names;
}

}  // namespace

void validate(const IndexSettings& settings) {
    const unsigned length = settings.analysis.max_word_length;
    if (length < 1 || length > kMaxWordLength) {
        throw InvalidArgument(range("max_word_length", length, kMaxWordLength));
    }
    if (settings.batch == 0) throw InvalidArgument("batch 0, expected at least 1 document");
    const std::vector<FieldSettings>& fields = settings.fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        validate_field(fields[i]);
        for (std::size_t j = 0; j < i; ++j) validate_pair(fields[j], fields[i]);
    }
}

std::string difference(const IndexSettings& first, const IndexSettings& second) {
    Comparison comparison;
    compare(comparison, first.analysis, second.analysis);
    const std::vector<FieldSettings> fields_1 = sorted_by_name(first.fields);
    const std::vector<FieldSettings> fields_2 = sorted_by_name(second.fields);
    comparison.text("fields", join(names_of(fields_1)), join(names_of(fields_2)));
    if (fields_1.size() == fields_2.size()) {
        for (std::size_t i = 0; i < fields_1.size(); ++i) {
            compare(comparison, fields_1[i], fields_2[i]);
        }
    }
    comparison.text("stored", join(first.stored), join(second.stored));
    return comparison.result();
}

}  // namespace braid
