// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "braid/tests/cli/html_checks.h"
#include "braid/tests/cli/train_fixture.h"

using namespace braid;
using namespace braid::test;
using Catch::Matchers::Contains;
using Catch::Matchers::WithinRel;
using Json = nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("braid train --db: warns where no document found is judged, with examples of both") {
    const TrainFixture fixture;
    std::string renamed = read_file(fixture.qrels);
    for (std::size_t at = 0; (at = renamed.find(" d", at)) != std::string::npos; ++at) {
        renamed.replace(at, 2, " D-");
    }
    write_file(fixture.folder / "renamed", renamed);
    for (const char* command : {"train", "features"}) {
        std::vector<std::string> options = {"--queries", fixture.queries, "--quiet", "--qrels"};
        options.push_back(fixture.qrels);
        CHECK(fixture.run(command, options).err.find("is judged") == std::string::npos);
        options.back() = fixture.folder / "renamed";
        const std::string warned = fixture.run(command, options).err;
        INFO(command << ": " << warned);
        CHECK_THAT(warned, Contains("none of the documents found is judged") &&
                               Contains("queries '0', '1' and there '0', '1'") &&
                               Contains("and there 'D-0', 'D-3'"));
    }
}

TEST_CASE("braid train --db: a search by the model gives the scores that training had") {
    const TrainFixture fixture;
    for (const std::string normaliser : {"scale", "none"}) {
        const CommandResult trained =
            fixture.train({"--qrels", fixture.qrels, "--learner", "coordinate", "--model",
                           fixture.model, "--normalise", normaliser});
        INFO(trained.err);
        REQUIRE(trained.code == 0);
        const std::string text = read_file(fixture.model);
        CHECK_THAT(text, Contains("{ranker: bm25, parameters: {k1: 2}, weight: "));
        CHECK_THAT(text, Contains("topic_models:\n      - {name: lsa, id: "));
        const CommandResult features = fixture.run(
            "features", {"--queries", fixture.queries, "--model", fixture.model, "--pool", "all"});
        REQUIRE(features.code == 0);
        write_file(fixture.folder / "letor", features.out);
        const CommandResult scored =
            run_braid({"score", "--letor", fixture.folder / "letor", "--model", fixture.model});
        REQUIRE(scored.code == 0);
        const CommandResult run = fixture.run(
            "run", {"--queries", fixture.queries, "--model", fixture.model, "--depth", "all"});
        REQUIRE(run.code == 0);
        std::map<std::string, double> found;
        for (const std::string& line : lines_of(run.out)) {
            std::istringstream words(line);
            std::string query;
            std::string document;
            std::string skipped;
            double score = 0;
            words >> query >> skipped >> document >> skipped >> score;
            found[query.append(" ").append(document)] = score;
        }
        const std::vector<std::string> scores = lines_of(scored.out);
        std::vector<std::string> rows = lines_of(features.out);
        rows.erase(rows.begin());  // The names.
        REQUIRE(rows.size() == scores.size());
        REQUIRE(rows.size() == found.size());
        REQUIRE(rows.size() > 100);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t query = rows[i].find("qid:") + 4;
            const std::string key = rows[i].substr(query, rows[i].find(' ', query) - query) + " " +
                                    rows[i].substr(rows[i].rfind(' ') + 1);
            CHECK_THAT(std::stod(scores[i]), WithinRel(found.at(key), 1e-9));
        }
    }
}

TEST_CASE("braid train --db: --install makes the model the database's own") {
    const TrainFixture fixture;
    const CommandResult trained =
        fixture.train({"--qrels", fixture.qrels, "--learner", "coordinate", "--install", "--model",
                       fixture.model});
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    CHECK_THAT(trained.err, Contains("ranked by the model from now on"));
    const std::vector<std::string> search = {"--queries", fixture.queries};
    std::vector<std::string> by_file = search;
    by_file.insert(by_file.end(), {"--model", fixture.model});
    CHECK(fixture.run("run", search).out == fixture.run("run", by_file).out);
    // After the topics are learned anew the weights belong to no model there is.
    REQUIRE(fixture.run("adopt", {"--topics", "lsa:6", "--retrain", "--quiet"}).code == 0);
    const CommandResult outdated = fixture.run("run", by_file);
    CHECK(outdated.code == 1);
    CHECK_THAT(outdated.err, Contains("lsa"));
}

TEST_CASE("braid train --db: folds, and a report of what learning is worth") {
    const TrainFixture fixture;
    const CommandResult result = fixture.train(
        {"--qrels", fixture.qrels, "--folds", "4", "--json", "--learner", "coordinate"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    const Json report = Json::parse(result.out);
    CHECK(report.at("folds").size() == 4);
    CHECK(report.at("normaliser") == "none");
    CHECK(report.at("learning").at("queries") == 8);
    CHECK(report.at("baselines").size() == 5);
}

TEST_CASE("braid train --db: rankers teach each other where nobody judged") {
    const TrainFixture fixture;
    const CommandResult result = fixture.train({"--model", fixture.model, "--pool", "40"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.out + result.err, Contains("uns-enm learned from"));
    CHECK_THAT(result.out, Contains("no judgements, so no measures"));
    CHECK(fixture.run("run", {"--queries", fixture.queries, "--model", fixture.model}).code == 0);
    const CommandResult needs = fixture.train({"--learner", "genm-bat"});
    CHECK(needs.code == 2);
    CHECK_THAT(needs.err, Contains("uns-enm learns without judgements"));
}

TEST_CASE("braid train --clicks: what users click is learned from") {
    const TrainFixture fixture;
    const CommandResult result = fixture.train({"--clicks", fixture.clicks, "--learner", "genm-on",
                                                "--model", fixture.model, "-p", "passes=1"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(read_file(fixture.model), Contains("queries: 8") && Contains("state:"));
    // The next clicks go on from there, and a search sees the new weights.
    const CommandResult next =
        fixture.run("train", {"--queries", fixture.queries, "--clicks", fixture.clicks,
                              "--continue", fixture.model, "--model", fixture.model});
    INFO(next.err);
    REQUIRE(next.code == 0);
    CHECK_THAT(read_file(fixture.model), Contains("steps: [17]"));
    CHECK(fixture.run("run", {"--queries", fixture.queries, "--model", fixture.model}).code == 0);
    // The same clicks on a file of features.
    const CommandResult features =
        fixture.run("features", {"--queries", fixture.queries, "--model", fixture.rankers});
    write_file(fixture.folder / "letor", features.out);
    const CommandResult letor = run_braid({"train", "--letor", fixture.folder / "letor", "--clicks",
                                           fixture.clicks, "--learner", "coordinate"});
    INFO(letor.err);
    CHECK(letor.code == 0);
    CHECK_THAT(letor.err, Contains("documents are judged by clicks"));
}

TEST_CASE("braid train --db: weights that follow from the query are served") {
    const TrainFixture fixture;
    std::string embeddings;
    for (int q = 0; q < 8; ++q) {
        embeddings += "{\"id\": \"" + std::to_string(q) + "\", \"vector\": [1, " +
                      std::to_string(q % 2) + "]}\n";
    }
    const std::string file = fixture.folder / "embeddings.jsonl";
    write_file(file, embeddings);
    const std::vector<std::string> learning = {"--qrels",
                                               fixture.qrels,
                                               "--learner",
                                               "awel",
                                               "-p",
                                               "folds=0",
                                               "--hold-back",
                                               "0",
                                               "-p",
                                               "weights=non-negative",
                                               "--query-features",
                                               "words,topics,lists",
                                               "--query-embeddings",
                                               "mine=" + file,
                                               "--install",
                                               "--model",
                                               fixture.model};
    const CommandResult trained = fixture.train(learning);
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    const std::string text = read_file(fixture.model);
    CHECK_THAT(text, Contains("form: attention") && Contains("known:lsa") &&
                         Contains("topic:lsa:7") && Contains("embedding:mine:1") &&
                         Contains("list:agreement"));
    const std::string own = fixture.folder / "own.jsonl";
    write_file(own, "[1, 0]\n");
    const CommandResult found = fixture.run(
        "search", {"--explain", "--json", "--query-embedding", "mine=" + own, "w0 w1 common"});
    INFO(found.err);
    REQUIRE(found.code == 0);
    const Json result = Json::parse(found.out);
    CHECK(result["run"]["weighting_documents"] > 0);
    CHECK(result["run"]["rescored"] == 0);
    for (const Json& ranker : result["hits"][0]["explanation"]["rankers"]) {
        CHECK(ranker["mean_weight"].is_number());
    }
    CHECK_THAT(
        fixture.run("search", {"--explain", "--query-embedding", "mine=" + own, "w0 w1"}).out,
        Contains("(mean query: ") && Contains("weights of this query from 24 of its features") &&
            Contains("with a first pass over"));
    const CommandResult run =
        fixture.run("run", {"--queries", fixture.queries, "--query-embeddings", "mine=" + file});
    CHECK(run.code == 0);
    CHECK(lines_of(run.out).size() > 8);

    CHECK_THAT(fixture.run("search", {"w0"}).err, Contains("--query-embedding"));
    write_file(own, "[0, 0]\n");
    CHECK_THAT(fixture.run("search", {"--query-embedding", "mine=" + own, "w0"}).err,
               Contains("row 0 (from 0) is all zero"));
    write_file(own, "[1, 2, 3]\n");
    CHECK_THAT(fixture.run("search", {"--query-embedding", "mine=" + own, "w0"}).err,
               Contains("has 3 numbers, expected 2"));
    write_file(file, "{\"id\": \"0\", \"vector\": [1, 0]}\n");
    CHECK_THAT(fixture.train(learning).err, Contains("query 1 has no embedding 'mine'"));
}

TEST_CASE("braid train --db: candidates that are neighbours in topic space") {
    const TrainFixture fixture;
    const std::vector<std::string> learning = {
        "--qrels",      fixture.qrels, "--learner", "sser",       "-p",
        "graph=topics", "-p",          "gamma=5",   "--folds",    "2",
        "--no-oracle",  "--install",   "--model",   fixture.model};
    const CommandResult trained = fixture.train(learning);
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    CHECK_THAT(read_file(fixture.model), Contains("graph: [topics]"));
    const CommandResult found = fixture.run("search", {"--explain", "w0 w1 common"});
    INFO(found.err);
    CHECK(found.code == 0);
    CHECK_THAT(found.out, Contains("weighted by these candidates"));
}

TEST_CASE("braid train --db: wrong calls are refused") {
    const TrainFixture fixture;
    const auto refused = [&](const std::vector<std::string>& options, int code,
                             const std::string& message) {
        const CommandResult result = fixture.train(options);
        INFO(result.err);
        CHECK(result.code == code);
        CHECK_THAT(result.err, Contains(message));
    };
    refused({"--qrels", fixture.qrels, "--letor", fixture.qrels}, 2, "either --letor");
    refused({"--qrels", fixture.qrels, "--test", fixture.qrels}, 2, "--test needs --letor");
    refused({"--qrels", fixture.qrels, "--clicks", fixture.clicks}, 2, "expected one of them");
    refused({"--learner", "genm-bart"}, 2, "did you mean 'genm-bat'?");
    refused({"--qrels", fixture.qrels, "--pool", "0"}, 2, "--pool 0");
    refused({"--qrels", fixture.qrels, "--folds", "9"}, 1, "9");
    write_file(fixture.folder / "other", "x 0 d1 1\n");
    refused({"--qrels", fixture.folder / "other"}, 1, "none of its 8 queries is judged");
    const CommandResult no_queries = fixture.run("train", {"--qrels", fixture.qrels});
    CHECK(no_queries.code == 2);
    const CommandResult words =
        fixture.run("train", {"--queries", fixture.queries, "--qrels", fixture.qrels, "--learner",
                              "sser", "-p", "graph=topics", "--model-rankers", "bm25"});
    CHECK(words.code == 1);
    CHECK_THAT(words.err, Contains("no ranker of the model uses a topic model"));
    const CommandResult placeless =
        run_braid({"train", "--letor", fixture.qrels, "--learner", "sser", "-p", "graph=topics"});
    CHECK(placeless.code == 2);
    CHECK_THAT(placeless.err, Contains("a file of features doesn't have"));
    const CommandResult letor = run_braid({"train", "--letor", fixture.qrels, "--pool", "5"});
    CHECK(letor.code == 2);
    CHECK_THAT(letor.err, Contains("--pool needs --db"));
}

TEST_CASE("braid train --db: reports what was learned from a database") {
    const TrainFixture fixture;
    const std::string page = fixture.folder / "report.html";
    const std::string numbers = fixture.folder / "report.json";
    const auto report = [&](std::vector<std::string> options) {
        options.insert(options.end(), {"--report", page, "--report", numbers});
        const CommandResult trained = fixture.train(options);
        INFO(trained.err);
        REQUIRE(trained.code == 0);
        check_elements(read_file(page));
        return Json::parse(read_file(numbers));
    };
    const Json folded =
        report({"--qrels", fixture.qrels, "--learner", "awel", "--folds", "2", "--measure", "p@5"});
    CHECK(folded.at("measured_on") == "held-out folds");
    CHECK(folded.at("settings").at("queries") == fixture.queries);
    CHECK(folded.at("query_dependent").at("fixed_learner") == "wel");
    CHECK(folded.at("queries").size() == 8);
    CHECK(folded.at("systems").size() == 3 + 3 + 2);
    CHECK(has(read_file(page), "ranker other"));

    // By a run of one ranker, braid eval has the same.
    write_file(fixture.folder / "one.yaml", "model: {rankers: [{ranker: dph}]}\n");
    const CommandResult run = fixture.run("run", {"--queries", fixture.queries, "--model",
                                                  fixture.folder / "one.yaml", "--depth", "all"});
    REQUIRE(run.code == 0);
    write_file(fixture.folder / "run", run.out);
    const CommandResult evaluated =
        run_braid({"eval", "--qrels", fixture.qrels, fixture.folder / "run", "--json",
                   "--per-query", "--measures", "p@5"});
    REQUIRE(evaluated.code == 0);
    const Json values = Json::parse(evaluated.out).at("runs")[0].at("per_query");
    for (const Json& query : folded.at("queries")) {
        CHECK_THAT(
            query.at("rankers").at("other").get<double>(),
            WithinRel(values.at(query.at("query").get<std::string>()).at("p@5").get<double>(),
                      1e-9));
    }

    // Without judgements nothing is measured, and the rest is there.
    const Json blind = report({"--learner", "uns-enm"});
    CHECK(blind.at("systems").empty());
    CHECK(blind.at("rankers").size() == 3);
    CHECK(blind.at("distances").at("names").size() == 4);
    CHECK(has(read_file(page), "nothing to measure by"));
}
