// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "braid/tests/cli/topic_fixture.h"

using braid::test::CommandResult;
using braid::test::TopicFixture;
using braid::test::write_file;
using Catch::Contains;

namespace {

// Vectors of three numbers for documents "d{first}" ...
std::string vector_lines(int first, int count, bool with_ids = true) {
    std::string text;
    for (int d = first; d < first + count; ++d) {
        std::string vector = "[";
        vector += std::to_string(d % 7) + ", " + std::to_string(d % 3) + ", 1]";
        if (with_ids) text += "{\"id\": \"d" + std::to_string(d) + "\", \"vector\": ";
        text += vector + (with_ids ? "}\n" : "\n");
    }
    return text;
}

}  // namespace

TEST_CASE("braid adopt --vectors: stores what there is, and says what there is not") {
    const TopicFixture fixture;
    const std::string file = fixture.folder / "vectors.jsonl";
    write_file(file, vector_lines(0, 50));
    const CommandResult result = fixture.run("adopt", {"--vectors", "bert=" + file});
    CHECK(result.code == 0);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("bert: 3 dimensions in value slot 1000; 50 of 60 documents") &&
                               Contains("10 documents have no vector"));
    const auto summary =
        nlohmann::json::parse(fixture.run("adopt", {"--vectors", "bert=" + file, "--json"}).out);
    CHECK(summary["written"] == 0);
    CHECK(summary["missing"] == 10);
    const CommandResult topics = fixture.run("topics");
    CHECK_THAT(topics.out, Contains("bert: vectors of 3 dimensions") &&
                               Contains("10 without a vector") &&
                               Contains("braid adopt --vectors"));
    // Documents that come later are no trouble, they only have no vector.
    CHECK(fixture.run("index", {fixture.documents(60, 5), "--quiet"}).code == 0);
    CHECK_THAT(fixture.run("topics").out, Contains("15 without a vector"));
    CHECK(fixture.run("topics", {"--remove", "bert"}).code == 0);
    CHECK(fixture.run("topics").out.empty());
}

TEST_CASE("braid adopt --vectors: names from a file of their own, or the order") {
    const TopicFixture fixture;
    const std::string file = fixture.folder / "vectors.jsonl";
    write_file(file, vector_lines(0, 60, false));
    CHECK(fixture.run("adopt", {"--vectors", file, "--vector-coding", "f16"}).code == 0);
    const std::string ids = fixture.folder / "ids";
    std::string names;
    for (int d = 0; d < 60; ++d) names += "d" + std::to_string(d) + "\n";
    write_file(ids, names);
    CHECK_THAT(fixture.run("adopt", {"--vectors", "b=" + file, "--ids", ids}).err,
               Contains("60 of 60"));
    write_file(ids, "d0\nd1\n");
    const CommandResult few = fixture.run("adopt", {"--vectors", "c=" + file, "--ids", ids});
    CHECK(few.code == 1);
    CHECK_THAT(few.err, Contains("2 ids for 60 vectors"));
}

TEST_CASE("braid adopt --vectors: what can't be is refused") {
    const TopicFixture fixture;
    const std::string file = fixture.folder / "vectors.jsonl";
    write_file(file, "no vectors\n");
    const CommandResult broken = fixture.run("adopt", {"--vectors", file});
    CHECK(broken.code == 1);
    CHECK_THAT(broken.err, Contains("vectors.jsonl:1"));
    CHECK(fixture.run("adopt", {"--vectors", file, "--topics", "lsa:3"}).code == 2);
    CHECK(fixture.run("adopt", {"--ids", file}).code == 2);
    write_file(file, vector_lines(100, 5));
    const CommandResult strangers = fixture.run("adopt", {"--vectors", file});
    CHECK(strangers.code == 1);
    CHECK_THAT(strangers.err, Contains("'d100'"));
}
