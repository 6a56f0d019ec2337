// SPDX-License-Identifier: GPL-2.0-or-later
// --limit and the configuration's limits.
#include <nlohmann/json.hpp>

#include "braid/tests/cli/topic_fixture.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

TEST_CASE("Limits: a limit that there isn't, or that the command doesn't heed, is named") {
    const auto refused = [](const std::vector<std::string>& words) {
        const auto result = run_braid(words);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        return result.err;
    };
    CHECK_THAT(refused({"search", "--db", "x", "--limit", "wrods=3", "x"}),
               Contains("wrods") && Contains("words") && Contains("nesting"));
    CHECK_THAT(refused({"eval", "--qrels", "x", "--limit", "words=3", "x"}),
               Contains("braid eval has no such limit, expected line"));
    for (const char* text : {"words", "words=", "words=x", "words=-1", "words=0", "words=3x"}) {
        CHECK_THAT(refused({"search", "--db", "x", "--limit", text, "x"}),
                   Contains(text) && Contains("expected words=NUMBER from 1 to 1000000000"));
    }
}

TEST_CASE("Limits: a time limit is for searches alone, whoever sets it") {
    const TopicFixture fixture;
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"run", "--db", fixture.database, "--queries", "x"},
             {"features", "--db", fixture.database, "--queries", "x"},
             {"train", "--db", fixture.database, "--queries", "x"},
             {"eval", "--qrels", "x", "x"}}) {
        std::vector<std::string> limited = words;
        limited.insert(limited.begin() + 1, {"--limit", "time=100"});
        const auto refused = run_braid(limited);
        CHECK(refused.code == 2);
        CHECK_THAT(refused.err, Contains("time=100") && Contains("has no such limit"));
    }
    const std::string config = fixture.folder.file("config.yaml", "limits: {time: 100}\n");
    const std::string queries = fixture.folder.file("queries", "1\tw1 w2\n");
    for (const char* command : {"run", "features", "train"}) {
        const auto refused = fixture.run(command, {"--queries", queries, "--config", config});
        CHECK(refused.code == 1);
        CHECK_THAT(refused.err, Contains(config + ": limits.time: found 100"));
    }
    CHECK(fixture.run("search", {"--config", config, "w1"}).code == 0);
}

TEST_CASE("Limits: the command line's count before the configuration's") {
    const TopicFixture fixture;
    const std::string config =
        fixture.folder.file("config.yaml", "limits: {words: 2, nesting: 1}\n");
    const auto search = [&](const std::vector<std::string>& words) {
        return fixture.run("search", words);
    };
    CHECK(search({"w1", "w2", "w3"}).code == 0);
    const auto refused = search({"--config", config, "w1", "w2", "w3"});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Contains("more than 2 words, which is the limit 'words'"));
    CHECK(search({"--config", config, "--limit", "words=3", "w1", "w2", "w3"}).code == 0);
    CHECK_THAT(search({"--config", config, "--limit", "words=5", "w1 AND (w2 OR w3)"}).err,
               Contains("the limit 'nesting'"));
    const std::string queries = fixture.folder.file("queries", "q1\tw1 w2\nq2\tw1 w2 w3\n");
    CHECK_THAT(fixture.run("run", {"--queries", queries, "--limit", "words=2"}).err,
               Contains("query q2: the query has more than 2 words"));
    CHECK_THAT(fixture.run("features", {"--queries", queries, "--limit", "words=2"}).err,
               Contains("query q2: the query has more than 2 words"));
    CHECK_THAT(fixture.run("run", {"--queries", queries, "--limit", "line=8"}).err,
               Contains(queries + ":2: found a line longer than 8 bytes"));
}

TEST_CASE("Limits: learning from a file heeds the configuration's, too") {
    const TemporaryFolder folder;
    const std::string config = folder.file("config.yaml", "limits: {line: 10}\n");
    const std::string letor = folder.file("letor", "1 qid:1 1:1 2:2\n");
    CHECK_THAT(run_braid({"train", "--letor", letor, "--config", config}).err,
               Contains(letor + ":1: found a line longer than 10 bytes"));
}

TEST_CASE("Limits: records, dimensions of topics and of vectors") {
    const TemporaryFolder folder;
    const std::string documents = folder.file(
        "documents.jsonl", "{\"_id\": \"a\", \"text\": \"short\"}\n{\"_id\": \"b\", \"text\": \"" +
                               std::string(200, 'x') + "\"}\n");
    const std::string database = folder / "db";
    const auto indexed = run_braid({"index", "--db", database, "--limit", "record=100", documents});
    CHECK(indexed.code == 0);
    CHECK_THAT(indexed.err, Contains("warning: ") && Contains("100 bytes"));
    const auto topics =
        run_braid({"adopt", "--db", database, "--topics", "lsa:20", "--limit", "topics=10"});
    CHECK(topics.code == 1);
    CHECK_THAT(topics.err, Contains("topics lsa: found 20 dimensions, expected at most 10"));
    const std::string vectors = folder.file("vectors.jsonl", "[1, 2, 3]\n");
    const auto given =
        run_braid({"adopt", "--db", database, "--vectors", vectors, "--limit", "dimensions=2"});
    CHECK(given.code == 1);
    CHECK_THAT(given.err, Contains(vectors + ":1: ") && Contains("the limit 'dimensions'"));
}

TEST_CASE("Limits: a search without memory for tables has the same results") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4");
    const auto with = fixture.run("search", {"-q", "w1", "w2"});
    const auto without = fixture.run("search", {"-q", "--limit", "memory=0", "w1", "w2"});
    CHECK(with.code == 0);
    CHECK(without.out == with.out);
}

TEST_CASE("Limits: JSON says whether a search is complete") {
    const TopicFixture fixture;
    const auto whole = fixture.run("search", {"--json", "--limit", "time=60000", "w1"});
    CHECK(Json::parse(whole.out)["complete"] == true);
}

// As root every folder can be written to; then this shows nothing.
TEST_CASE("Limits: adopt --statistics doesn't advise what it excludes") {
    const TopicFixture fixture;
    std::filesystem::remove(fixture.database + "/termlist.glass");
    const auto failed = fixture.run("adopt", {"--statistics"});
    CHECK(failed.code == 1);
    CHECK_THAT(failed.err, !Contains("--sidecar"));
}
