// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>
#include <cmath>
#include <set>
#include <string_view>

#include "braid/config.h"
#include "braid/core/base/random.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/settings/limits.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace std::string_view_literals;

namespace {

void append_utf8(std::string& text, std::uint64_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | code >> 18);
        text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    }
}

std::uint64_t random_code_point(Random& random) {
    // A view, since a string would end at the NUL.
    static constexpr std::u32string_view kNasty =
        U"'\"\\:#-?*&!|>%@`{}[], \n\t\r\0~=\u0085\u00a0\u2028"
        U"\u2029\ufeff\uffff\U0001f600\x01\x04\x7f"sv;
    switch (random.below(4)) {
        case 0:
            return kNasty[random.below(kNasty.size())];
        case 1:
            return 'a' + random.below(26);
        case 2:
            return random.below(0x80);
        default: {
            const std::uint64_t code = random.below(0x110000);
            return code >= 0xD800 && code < 0xE000 ? 'x' : code;
        }
    }
}

// Never empty. One in four is a word that some reader of YAML takes for something else.
std::string random_text(Random& random) {
    static const std::vector<std::string> kTaken = {
        "true", "Yes",  "no", "off",  "null", "~",    "0",          "1.5", "-1",  ".inf", "0x1F",
        "1e3",  "NaN",  "y",  "<<",   "=",    "010",  "2001-01-01", "1:2", "- a", "? a",  "a: b",
        "a #b", "|",    ">",  "[a]",  "{}",   "&a",   "*",          "!a",  "%a",  "@a",   "`a",
        " a",   "a ",   "\n", "a\n",  "---",  "...",  "a:",         ":a",  "#",   "'",    "\"",
        "\\",   "a\\n", "\t", "\r\n", "none", "null", "Null",       "ON",  "+1",  "1_0",  "_"};
    if (random.below(4) == 0) return kTaken[random.below(kTaken.size())];
    std::string text;
    for (std::uint64_t i = random.below(12) + 1; i > 0; --i) {
        append_utf8(text, random_code_point(random));
    }
    return text;
}

double random_number(Random& random) {
    for (;;) {
        const double value = std::bit_cast<double>(random.bits() & ~(std::uint64_t{1} << 63));
        if (std::isfinite(value)) return value;
    }
}

bool coin(Random& random) { return random.below(2) == 0; }

std::map<std::string, double> random_numbers(Random& random) {
    std::map<std::string, double> result;
    for (std::uint64_t i = random.below(4); i > 0; --i) {
        result[random_text(random)] = (coin(random) ? 1 : -1) * random_number(random);
    }
    return result;
}

AnalysisSettings random_analysis(Random& random) {
    using Stemming = AnalysisSettings::Stemming;
    const Stemming stemming[] = {Stemming::kSome, Stemming::kAll, Stemming::kNone};
    return {.stemmer = random_text(random),
            .stemming = stemming[random.below(3)],
            .stop_words = random_text(random),
            .stop_documents = coin(random),
            .positions = coin(random),
            .spelling = coin(random),
            .max_word_length =
                1 + static_cast<unsigned>(random.below(AnalysisSettings::kMaxWordLength))};
}

FieldSettings random_field(Random& random, int slot) {
    FieldSettings field{.name = random_text(random),
                        .free_text = coin(random),
                        .slot = coin(random) ? slot : FieldSettings::kNoSlot};
    if (coin(random) || !field.free_text) {
        // No prefix may begin another: all of a kind have one length.
        field.prefix = static_cast<char>('A' + slot);
        if (coin(random)) field.prefix = "XF:" + field.prefix;
    }
    if (field.free_text) field.weight = 1 + static_cast<unsigned>(random.below(3));
    field.exact = !field.prefix.empty() && coin(random);
    field.numeric = field.slot > 0 && coin(random);
    return field;
}

IndexSettings random_index(Random& random) {
    IndexSettings index;
    index.analysis = random_analysis(random);
    std::set<std::string> names;
    index.fields.clear();
    for (int i = static_cast<int>(random.below(5)); i > 0; --i) {
        FieldSettings field = random_field(random, i);
        if (names.insert(field.name).second) index.fields.push_back(field);
    }
    if (coin(random)) {
        index.stored.clear();
        for (const std::string& name : names) {
            if (name != "*") index.stored.push_back(name);
        }
    }
    index.batch = 1 + random.below(IndexSettings::kMaxBatch);
    return index;
}

const braid::ModelRanker& random_ranker(Random& random) {
    const auto& rankers = braid::model_rankers();
    return rankers.find(rankers.names()[random.below(rankers.size())]);
}

braid::LearningRecord random_learning(Random& random) {
    braid::LearningRecord learning;
    learning.measure = random_text(random);
    learning.relevant_from = static_cast<int>(random.below(5)) - 2;
    learning.queries = random.below(1000000);
    learning.measures = random_numbers(random);
    learning.objective = random_number(random);
    learning.scales.assign(random.below(40), random_number(random));
    for (std::uint64_t i = random.below(4); i > 0; --i) {
        braid::CurvePoint point{random.below(9), random_number(random), {}};
        if (coin(random)) point.validation = random_number(random);
        learning.curve.push_back(point);
    }
    for (std::uint64_t i = random.below(4); i > 0; --i) {
        learning.state["s" + std::to_string(i)].assign(random.below(40), random_number(random));
    }
    return learning;
}

FusionModel random_model(Random& random) {
    FusionModel model;
    model.rankers = {};
    for (std::uint64_t i = random.below(4) + 1; i > 0; --i) {
        const braid::ModelRanker& ranker = random_ranker(random);
        RankerSpec spec{.ranker = ranker.name, .name = "label " + std::to_string(i)};
        const braid::RankerFamily family = braid::family_of(spec);
        if (family == braid::RankerFamily::kValue) {
            spec.field = random_text(random);
            if (spec.field.empty()) spec.parameters["slot"] = 7;
        } else if (family == braid::RankerFamily::kTitle ||
                   family == braid::RankerFamily::kFilter) {
            spec.field = "a" + random_text(random);
        } else if (ranker.name == "bm25f") {
            spec.field = "title^2.5 *^0.125 name";
        } else if (coin(random) && family == braid::RankerFamily::kLexical) {
            spec.field = random_text(random);
        } else if (coin(random) && family == braid::RankerFamily::kTopic) {
            spec.topics = random_text(random);
        }
        for (const braid::ParameterInfo& info : ranker.parameters) {
            if (info.name == "slot" || info.name == "times") continue;
            const double width = info.maximum - info.minimum;
            if (!coin(random)) continue;
            const double value = info.minimum + random.uniform() * width;
            spec.parameters[info.name] = info.is_whole ? std::floor(value) : value;
        }
        spec.weight = coin(random) ? std::min(random_number(random), 1e100) : 1;
        model.rankers.push_back(spec);
    }
    if (coin(random)) {
        model.rankers.push_back({.ranker = "filter",
                                 .field = "section:games",
                                 .parameters = {{"times", 1e-6 + 1000 * random.uniform()}},
                                 .weight = 10 * random.uniform()});
    }
    if (coin(random)) return model;
    if (coin(random)) {
        model.normaliser = {.normaliser = "arctan",
                            .parameters = {{"scale", 1 + random.uniform()}},
                            .missing = braid::MissingScore::kZero};
    }
    if (coin(random)) {
        model.function = {.form = random_text(random),
                          .numbers = {{random_text(random), {random_number(random), 0.1}}},
                          .names = {{random_text(random), {random_text(random)}}}};
        if (model.function.form.empty()) model.function.form = "steps";
    }
    model.provenance = {.learner = random_text(random),
                        .options = {{random_text(random), random_text(random)},
                                    {random_text(random), random_text(random)}},
                        .seed = random.bits() >> random.below(64),
                        .measures = random_numbers(random)};
    if (coin(random)) {
        model.provenance.topic_models = {{random_text(random), random_text(random)},
                                         {random_text(random), random_text(random)}};
    }
    if (coin(random)) model.provenance.learning = random_learning(random);
    return model;
}

Settings random_settings(Random& random) {
    Settings settings;
    if (random.below(4) > 0) settings.index = random_index(random);
    if (random.below(4) > 0) settings.model = random_model(random);
    settings.search = {
        .default_operator = coin(random) ? "and" : "or",
        .wildcards = coin(random),
        .spelling = coin(random),
        .candidates = static_cast<braid::SearchSettings::Candidates>(random.below(3)),
        .clusters_visited = random.below(100),
        .snippet_length = random.below(1000)};
    for (const braid::LimitInfo& info : braid::limit_infos()) {
        settings.limits.*info.value = info.minimum + random.below(info.maximum - info.minimum);
    }
    return settings;
}

}  // namespace

TEST_CASE("Settings round trip: what is written is read back equal", "[property]") {
    Random random(braid::test::seed());
    for (int round = 0; round < 1500; ++round) {
        const Settings settings = random_settings(random);
        const std::string text = braid::format_settings(settings, coin(random));
        INFO(text);
        const Settings again = braid::parse_settings(text, "written.yaml");
        REQUIRE(again == settings);
        REQUIRE(braid::format_settings(again) == braid::format_settings(settings));
    }
}

TEST_CASE("Model round trip: what is written is read back equal", "[property]") {
    Random random(braid::test::seed(), 1);
    for (int round = 0; round < 1500; ++round) {
        const FusionModel model = random_model(random);
        const std::string text = braid::format_model(model);
        INFO(text);
        REQUIRE(braid::parse_model(text, "written.yaml") == model);
    }
}

TEST_CASE("Settings round trip: no line of words goes beyond column 100") {
    Settings settings;
    settings.index.stored = {};
    for (int i = 0; i < 40; ++i) settings.index.stored.push_back("field" + std::to_string(i));
    settings.model.rankers[0].name = std::string(80, 'n');
    settings.model.rankers[0].field = "title";
    settings.model.rankers[0].parameters = {{"k1", 0.1}, {"b", 1.0 / 3}};
    for (const bool comments : {false, true}) {
        const std::string text = braid::format_settings(settings, comments);
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = text.find('\n', start);
            INFO(text.substr(start, end - start));
            CHECK(end - start <= 100);
            start = end + 1;
        }
        CHECK(braid::parse_settings(text, "file.yaml") == settings);
    }
}
