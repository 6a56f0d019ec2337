// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>
#include <xapian.h>

#include "braid/tests/cli/topic_fixture.h"
#include "braid/tests/support/texts.h"

using braid::test::CommandResult;
using braid::test::run_braid;
using braid::test::TopicFixture;
using namespace braid::test;

TEST_CASE("braid topics: a database without models has a note, and an empty list") {
    const TopicFixture fixture;
    const CommandResult result = fixture.run("topics");
    CHECK(result.code == 0);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("no topic models; `braid adopt` learns one"));
    CHECK(fixture.run("topics", {"--quiet"}).err.empty());
    CHECK(fixture.run("topics", {"--json"}).out == "[]\n");
    const CommandResult unknown = fixture.run("topics", {"--model", "lsa"});
    CHECK(unknown.code == 1);
    CHECK_THAT(unknown.err, Contains("'lsa'") && Contains("braid adopt"));
}

TEST_CASE("braid topics: a record whose number of chains is no number of chains") {
    const TopicFixture fixture;
    fixture.adopt_topics("lda:4");
    {
        Xapian::WritableDatabase writer(fixture.database, Xapian::DB_OPEN);
        bool found = false;
        for (auto key = writer.metadata_keys_begin("braid:"); key != writer.metadata_keys_end();
             ++key) {
            if (!(*key).ends_with(":h")) continue;
            std::string record = writer.get_metadata(*key);
            const std::string one("\0\0\0\0\0\0\xf0\x3f", 8);
            const std::size_t place = record.find(one);
            REQUIRE(place != std::string::npos);
            writer.set_metadata(*key, record.replace(place, 8, std::string(8, '\0')));
            found = true;
            break;
        }
        REQUIRE(found);
        writer.commit();
    }
    CHECK(fixture.run("topics").code <= 1);
}

TEST_CASE("braid topics: shows models, their topics and their state") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:7,plsi:3");
    const CommandResult result = fixture.run("topics");
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, Contains("lsa: lsa of 7 dimensions, id ") &&
                               Contains("plsi: plsi of 3 dimensions") &&
                               Contains("(just now), on 60 documents, ") &&
                               Contains("s8 a dimension in value slot 1000") &&
                               Contains("u8 a dimension in value slot 1001") &&
                               Contains("60: 0 without a vector, 0 stale, 0 with a foreign") &&
                               Contains("folded in   0 (0.0 %)"));
    CHECK_THAT(result.out, !Contains("to do"));
    const auto lines = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"--model", "lsa"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const CommandResult shown = fixture.run("topics", arguments);
        CHECK_THAT(shown.out, !Contains("plsi"));
        return lines_of(shown.out).size();
    };
    const std::size_t all = lines({});
    CHECK(lines({"--topics", "2"}) == all - 5);
    CHECK(lines({"--topics", "2", "--all"}) == all);
    CHECK(lines({"--topics", "0"}) == all - 7);
    const CommandResult words = fixture.run("topics", {"--model", "plsi", "--words", "1"});
    CHECK(words.out.size() < fixture.run("topics", {"--model", "plsi"}).out.size());
}

TEST_CASE("braid topics: everything as JSON") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4,plsi:3");
    const auto models = nlohmann::json::parse(fixture.run("topics", {"--json"}).out);
    REQUIRE(models.size() == 2);
    const auto& lsa = models[0];
    CHECK(lsa["name"] == "lsa");
    CHECK(lsa["dimensions"] == 4);
    CHECK(lsa["slot"] == 1000);
    CHECK(lsa["coding"] == "s8");
    CHECK(lsa["documents"] == 60);
    CHECK(lsa["missing"] == 0);
    CHECK(lsa["advice"].empty());
    REQUIRE(lsa["topics"].size() == 4);
    double share = 0;
    for (const auto& topic : lsa["topics"]) share += topic["share"].get<double>();
    CHECK_THAT(share, Catch::WithinAbs(1, 1e-6));
    CHECK(lsa["topics"][0]["words"].size() == 20);
    CHECK(lsa["topics"][0]["words"][0]["word"].get<std::string>()[0] == 'w');
    CHECK(models[1]["topics"][0]["words"][0]["weight"] > 0);
}

TEST_CASE("braid topics: says what other programs left undone") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4");
    {
        Xapian::WritableDatabase other(fixture.database);
        Xapian::Document document;
        document.add_term("Zw1");
        other.add_document(document);
        other.commit();
    }
    CHECK_THAT(fixture.run("topics").out,
               Contains("61: 1 without a vector") &&
                   Contains("to do       1 documents have no vector of this model"));
    CHECK_THAT(fixture.run("adopt", {"--topics", "lsa:4"}).err,
               Contains("1 of 61 documents given a vector, 1 of them folded in"));
    CHECK_THAT(fixture.run("topics").out, Contains("61: 0 without a vector"));
}

TEST_CASE("braid topics: removes a model, and refuses one that isn't there") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:4,plsi:3");
    const CommandResult wrong = fixture.run("topics", {"--remove", "lda"});
    CHECK(wrong.code == 1);
    CHECK_THAT(wrong.err, Contains("'lda'") && Contains("it has lsa, plsi"));
    const CommandResult removed = fixture.run("topics", {"--remove", "lsa"});
    CHECK(removed.code == 0);
    CHECK_THAT(removed.err, Contains("removed lsa"));
    CHECK_THAT(fixture.run("topics").out, StartsWith("plsi: plsi of"));
    CHECK(Xapian::Database(fixture.database).get_value_freq(1000) == 0);
    CHECK(Xapian::Database(fixture.database).get_value_freq(1001) == 60);
    CHECK(fixture.run("topics", {"--remove", "lsa"}).code == 1);
    CHECK(run_braid({"topics"}).code == 2);
    CHECK(run_braid({"topics", "--db", fixture.folder / "nowhere"}).code == 1);
}

TEST_CASE("braid topics: vectors that are exported can be adopted again, and rank the same") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:7,plsi:3");
    const std::string vectors = fixture.folder / "lsa.npy";
    const std::string names = fixture.folder / "lsa.ids";
    const CommandResult which = fixture.run("topics", {"--export", vectors});
    CHECK(which.code == 1);
    CHECK_THAT(which.err, Contains("2 topic models, expected --model"));
    const CommandResult result =
        fixture.run("topics", {"--model", "lsa", "--export", vectors, "--ids", names});
    REQUIRE(result.code == 0);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("60 vectors of 7 dimensions"));
    CHECK(read_file(names).starts_with("d0\nd1\n"));
    CHECK(read_file(vectors).size() == 128 + 60 * 7 * 4);
    REQUIRE(fixture
                .run("adopt", {"--vectors", "mine=" + vectors, "--ids", names, "--vector-coding",
                               "f32", "--quiet"})
                .code == 0);
    const std::string again = fixture.folder / "again.npy";
    REQUIRE(fixture.run("topics", {"--model", "mine", "--export", again}).code == 0);
    CHECK(read_file(again).size() == read_file(vectors).size());
    CHECK(fixture.run("topics", {"--export", vectors, "--json"}).code == 2);
    CHECK(fixture.run("topics", {"--ids", names}).code == 2);
    const CommandResult unknown = fixture.run("topics", {"--model", "none", "--export", vectors});
    CHECK(unknown.code == 1);
}
