// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/presets.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "braid/config.h"
#include "braid/core/lexical/ranker.h"
#include "braid/tests/support/support.h"

using braid::load_settings;
using braid::presets;
using braid::Settings;
using namespace braid::test;

TEST_CASE("Presets: each is the file in config/presets, and every file there is one") {
    std::set<std::string> files;
    const auto folder = braid::test::source_dir() / "config/presets";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        CHECK(file.path().extension() == ".yaml");
        files.insert(file.path().stem().string());
    }
    const std::vector<std::string> names = presets().names();
    CHECK(files == std::set<std::string>(names.begin(), names.end()));
    for (const braid::Preset& preset : presets()) {
        CHECK(preset.yaml == braid::test::read_file(folder / (preset.name + ".yaml")));
    }
}

TEST_CASE("Presets: each begins with a line that says what it is for") {
    for (const braid::Preset& preset : presets()) {
        INFO(preset.name);
        CHECK(preset.yaml.starts_with("# " + preset.summary + "\n"));
        CHECK(preset.summary.size() > 20);
        CHECK(preset.summary.ends_with('.'));
    }
}

TEST_CASE("Presets: each is valid, changes something, and is found by name") {
    for (const braid::Preset& preset : presets()) {
        INFO(preset.name);
        CHECK_FALSE(load_settings(preset.name) == Settings{});
        CHECK(load_settings(preset.name) == braid::parse_settings(preset.yaml, preset.name));
    }
}

TEST_CASE("Presets: prefixes follow Xapian's conventions") {
    for (const braid::Preset& preset : presets()) {
        for (const braid::FieldSettings& field : load_settings(preset.name).index.fields) {
            INFO(preset.name << " " << field.name);
            CHECK((field.prefix.size() <= 1 || field.prefix[0] == 'X'));
        }
    }
}

TEST_CASE("Presets: databases of other programs keep the prefixes they have") {
    const auto prefix = [](const std::string& preset, const std::string& name) -> std::string {
        for (const braid::FieldSettings& field : load_settings(preset).index.fields) {
            if (field.name == name) return field.prefix;
        }
        return "no such field";
    };
    CHECK(prefix("packages", "name") == "XP");
    CHECK(prefix("packages", "tag") == "XT");
    CHECK(prefix("mail", "from") == "XFROM");
    CHECK(prefix("mail", "tag") == "K");
    CHECK(prefix("web", "title") == "S");
    CHECK(prefix("web", "host") == "H");
}

TEST_CASE("Presets: full has every lexical ranker, once") {
    std::vector<std::string> listed;
    for (const braid::RankerSpec& spec : load_settings("words").model.rankers) {
        listed.push_back(spec.ranker);
    }
    // tfidf-cosine needs a database that keeps records of its documents; log-bm25 would make
    // searches rescore, and ranks as bm25 does.
    std::vector<std::string> known = braid::lexical_rankers().names();
    std::erase(known, "tfidf-cosine");
    std::erase(known, "log-bm25");
    std::erase(known, "bm25f");  // Has no fields of its own.
    std::sort(listed.begin(), listed.end());
    std::sort(known.begin(), known.end());
    CHECK(listed == known);
}

TEST_CASE("Presets: papers has its four rankers, and the topic models that three of them need") {
    const Settings papers = load_settings("papers");
    std::vector<std::string> rankers;
    for (const braid::RankerSpec& spec : papers.model.rankers) {
        rankers.push_back(spec.ranker);
        CHECK(spec.weight == 1);
    }
    CHECK(rankers == std::vector<std::string>{"tfidf-cosine", "lsa", "plsi", "ldi"});
    std::vector<std::string> topics;
    for (const braid::TopicSettings& model : papers.topics) topics.push_back(model.label());
    CHECK(topics == std::vector<std::string>{"lsa", "plsi", "ldi"});
}

TEST_CASE("Presets: papers has the papers' forms of topic models, cosines Braid's own") {
    const Settings papers = load_settings("papers");
    const Settings cosines = load_settings("cosines");
    CHECK(papers.model == cosines.model);
    REQUIRE(papers.topics.size() == 3);
    CHECK(papers.topics[0].choices.at("weighting") == "tf-idf");
    CHECK(papers.topics[1].choices.at("ranking") == "posterior");
    CHECK(papers.topics[2].parameters.at("chains") == 1);
    for (const braid::TopicSettings& model : cosines.topics) {
        CHECK(model.choices.empty());
        CHECK(model.parameters.empty());
    }
}

TEST_CASE("Presets: letor25 has the ten low-level features of two fields and five of the whole") {
    const Settings letor = load_settings("letor25");
    std::map<std::string, std::vector<std::string>> rankers;
    for (const braid::RankerSpec& spec : letor.model.rankers) {
        rankers[spec.field].push_back(spec.ranker);
    }
    REQUIRE(letor.model.rankers.size() == 25);
    const std::vector<std::string> low = {
        "tf",      "log-tf",  "tf-share",         "log-tf-share", "idf",
        "log-idf", "log-icf", "log-tf-share-idf", "tfidf-raw",    "log-tf-share-icf"};
    CHECK(rankers["title"] == low);
    CHECK(rankers["text"] == low);
    CHECK(rankers[""] ==
          std::vector<std::string>{"bm25", "log-bm25", "lm-dirichlet", "lm-jm", "lm-absdiscount"});
    for (const braid::FieldSettings& field : letor.index.fields) {
        CHECK_FALSE(field.prefix.empty());
        CHECK(field.weight == 1);
    }
}

TEST_CASE("Presets: a name that is neither a preset nor a file lists the presets") {
    CHECK_THROWS_AS(load_settings("pakages"), braid::UnknownComponent);
    CHECK_THROWS_WITH(
        load_settings("pakages"),
        Contains("unknown configuration 'pakages'; did you mean 'packages'?; known: ") &&
            Contains("mail"));
    CHECK_THROWS_WITH(braid::load_model("nothing"), Contains("unknown configuration 'nothing'"));
    // This can only have been meant as a file.
    CHECK_THROWS_AS(load_settings("pakages.yaml"), braid::ConfigError);
    CHECK_THROWS_AS(load_settings("./mail"), braid::ConfigError);
}
