// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>
#include <xapian.h>

#include "braid/tests/cli/topic_fixture.h"

using braid::test::CommandResult;
using braid::test::run_braid;
using braid::test::TopicFixture;
using namespace braid::test;

namespace {

void damage_value(const std::string& path, Xapian::docid docid, unsigned slot) {
    Xapian::WritableDatabase database(path);
    Xapian::Document document = database.get_document(docid);
    std::string bytes = document.get_value(slot);
    bytes.at(7) = static_cast<char>(bytes.at(7) ^ 4);
    document.add_value(slot, bytes);
    database.replace_document(docid, document);
    database.commit();
}

}  // namespace

TEST_CASE("braid check: 0 where all is sound, 1 where something is damaged, and what") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4");
    const CommandResult sound = fixture.run("check");
    CHECK(sound.code == 0);
    CHECK_THAT(sound.out, Contains("sound: 60 documents, 1 topic models"));
    damage_value(fixture.database, 5, 1000);
    const CommandResult damaged = fixture.run("check");
    CHECK(damaged.code == 1);
    CHECK_THAT(damaged.out, Contains("value slot 1000 (lsa)") && Contains("document 5"));
    const auto json = nlohmann::json::parse(fixture.run("check", {"--json"}).out);
    CHECK(json["sound"] == false);
    CHECK(json["documents"] == 60);
    REQUIRE(json["findings"].size() == 1);
    CHECK(json["findings"][0]["kind"] == "damaged");
    CHECK(json["findings"][0]["database"] == fixture.database);
    const CommandResult mended = fixture.run("check", {"--repair"});
    CHECK(mended.code == 0);
    CHECK_THAT(mended.out, Contains("repaired: database") && Contains("sound: 60 documents"));
    CHECK(fixture.run("check", {"--repair"}).out == fixture.run("check").out);
    CHECK(run_braid({"check"}).code == 2);
    CHECK(run_braid({"check", "--db", fixture.folder / "nowhere"}).code == 1);
}

TEST_CASE("braid check: searches warn of damaged vectors, explanations name them, training stops") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4");
    const auto search = [&] {
        return fixture.run("search",
                           {"--model", "lsa", "--json", "--explain", "-n", "60", "common", "w1"});
    };
    CHECK(nlohmann::json::parse(search().out)["run"]["damaged"] == 0);
    CHECK_THAT(search().err, !Contains("damaged"));
    damage_value(fixture.database, 5, 1000);
    const CommandResult damaged = search();
    CHECK(damaged.code == 0);
    CHECK_THAT(damaged.err, Contains("warning: damaged topic vectors") && Contains("braid check"));
    const auto json = nlohmann::json::parse(damaged.out);
    CHECK(json["run"]["damaged"] > 0);
    std::size_t notes = 0;
    for (const auto& hit : json["hits"]) {
        const std::string note = hit["explanation"]["rankers"][0]["note"];
        if (note.find("value slot 1000 is damaged") == std::string::npos) continue;
        ++notes;
        CHECK(hit["docid"] == 5);
        CHECK(hit["explanation"]["rankers"][0]["value"] == 0.0);
    }
    CHECK(notes == 1);
    braid::test::write_file(fixture.folder / "queries", "common w1\n");
    const CommandResult run =
        fixture.run("run", {"--model", "lsa", "--queries", fixture.folder / "queries"});
    CHECK(run.code == 0);
    CHECK_THAT(run.err, Contains("warning: damaged topic vectors"));
    const CommandResult features =
        fixture.run("features", {"--model", "lsa", "--queries", fixture.folder / "queries"});
    CHECK(features.code == 1);
    CHECK_THAT(features.err, Contains("document 5") && Contains("braid check --repair"));
}

TEST_CASE("braid topics: a damaged record is named with its cure, and hides no other model") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4");
    fixture.damage_keys(":h", 30);
    fixture.adopt_topics("plsi:3");
    const CommandResult topics = fixture.run("topics");
    CHECK(topics.code == 1);
    CHECK_THAT(topics.out, Contains("plsi: plsi of"));
    CHECK_THAT(topics.err, Contains("topic model lsa: metadata key") &&
                               Contains("`braid adopt --retrain`") && Contains("--remove lsa"));
    CHECK(nlohmann::json::parse(fixture.run("topics", {"--json"}).out)[0].contains("damaged"));
    const CommandResult removed = fixture.run("topics", {"--remove", "lsa"});
    CHECK(removed.code == 0);
    CHECK_THAT(fixture.run("topics").out, Contains("plsi: plsi of"));
    CHECK(fixture.run("topics").code == 0);
    CHECK(Xapian::Database(fixture.database).get_value_freq(1000) == 0);
    CHECK(fixture.run("check").code == 0);
}

TEST_CASE("braid adopt: a damaged record is no obstacle, and vectors keep their slot") {
    const TopicFixture fixture;
    for (const std::string option : {"--retrain", "--threads=1"}) {
        REQUIRE(fixture.run("adopt", {"--topics", "lsa:4", "--clusters", "3"}).code == 0);
        fixture.damage_keys(":h", 30);
        CHECK(fixture.run("search", {"--model", "lsa", "common"}).code == 1);
        const CommandResult again =
            fixture.run("adopt", {"--topics", "lsa:4", "--clusters", "3", option});
        CHECK(again.code == 0);
        CHECK_THAT(again.err, Contains("lsa: 4 dimensions learned"));
        CHECK(fixture.run("search", {"--model", "lsa", "common"}).code == 0);
        const CommandResult check = fixture.run("check");
        CHECK(check.code == 0);
        CHECK_THAT(check.out, !Contains("note"));
        CHECK(Xapian::Database(fixture.database).get_value_freq(1000) == 60);
        CHECK(Xapian::Database(fixture.database).get_value_freq(1001) == 0);
    }
}
