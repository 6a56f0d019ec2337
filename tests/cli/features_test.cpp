// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/cli/topic_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

// Two queries that are judged, one that isn't, and one without a word.
struct FeaturesFixture : TopicFixture {
    explicit FeaturesFixture(int count = 60) : TopicFixture(count) {
        write_file(queries, "1\tw0 w1\n2\tw7 w12 w12\n3\tw5\n4\t...\n");
        write_file(qrels, "1 0 d1 2\n1 0 nowhere 1\n2 0 d2 0\n4 0 d3 1\n");
        write_file(model,
                   "model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: lsa, weight: 0}\n"
                   "    - {ranker: bm25, name: other, parameters: {k1: 2}, weight: 0}\n");
        adopt_topics("lsa:8");
    }

    CommandResult features(std::vector<std::string> options) const {
        options.insert(options.begin(), {"--queries", queries});
        return run("features", options);
    }

    LetorData read(const std::string& text) const {
        write_file(folder / "read.letor", text);
        return read_letor(folder / "read.letor");
    }

    std::string queries = folder / "queries.tsv";
    std::string qrels = folder / "qrels";
    std::string model = folder / "model.yaml";
};

}  // namespace

TEST_CASE("braid features: a LETOR file of the scores that a search gives") {
    const FeaturesFixture fixture(120);
    const CommandResult result = fixture.features({"--model", fixture.model});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.out, StartsWith("# 1:bm25 2:lsa 3:other\n"));
    CHECK_THAT(result.err, Contains("1 of 4 queries found nothing and have no rows"));
    const LetorData data = fixture.read(result.out);
    CHECK(data.feature_names == std::vector<std::string>{"bm25", "lsa", "other"});
    CHECK(data.queries == std::vector<std::string>{"1", "2", "3"});
    CHECK(data.labels == std::vector<int>(data.rows(), 0));
    std::size_t column = 0;
    for (const std::string ranker : {"bm25", "lsa"}) {
        const CommandResult run =
            fixture.run("run", {"--queries", fixture.queries, "--model", ranker, "--depth", "all"});
        const RunScores scores = run_scores(run.out);
        CHECK(scores.size() > 30);
        CHECK(scores.size() == data.rows());
        for (std::size_t query = 0; query < data.queries.size(); ++query) {
            for (std::size_t i = data.query_offsets[query]; i < data.query_offsets[query + 1];
                 ++i) {
                const double score = scores.at({data.queries[query], data.documents[i]});
                CHECK_THAT(data.row(i)[column], WithinRel(score, 1e-9));
            }
        }
        ++column;
    }
    CHECK(data.row(0)[0] != data.row(0)[2]);
}

TEST_CASE("braid features: grades, and what the file can't say") {
    const FeaturesFixture fixture;
    const auto features = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"--model", "bm25", "--qrels", fixture.qrels});
        return fixture.features(options);
    };
    const CommandResult result = features({"--pool", "all", "--candidates", "all"});
    REQUIRE(result.code == 0);
    CHECK_THAT(result.err, Contains("1 of 4 queries have no judgements and are left out"));
    CHECK_THAT(result.err, Contains("2 relevant documents of 2 queries are in no pool"));
    CHECK_THAT(result.err, Contains("120 documents of 2 queries"));
    const LetorData data = fixture.read(result.out);
    REQUIRE(data.rows() == 120);
    CHECK(data.documents[1] == "d1");
    for (std::size_t i = 0; i < data.rows(); ++i) CHECK(data.labels[i] == (i == 1 ? 2 : 0));
    // The pool of three lacks d1, or not.
    const CommandResult three = features({"--pool", "3"});
    const CommandResult added = features({"--pool", "3", "--add-judged"});
    const LetorData with = fixture.read(added.out);
    CHECK(with.rows() > fixture.read(three.out).rows());
    CHECK(std::find(with.documents.begin(), with.documents.end(), "d1") != with.documents.end());
    CHECK(fixture.features({"--pool", "3", "--pool-from", "model"}).code == 0);
}

TEST_CASE("braid features: the same for any number of threads") {
    const FeaturesFixture fixture;
    std::string queries;
    for (int i = 0; i < 60; ++i) {
        queries +=
            std::to_string(i) + "\tw" + std::to_string(i) + " w" + std::to_string(i / 2) + "\n";
    }
    write_file(fixture.queries, queries);
    const CommandResult one = fixture.features({"--model", fixture.model, "--threads", "1"});
    REQUIRE(one.code == 0);
    CHECK(fixture.read(one.out).queries.size() > 40);
    CHECK(fixture.features({"--model", fixture.model, "--threads", "3"}).out == one.out);
    // Adopting left what ranks as it was.
    CHECK_THAT(fixture.features({}).out, StartsWith("# 1:bm25\n"));
}

TEST_CASE("braid features: what is wrong is said in one line, with the exit code") {
    const FeaturesFixture fixture;
    CHECK_THAT(fixture.features({"--pool", "0"}).err, Contains("expected a number from 1 up"));
    CHECK_THAT(fixture.features({"--model", "xapian"}).err,
               Contains("xapian has no separate rankers"));
    CHECK(fixture.features({"--model", "nothing"}).code == 2);
    CHECK(fixture.features({"--add-judged"}).code == 2);
    CHECK_THAT(fixture.features({"--model", "plsi"}).err, Contains("plsi"));
    CHECK(fixture.features({"--model", "plsi"}).out.empty());
    write_file(fixture.qrels, "7 0 d1 1\n");
    const CommandResult foreign = fixture.features({"--qrels", fixture.qrels});
    CHECK(foreign.code == 1);
    CHECK_THAT(foreign.err, Contains("its first are '1', '2', the judgements' first '7'"));
}
