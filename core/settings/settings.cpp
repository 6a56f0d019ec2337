// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/settings.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/topics.h"

namespace braid {

std::vector<FieldSettings> default_fields() {
    // Prefixes follow Xapian's conventions (S subject, A author, K keyword; X for one's own). That
    // titles count twice and authors are found by free text is worth .004 to .013 of MAP on the
    // classic collections that have them.
    return {
        {.name = "title", .prefix = "S", .weight = 2},
        {.name = "text"},
        {.name = "keywords", .prefix = "K"},
        {.name = "name", .prefix = "XNAME"},
        {.name = "author", .prefix = "A"},
        {.name = "source", .prefix = "XSOURCE", .free_text = false},
        {.name = "section", .prefix = "XSECTION", .free_text = false, .exact = true},
        {.name = "tag", .prefix = "XTAG", .free_text = false, .exact = true},
    };
}

namespace {

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
class SettingsComparison {
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

void compare(SettingsComparison& comparison, const AnalysisSettings& first,
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
    comparison.flag("spelling", first.spelling, second.spelling);
    comparison.number("max_word_length", first.max_word_length, second.max_word_length);
}

void compare(SettingsComparison& comparison, const FieldSettings& first,
             const FieldSettings& second) {
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
    names.reserve(fields.size());
    for (const FieldSettings& field : fields) names.push_back(field.name);
    return names;
}

}  // namespace

std::string index_settings_difference(const IndexSettings& first, const IndexSettings& second) {
    SettingsComparison comparison;
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

namespace {

constexpr std::size_t kMaxNameBytes = 64;

template <typename Number>
void check_range(const std::string& path, Number value, Number minimum, Number maximum) {
    if (value < minimum || value > maximum) {
        throw InvalidSetting(path,
                             fmt::format("found {}, expected {} to {}", value, minimum, maximum));
    }
}

}  // namespace

TopicOptions TopicSettings::options() const {
    return {.dimensions = dimensions, .seed = seed, .parameters = parameters, .choices = choices};
}

std::string TopicSettings::label() const { return name.empty() ? model : name; }

namespace {

// They are stored whole, and in no cluster.
void check_neighbours(const TopicSettings& settings) {
    if (settings.dimensions < 1 || settings.dimensions > kMostNeighbours) {
        throw InvalidSetting(
            "dimensions", fmt::format("found {}, expected 1 to {}: how many neighbours a document "
                                      "has, as a rule {}",
                                      settings.dimensions, kMostNeighbours, kUsualNeighbours));
    }
    if (settings.clusters > 0) {
        throw InvalidSetting("clusters", "found clusters of neighbours, which have no vectors");
    }
    resolve_parameters(settings.model, {}, settings.parameters);
    resolve_choices(settings.model, {}, settings.choices);
}

}  // namespace

void validate(const TopicSettings& settings) {
    try {
        if (settings.model == kNeighboursModel) {
            check_neighbours(settings);
        } else {
            complete_options(settings.model, settings.options());
        }
    } catch (const InvalidSetting&) {
        throw;
    } catch (const UnknownComponent&) {
        throw;
    } catch (const InvalidArgument& error) {
        throw InvalidSetting("parameters", error.what());
    }
    const bool printable = std::all_of(settings.name.begin(), settings.name.end(),
                                       [](char c) { return c > ' ' && c < '\x7f'; });
    if (!printable || settings.name.size() > kMaxNameBytes) {
        throw InvalidSetting("name", "found " + shown(settings.name) +
                                         ", expected at most 64 characters without blanks");
    }
    check_range<std::size_t>("dimensions", settings.dimensions, 0, TopicSettings::kMaxDimensions);
    check_range<std::size_t>("clusters", settings.clusters, 0, TopicSettings::kMaxClusters);
    if (!(settings.max_document_share > 0 && settings.max_document_share <= 1)) {
        throw InvalidSetting("max_document_share", fmt::format("found {}, expected over 0, up to 1",
                                                               settings.max_document_share));
    }
}

namespace {

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
