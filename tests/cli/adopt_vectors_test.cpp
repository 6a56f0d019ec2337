// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/cli/topic_fixture.h"

using braid::test::CommandResult;
using braid::test::TopicFixture;
using braid::test::write_file;
using namespace braid::test;

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
    const std::string file = fixture.folder.file("vectors.jsonl", vector_lines(0, 50));
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
    const std::string file = fixture.folder.file("vectors.jsonl", vector_lines(0, 60, false));
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
    const std::string file = fixture.folder.file("vectors.jsonl", "no vectors\n");
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

TEST_CASE("braid features and train: vectors and the time as searches have them") {
    const TopicFixture fixture;
    const std::string file = fixture.folder.file("vectors.jsonl", vector_lines(0, 60));
    REQUIRE(fixture.run("adopt", {"--vectors", file, "--vector-coding", "f32"}).code == 0);
    const std::string queries =
        fixture.folder.file("queries.tsv", "1\tw0 w1\n2\tw7 w12 w12\n3\tw5\n");
    const std::string vectors = fixture.folder.file(
        "queries.jsonl",
        "{\"id\": \"2\", \"vector\": [1, 0, 2]}\n{\"id\": \"1\", \"vector\": [0, 1, 0]}\n"
        "{\"id\": \"3\", \"vector\": [3, 1, 1]}\n");
    const std::string model = fixture.folder.file(
        "model.yaml",
        "model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: vector, weight: 2}\n");
    const std::vector<std::string> common = {"--queries", queries, "--query-vectors", vectors};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), common.begin(), common.end());
        return more;
    };
    const CommandResult features =
        fixture.run("features", with({"--model", model, "--pool", "all"}));
    INFO(features.err);
    REQUIRE(features.code == 0);
    const std::string letor = fixture.folder.file("rows.letor", features.out);
    // Weighted and added up these are the scores that `braid run` gives.
    const CommandResult run =
        fixture.run("run", with({"--model", model, "--depth", "all", "--name", "x"}));
    REQUIRE(run.code == 0);
    std::map<std::string, double> found;
    std::istringstream lines(run.out);
    for (std::string query, zero, document, rank, score, name;
         lines >> query >> zero >> document >> rank >> score >> name;) {
        found[query + " " + document] = std::stod(score);
    }
    const braid::LetorData rows = braid::read_letor(letor);
    REQUIRE(rows.rows() == found.size());
    REQUIRE(rows.rows() > 10);
    std::istringstream text(features.out);
    std::string line;
    std::getline(text, line);
    while (std::getline(text, line)) {
        std::istringstream row(line);
        std::string grade, query, bm25, vector, hash, docid, equals, document;
        row >> grade >> query >> bm25 >> vector >> hash >> docid >> equals >> document;
        const double sum = std::stod(bm25.substr(2)) + 2 * std::stod(vector.substr(2));
        CHECK(found.at(query.substr(4) + " " + document) == Approx(sum).epsilon(1e-6));
    }
    const std::string qrels = fixture.folder / "qrels";
    // Of each query's documents every second one is relevant.
    std::string judged;
    for (const auto& [pair, score] : found) {
        const std::size_t space = pair.find(' ');
        judged += fmt::format("{} 0 {} {}\n", pair.substr(0, space), pair.substr(space + 1),
                              std::count(judged.begin(), judged.end(), '\n') % 2);
    }
    write_file(qrels, judged);
    const CommandResult trained = fixture.run(
        "train", with({"--model-rankers", model, "--qrels", qrels, "--learner", "coordinate"}));
    INFO(trained.err);
    CHECK(trained.code == 0);
}

TEST_CASE(
    "braid run, features and train: queries without a vector are named before anything is done") {
    const TopicFixture fixture;
    const std::string file = fixture.folder.file("vectors.jsonl", vector_lines(0, 60));
    REQUIRE(fixture.run("adopt", {"--vectors", file}).code == 0);
    const std::string queries = fixture.folder.file("queries.tsv", "1\tw0 w1\n2\tw7\n3\tw5\n");
    const std::string vectors =
        fixture.folder.file("queries.jsonl", "{\"id\": \"2\", \"vector\": [1, 0, 2]}\n");
    const std::vector<std::string> files = {"--queries", queries, "--query-vectors", vectors};
    for (const std::string command : {"run", "features"}) {
        std::vector<std::string> arguments = {"--model", "vector"};
        arguments.insert(arguments.end(), files.begin(), files.end());
        const CommandResult result = fixture.run(command, arguments);
        CHECK(result.code == 1);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, Contains("2 of 3 queries have no vector 'vectors'") &&
                                   Contains("1, 3") && Contains("--query-vectors"));
    }
    std::vector<std::string> arguments = {"--model-rankers", "vector"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const CommandResult trained = fixture.run("train", arguments);
    CHECK(trained.code == 1);
    CHECK_THAT(trained.err, Contains("2 of 3 queries have no vector"));
    // What doesn't count needs none.
    const std::string model = fixture.folder.file(
        "model.yaml",
        "model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: vector, weight: 0}\n");
    CHECK(fixture.run("run", {"--queries", queries, "--model", model}).code == 0);
    CHECK(fixture.run("run", {"--queries", queries, "--model", "xapian"}).code == 0);
}

TEST_CASE("braid features: ages are counted from one time, which is said") {
    const TopicFixture fixture;
    const std::string queries = fixture.folder.file("queries.tsv", "1\tw0 w1\n2\tw7\n");
    const std::string model =
        fixture.folder.file("model.yaml",
                            "model:\n  rankers:\n    - {ranker: bm25}\n"
                            "    - {ranker: value-decay, parameters: {slot: 3}}\n");
    const std::vector<std::string> arguments = {"--queries", queries, "--model",
                                                model,       "--now", "1700000000"};
    const CommandResult features = fixture.run("features", arguments);
    INFO(features.err);
    REQUIRE(features.code == 0);
    CHECK_THAT(features.out, Contains("\n# now = 1700000000\n"));
    CHECK_THAT(features.err, Contains("--now 1700000000, 2023-11-14 22:13:20 UTC"));
    const std::string letor = fixture.folder.file("rows.letor", features.out);
    CHECK(braid::read_letor(letor).feature_names ==
          std::vector<std::string>{"bm25", "value-decay"});
    const CommandResult by_clock =
        fixture.run("features", {"--queries", queries, "--model", model});
    CHECK_THAT(by_clock.out, Contains("\n# now = "));
    CHECK(fixture.run("features", {"--queries", queries, "--model", "bm25"}).out.find("now") ==
          std::string::npos);
    CHECK(fixture.run("run", {"--queries", queries, "--now", "-1"}).code == 2);
}
