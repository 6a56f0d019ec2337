// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"
#include "braid/core/settings/settings.h"

namespace braid {
namespace {

template <typename Number>
void check_range(const std::string& path, Number value, Number minimum, Number maximum) {
    if (value < minimum || value > maximum) {
        throw InvalidSetting(path,
                             fmt::format("found {}, expected {} to {}", value, minimum, maximum));
    }
}

void check_analysis(const AnalysisSettings& analysis) {
    check_range("analysis.max_word_length", analysis.max_word_length, 1U,
                AnalysisSettings::kMaxWordLength);
    if (analysis.stemmer.empty()) {
        throw InvalidSetting("analysis.stemmer", "found nothing, expected a language or none");
    }
    if (analysis.stop_words.empty()) {
        throw InvalidSetting("analysis.stop_words",
                             "found nothing, expected none, english or a file");
    }
}

// What begins with a capital letter has a prefix, by Xapian's conventions. Q holds the documents'
// names, Z their stems, R marked capitals in old databases: a field with one of these would corrupt
// them.
void check_prefix(const std::string& path, const std::string& prefix) {
    if (prefix.empty()) return;
    const bool printable =
        std::all_of(prefix.begin(), prefix.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (prefix[0] < 'A' || prefix[0] > 'Z' || !printable ||
        prefix.size() > FieldSettings::kMaxPrefixLength) {
        throw InvalidSetting(
            path, "found " + shown(prefix) + ", expected a capital letter, or X and more of them");
    }
    if (prefix.find_first_of("QRZ") == 0 || prefix.starts_with("XBRAID")) {
        throw InvalidSetting(path, "found " + shown(prefix) +
                                       ", but what begins with Q, R, Z or XBRAID has a meaning of "
                                       "its own; expected another capital letter, or X and more");
    }
}

// A term of one field must not read as a term of another: SX is either S with X.. or SX.
void check_prefixes_apart(const std::string& path, const FieldSettings& first,
                          const FieldSettings& second) {
    if (first.prefix.empty() || second.prefix.empty()) return;
    if (first.prefix.starts_with(second.prefix) || second.prefix.starts_with(first.prefix)) {
        throw InvalidSetting(
            path, fmt::format("found {}, which can't be told apart in terms from "
                              "prefix {} of field {}",
                              shown(second.prefix), shown(first.prefix), shown(first.name)));
    }
}

void check_slot(const std::string& path, int slot) {
    if (slot == FieldSettings::kNoSlot) return;
    if (slot == 0) {
        throw InvalidSetting(path, fmt::format("found 0, but that slot holds documents' names; "
                                               "expected 1 to {}, or -1 for none",
                                               FieldSettings::kMaxSlot));
    }
    if (slot < 0 || slot > FieldSettings::kMaxSlot) {
        throw InvalidSetting(path, fmt::format("found {}, expected 1 to {}, or -1 for none", slot,
                                               FieldSettings::kMaxSlot));
    }
}

void check_field(const std::string& path, const FieldSettings& field) {
    if (field.name.empty()) throw InvalidSetting(path + ".name", "found nothing, expected a name");
    check_prefix(path + ".prefix", field.prefix);
    check_range(path + ".weight", field.weight, 1U, FieldSettings::kMaxWeight);
    if (field.weight != 1 && !field.free_text) {
        throw InvalidSetting(path + ".weight",
                             fmt::format("found {} without free_text, the only text it is for; "
                                         "expected 1 or free_text",
                                         field.weight));
    }
    check_slot(path + ".slot", field.slot);
    if (field.exact && field.prefix.empty()) {
        throw InvalidSetting(path + ".exact",
                             "found true without a prefix, expected a prefix to filter by");
    }
    if (field.numeric && field.slot == FieldSettings::kNoSlot) {
        throw InvalidSetting(path + ".numeric",
                             "found true without a slot, expected a slot to sort by");
    }
    if (!field.free_text && field.prefix.empty() && field.slot == FieldSettings::kNoSlot) {
        throw InvalidSetting(path,
                             "found no prefix, no slot and no free text, expected one of "
                             "them, or no entry for '" +
                                 field.name + "'");
    }
}

void check_fields(const std::vector<FieldSettings>& fields) {
    std::set<std::string> names;
    std::set<int> slots;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string path = fmt::format("fields[{}]", i);
        const FieldSettings& field = fields[i];
        check_field(path, field);
        if (!names.insert(field.name).second) {
            throw InvalidSetting(path + ".name", "found " + shown(field.name) +
                                                     " a second time, expected each name once");
        }
        if (field.slot != FieldSettings::kNoSlot && !slots.insert(field.slot).second) {
            throw InvalidSetting(
                path + ".slot",
                fmt::format("found {} a second time, expected each slot once", field.slot));
        }
        for (std::size_t j = 0; j < i; ++j)
            check_prefixes_apart(path + ".prefix", fields[j], field);
    }
}

void check_stored(const std::vector<std::string>& stored) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::string path = fmt::format("stored[{}]", i);
        if (stored[i].empty()) throw InvalidSetting(path, "found nothing, expected a field's name");
        if (stored[i] == "*" && stored.size() > 1) {
            throw InvalidSetting(path, "found '*', which stands for all, beside other names");
        }
        if (!names.insert(stored[i]).second) {
            throw InvalidSetting(
                path, "found " + shown(stored[i]) + " a second time, expected each name once");
        }
    }
}

}  // namespace

void validate(const IndexSettings& settings) {
    check_analysis(settings.analysis);
    check_fields(settings.fields);
    check_stored(settings.stored);
    check_range<std::size_t>("batch", settings.batch, 1, IndexSettings::kMaxBatch);
}

void validate(const SearchSettings& settings) {
    if (settings.default_operator != "or" && settings.default_operator != "and") {
        throw InvalidSetting("default_operator",
                             "found " + shown(settings.default_operator) + ", expected or, and");
    }
    check_range<std::size_t>("snippet_length", settings.snippet_length, 0,
                             SearchSettings::kMaxSnippetLength);
}

void validate(const std::vector<TopicSettings>& settings) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const std::string path = fmt::format("[{}]", i);
        try {
            validate(settings[i]);
        } catch (const InvalidSetting& error) {
            throw InvalidSetting(path + "." + error.path(), error.problem());
        }
        if (!names.insert(settings[i].label()).second) {
            throw InvalidSetting(path + ".name", "found " + shown(settings[i].label()) +
                                                     ", which another topic model is called; "
                                                     "expected a name of its own");
        }
    }
}

}  // namespace braid
