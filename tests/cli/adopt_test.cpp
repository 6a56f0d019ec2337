// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xapian.h>

#include "braid/tests/cli/topic_fixture.h"

using namespace braid;
using namespace braid::test;

TEST_CASE("braid adopt: learns a model, and says in one line what it did") {
    const TopicFixture fixture;
    const CommandResult result = fixture.run("adopt", {"--topics", "lsa:4"});
    CHECK(result.code == 0);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("lsa: 4 dimensions learned from 60 documents and") &&
                               Contains("60 of 60 documents given a vector") &&
                               Contains("done in "));
    CHECK_FALSE(Xapian::Database(fixture.database).get_metadata("braid:current").empty());
    const CommandResult again = fixture.run("adopt", {"--topics", "lsa:4"});
    CHECK_THAT(again.err, Contains("lsa: kept as it was; 0 of 60 documents given a vector"));
    const CommandResult other = fixture.run("adopt", {"--topics", "lsa:5"});
    CHECK_THAT(other.err, Contains("in place of the model before"));
    const CommandResult quiet = fixture.run("adopt", {"--topics", "lsa:5", "--quiet"});
    CHECK(quiet.code == 0);
    CHECK(quiet.err.empty());
}

TEST_CASE("braid adopt: several models, and a summary for programs") {
    const TopicFixture fixture;
    const CommandResult result = fixture.run("adopt", {"--topics", "lsa:4,plsi:3", "--json"});
    CHECK(result.code == 0);
    auto summary = nlohmann::json::parse(result.out);
    REQUIRE(summary["topics"].size() == 2);
    CHECK(summary["topics"][0]["name"] == "lsa");
    CHECK(summary["topics"][0]["dimensions"] == 4);
    CHECK(summary["topics"][0]["trained"] == true);
    CHECK(summary["topics"][0]["trained_on"] == 60);
    CHECK(summary["topics"][0]["written"] == 60);
    CHECK(summary["topics"][1]["model"] == "plsi");
    CHECK(summary["topics"][1]["dimensions"] == 3);
    CHECK(summary["seconds"] > 0);
    const std::string id = summary["topics"][0]["id"];
    CHECK(id.size() == 16);
    summary = nlohmann::json::parse(
        fixture.run("adopt", {"--topics", "lsa:4", "--retrain", "--json"}).out);
    CHECK(summary["topics"][0]["id"] == id);
    CHECK(summary["topics"][0]["trained"] == true);
}

TEST_CASE("braid adopt: takes models from a configuration, and --topics over it") {
    const TopicFixture fixture;
    const std::string config = fixture.folder / "config.yaml";
    braid::test::write_file(
        config, "topics:\n  - model: lsa\n    name: mine\n    dimensions: 3\n    coding: f16\n");
    auto summary = nlohmann::json::parse(fixture.run("adopt", {"--config", config, "--json"}).out);
    REQUIRE(summary["topics"].size() == 1);
    CHECK(summary["topics"][0]["name"] == "mine");
    CHECK(summary["topics"][0]["dimensions"] == 3);
    summary = nlohmann::json::parse(
        fixture.run("adopt", {"--config", config, "--topics", "mine:4", "--json"}).out);
    CHECK(summary["topics"][0]["name"] == "mine");
    CHECK(summary["topics"][0]["dimensions"] == 4);
    summary = nlohmann::json::parse(
        run_braid({"topics", "--db", fixture.database, "--model", "mine", "--json"}).out);
    CHECK(summary[0]["coding"] == "f16");
}

TEST_CASE("braid adopt: a sidecar takes everything, and is refused for another database") {
    const TopicFixture fixture;
    const TopicFixture other;
    const std::string sidecar = fixture.folder / "sidecar";
    const std::vector<std::string> beside = {"--topics", "lsa:4", "--sidecar", sidecar};
    CHECK(fixture.run("adopt", beside).code == 0);
    CHECK(Xapian::Database(fixture.database).get_metadata("braid:current").empty());
    CHECK_THAT(fixture.run("topics", {"--sidecar", sidecar}).out,
               Contains("lsa: lsa of 4 dimensions"));
    // It holds the model that ranks once one is installed, and a search says so.
    braid::test::write_file(fixture.folder / "ranking.yaml", "model: {rankers: [{ranker: lsa}]}\n");
    std::vector<std::string> install = {"--topics",
                                        "lsa:4",
                                        "--sidecar",
                                        sidecar,
                                        "--install",
                                        "--config",
                                        fixture.folder / "ranking.yaml"};
    const CommandResult unknown = fixture.run("adopt", install);
    CHECK(unknown.code == 1);  // The fixture's words are too short.
    CHECK_THAT(unknown.err,
               Contains("not installed: no document has the words") && Contains("--force"));
    install.push_back("--force");
    CHECK(fixture.run("adopt", install).code == 0);
    const auto found =
        nlohmann::json::parse(fixture.run("search", {"--sidecar", sidecar, "--json", "w0"}).out);
    CHECK(found["model"] == "the sidecar's model");
    for (const char* command : {"adopt", "topics"}) {
        const CommandResult refused = other.run(command, {"--sidecar", sidecar});
        CHECK(refused.code == 1);
        CHECK_THAT(refused.err,
                   Contains(" to a database of ") || Contains("is for a database with"));
    }
}

TEST_CASE("braid adopt: keeps where the names are") {
    const TopicFixture fixture;
    CHECK(fixture.run("adopt", {"--topics", "lsa:3", "--id", "term:Q"}).code == 0);
    CHECK_THAT(Xapian::Database(fixture.database).get_metadata("braid:names"), Contains("term:Q"));
    const CommandResult wrong = fixture.run("adopt", {"--topics", "lsa:3", "--id", "name"});
    CHECK(wrong.code != 0);
    CHECK_THAT(wrong.err, Contains("name"));
}

TEST_CASE("braid adopt: what is wrong with the call or the database is said") {
    const TopicFixture fixture;
    struct Wrong {
        std::vector<std::string> arguments;
        std::string message;
    };
    const std::vector<Wrong> calls = {
        {{"--topics", "lsi"}, "did you mean 'lsa'"},
        {{"--topics", "lsa:0"}, "found 0 dimensions, expected 1 to 10000 or auto"},
        {{"--topics", "lsa:many"}, "found many dimensions"},
        {{"--topics", "lsa:99999"}, "found 99999 dimensions"},
        {{"--topics", "lsa:"}, "dimensions"},
        {{"--topics", "lsa:4,lsa:5"}, "lsa"},
        {{"--topics", "lsa:4,,plsi:3"}, "topic model ''"},
        {{"--config", "no-such-preset"}, "no-such-preset"},
        {{"--stemmer", "klingon"}, "klingon"},
        {{"--batch", "0"}, "--batch"},
    };
    for (const Wrong& wrong : calls) {
        const CommandResult result = fixture.run("adopt", wrong.arguments);
        INFO(wrong.arguments[1]);
        CHECK(result.code != 0);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, Contains(wrong.message));
    }
    CHECK(run_braid({"adopt"}).code == 2);
    const CommandResult nowhere = run_braid({"adopt", "--db", fixture.folder / "nowhere"});
    CHECK(nowhere.code == 1);
    CHECK_THAT(nowhere.err, Contains("nowhere"));
    const Xapian::WritableDatabase writer(fixture.database);
    const CommandResult locked = fixture.run("adopt");
    CHECK(locked.code == 1);
    CHECK_THAT(locked.err, Contains("it is locked"));
}

TEST_CASE("braid adopt: --install tries standard, then fast, and keeps the figures") {
    const braid::test::TemporaryFolder folder;
    std::string documents;
    for (int i = 0; i < 80; ++i) {
        documents += fmt::format(R"({{"id": "d{}", "text": ")", i);
        for (int j = 0; j < 12; ++j) {
            const int word = (i * 7 + j * j * (1 + i % 3)) % 60;
            documents += fmt::format("word{:c}{:c} ", 'a' + word / 8, 'a' + word % 8);
        }
        documents += "\"}\n";
    }
    const std::string file = folder / "documents.jsonl";
    braid::test::write_file(file, documents);
    const std::string database = folder / "db";
    REQUIRE(run_braid({"index", "--db", database, file}).code == 0);
    const auto install = [&](const std::string& config) {
        std::vector<std::string> all = {"adopt", "--db",      database, "--topics",
                                        "lsa:8", "--install", "--json"};
        if (!config.empty()) all.insert(all.end(), {"--config", config});
        return run_braid(all);
    };
    const std::string near = folder / "near.yaml";
    braid::test::write_file(
        near, "model: {rankers: [{ranker: bm25}, {ranker: lsa, weight: 0.000001}]}\n");
    const CommandResult same = install(near);
    INFO(same.err);
    REQUIRE(same.code == 0);
    const auto ranking = nlohmann::json::parse(same.out)["ranking"];
    CHECK(ranking["installed"] == near);
    REQUIRE(ranking["tried"].size() == 1);
    CHECK(ranking["tried"][0]["low"] >= -0.005);
    CHECK_THAT(same.err, Contains("near.yaml finds 500 documents") &&
                             Contains("searches now rank by 1 bm25 + 1e-06 lsa"));
    const std::string installed = run_braid({"models", "--db", database}).out;
    CHECK_THAT(installed, Contains("braid adopt, by known items of the database") &&
                              Contains(" on 500 searches, "));

    // Topics alone find few documents by their words.
    const std::string config = folder / "topics.yaml";
    braid::test::write_file(config, "model: {rankers: [{ranker: lsa}]}\n");
    const CommandResult loses = install(config);
    CHECK(loses.code == 1);
    CHECK_THAT(loses.err, Contains("not installed: ") && Contains("of 500 searches") &&
                              Contains("searches rank as before") && Contains("--force"));
    CHECK(run_braid({"models", "--db", database}).out == installed);

    // Without lda and neighbours there is no standard; whether fast loses nothing is chance here.
    CHECK_THAT(install("").err, Contains("fast finds 500 documents by 2 to 4 of their words"));

    const CommandResult lone =
        run_braid({"adopt", "--db", database, "--topics", "lsa:8", "--force"});
    CHECK(lone.code == 1);
    CHECK_THAT(lone.err, Contains("--force: expected --install or --word-vectors"));
}

TEST_CASE("braid adopt: --install refuses a model of names whose prefix the database doesn't say") {
    const TopicFixture fixture;
    const std::string config = fixture.folder / "nicks.yaml";
    braid::test::write_file(config,
                            "model:\n  rankers:\n    - {ranker: bm25}\n"
                            "    - {ranker: title-exact, field: nick}\n");
    const CommandResult result = fixture.run("adopt", {"--config", config, "--install"});
    CHECK(result.code == 1);
    CHECK_THAT(result.err, Contains("the field 'nick'") && Contains("--config"));
    CHECK(Xapian::Database(fixture.database).get_metadata("braid:model").empty());
}

TEST_CASE("braid adopt: more dimensions than there are is a warning, or an error on request") {
    const TopicFixture fixture;
    const CommandResult result = fixture.run("adopt", {"--topics", "lsa:5000"});
    CHECK(result.code == 0);
    CHECK_THAT(result.err, Contains("warning: ") && Contains("5000"));
    const TopicFixture other;
    CHECK(other.run("adopt", {"--topics", "lsa:5000", "--strict"}).code == 1);
    CHECK(Xapian::Database(other.database).get_metadata("braid:current").empty());
}

TEST_CASE("braid index: --topics learns models, and later documents are folded in") {
    const TopicFixture fixture;
    const std::string database = fixture.folder / "new";
    const CommandResult first =
        run_braid({"index", "--db", database, "--topics", "lsa:4", fixture.documents(0, 60)});
    CHECK(first.code == 0);
    CHECK_THAT(first.err, Contains("60 added") && Contains("lsa: 4 dimensions learned"));
    const CommandResult later = run_braid({"index", "--db", database, fixture.documents(60, 20)});
    CHECK(later.code == 0);
    const auto models =
        nlohmann::json::parse(run_braid({"topics", "--db", database, "--json"}).out);
    REQUIRE(models.size() == 1);
    CHECK(models[0]["documents"] == 80);
    CHECK(models[0]["missing"] == 0);
    CHECK(models[0]["folded_in"] == 20);
    const std::string fresh = fixture.folder / "fresh";
    const CommandResult wrong =
        run_braid({"index", "--db", fresh, "--topics", "lsi", fixture.documents(0, 5)});
    CHECK(wrong.code != 0);
    CHECK_FALSE(std::filesystem::exists(fresh));  // no empty database is left behind
}
