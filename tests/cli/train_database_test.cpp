// SPDX-License-Identifier: GPL-2.0-or-later
#include <sstream>

#include <nlohmann/json.hpp>

#include "braid/tests/cli/html_checks.h"
#include "braid/tests/cli/train_fixture.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

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
        const RunScores found = run_scores(run.out);
        const std::vector<std::string> scores = lines_of(scored.out);
        std::vector<std::string> rows = lines_of(features.out);
        rows.erase(rows.begin());  // The names.
        REQUIRE(rows.size() == scores.size());
        REQUIRE(rows.size() == found.size());
        REQUIRE(rows.size() > 100);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t query = rows[i].find("qid:") + 4;
            CHECK_THAT(std::stod(scores[i]),
                       WithinRel(found.at({rows[i].substr(query, rows[i].find(' ', query) - query),
                                           rows[i].substr(rows[i].rfind(' ') + 1)}),
                                 1e-9));
        }
    }
}

TEST_CASE("braid train --db: --install makes the model the database's own") {
    const TrainFixture fixture;
    const CommandResult trained =
        fixture.train({"--qrels", fixture.qrels, "--learner", "coordinate", "--install", "--force",
                       "--model", fixture.model});
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

namespace {

// Judges the documents that `model` ranks first.
std::string judged_by(const TrainFixture& fixture, const std::string& model) {
    const CommandResult run =
        fixture.run("run", {"--queries", fixture.queries, "--model", model, "--depth", "4"});
    std::string judgements;
    for (const std::string& line : lines_of(run.out)) {
        std::istringstream words(line);
        std::string query;
        std::string skipped;
        std::string document;
        words >> query >> skipped >> document;
        judgements += query + " 0 " + document + " 1\n";
    }
    write_file(fixture.folder / "judged", judgements);
    return fixture.folder / "judged";
}

}  // namespace

TEST_CASE("braid train --install: only what beats the current ranking and BM25 is installed") {
    const TrainFixture fixture;
    // The grades say nothing of the words, so there is nothing to learn.
    const CommandResult refused = fixture.train({"--qrels", fixture.qrels, "--install"});
    INFO(refused.out << refused.err);
    CHECK(refused.code == 1);
    CHECK_THAT(refused.out, Contains("bm25 (current ranking)") && Contains("bm25 tuned"));
    CHECK(refused.out.find("to beat") < refused.out.find("against"));
    CHECK_THAT(refused.err,
               Contains("not installed: ") && Contains("8 judged queries") && Contains("--force"));
    const CommandResult unmoved = fixture.run("run", {"--queries", fixture.queries});
    CHECK(unmoved.out == fixture.run("run", {"--queries", fixture.queries, "--model", "bm25"}).out);
    // lsa knows what is relevant here.
    const std::string judged = judged_by(fixture, "lsa");
    const CommandResult installed = fixture.train({"--qrels", judged, "--install"});
    INFO(installed.out << installed.err);
    REQUIRE(installed.code == 0);
    CHECK_THAT(installed.err, Contains("ranked by the model from now on"));
    // What ranks now can't be beaten by the same again, and stands first.
    const CommandResult again = fixture.train({"--qrels", judged, "--install"});
    INFO(again.out << again.err);
    CHECK(again.code == 1);
    CHECK_THAT(again.out, Contains("current ranking") && !Contains("(current ranking)"));
    const std::string reason = "not installed: current ranking with map ";
    const std::size_t found = again.err.find(reason);
    REQUIRE(found != std::string::npos);
    CHECK(std::stod(again.err.substr(found + reason.size())) > 0.99);
    // Without judgements nothing can be shown.
    const CommandResult blind = fixture.train({"--install"});
    CHECK(blind.code == 2);
    CHECK_THAT(blind.err, Contains("--install needs --qrels") && Contains("--force"));
    const CommandResult forced = fixture.train({"--install", "--force"});
    CHECK(forced.code == 0);
    CHECK_THAT(forced.err, Contains("installed by --force: nothing was measured"));
}

TEST_CASE("braid train --config: the section training needs no other option") {
    const TrainFixture fixture;
    const std::string config = fixture.folder / "shop.yaml";
    const std::string model =
        "model:\n  rankers:\n    - {ranker: bm25, parameters: {k1: 2}, weight: 3}\n"
        "    - {ranker: lsa}\n";
    write_file(config, model +
                           "training:\n  queries: queries.tsv\n  qrels: qrels\n"
                           "  learner: ranksvm\n  options: {weights: non-negative}\n"
                           "  tune: {c: [1, 10]}\n  measure: p@5\n  folds: 2\n");
    const auto trained = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"--config", config, "--json"});
        const CommandResult result = fixture.run("train", options);
        INFO(result.err);
        REQUIRE(result.code == 0);
        return Json::parse(result.out);
    };
    const Json all = trained({});
    CHECK(all.at("learner") == "ranksvm");
    CHECK(all.at("options").at("weights") == "non-negative");
    CHECK(all.at("measure") == "p@5");
    CHECK(all.at("folds").size() == 2);
    CHECK(all.at("rankers").size() == 2);
    CHECK_THAT(all.at("learning").at("stop_reason").get<std::string>(),
               Contains("c=1 ") && Contains("c=10 "));
    // Options of the call come first; another learner has no use for those of this one.
    const Json other = trained({"--learner", "genm-on", "--measure", "map", "--folds", "4"});
    CHECK(other.at("learner") == "genm-on");
    CHECK(other.at("measure") == "map");
    CHECK(other.at("folds").size() == 4);
    CHECK(trained({"-p", "weights=any", "--tune", "c=2"}).at("options").at("weights") == "any");
    CHECK(trained({"--clicks", fixture.clicks}).at("learning").at("queries") == 8);
    for (const auto& [section, message] :
         {std::pair("learner: ranksvn", "did you mean 'ranksvm'?"),
          std::pair("options: {c: 1}", "settings of a learner, and no learner"),
          std::pair("folds: 1", "expected 0, or 2 and more"),
          std::pair("qrels: a\n  clicks: b", "expected one of them")}) {
        write_file(config, model + "training:\n  " + section + "\n");
        const CommandResult refused = fixture.run(
            "train", {"--config", config, "--queries", fixture.queries, "--qrels", fixture.qrels});
        INFO(section << ": " << refused.err);
        CHECK(refused.code != 0);
        CHECK_THAT(refused.err, Contains(message));
    }
}

TEST_CASE("braid index --config: the model ranks the database, or the command says why not") {
    const TopicFixture fixture;
    const std::string config = fixture.folder / "shop.yaml";
    const auto index = [&](const std::string& model, const std::string& database) {
        write_file(config, "model: {rankers: [" + model + "]}\n");
        const CommandResult result = run_braid({"index", "--db", fixture.folder / database,
                                                "--config", config, fixture.documents(0, 60)});
        CHECK(result.code == 0);
        return result.err;
    };
    const auto ranking = [&](const std::string& database) {
        const Json list =
            Json::parse(run_braid({"models", "--json", "--db", fixture.folder / database}).out);
        return list.empty() ? "" : list[0].at("ranking").get<std::string>();
    };
    CHECK_THAT(index("{ranker: dph}", "new"), Contains("searches now rank by 1 dph"));
    CHECK(ranking("new") == "1 dph");
    CHECK_THAT(index("{ranker: dph}", "new"), !Contains("rank"));
    CHECK_THAT(index("{ranker: pl2}", "new"),
               Contains("keeps its ranking, 1 dph") && Contains("--install"));
    CHECK(ranking("new") == "1 dph");
    CHECK_THAT(index("{ranker: lsa}", "other"),
               Contains("not ranked as") && Contains("needs the topic model lsa"));
    CHECK(ranking("other").empty());
}

TEST_CASE("braid search: says which documents it could find") {
    const TrainFixture fixture;
    const auto said = [&](const std::vector<std::string>& options) {
        std::vector<std::string> call = {"w0 w1"};
        call.insert(call.end(), options.begin(), options.end());
        return fixture.run("search", call).err;
    };
    CHECK_THAT(said({"--model", fixture.rankers}), Contains("candidates words: documents that"));
    CHECK_THAT(said({"--model", fixture.rankers, "--candidates", "all"}),
               Contains("candidates all: also documents of similar topics"));
    CHECK_THAT(said({}), !Contains("candidates"));
}

TEST_CASE("braid models: lists what was installed with its figures, and goes back") {
    const TrainFixture fixture;
    const auto run_of = [&] { return fixture.run("run", {"--queries", fixture.queries}).out; };
    const auto models = [&](const std::vector<std::string>& options = {"--json"}) {
        const CommandResult listed = fixture.run("models", options);
        INFO(listed.err);
        REQUIRE(listed.code == 0);
        return listed.out;
    };
    CHECK(models() == "[]\n");
    CHECK_THAT(models({}), Contains("bm25") && Contains("(ranks today)"));
    CHECK(fixture.run("models", {"--undo"}).code == 1);
    const std::string by_bm25 = run_of();
    for (int again = 0; again < 2; ++again) {
        REQUIRE(
            fixture
                .train({"--qrels", fixture.qrels, "--learner", "uniform", "--install", "--force"})
                .code == 0);
        CHECK(Json::parse(models()).size() == 1);
    }
    const std::string by_uniform = run_of();
    REQUIRE(fixture.train({"--qrels", judged_by(fixture, "lsa"), "--install"}).code == 0);
    const std::string by_auto = run_of();
    CHECK(by_auto != by_uniform);
    const Json two = Json::parse(models());
    REQUIRE(two.size() == 2);
    CHECK(two[0].at("by") == "braid train");
    CHECK(two[0].at("learner") == "auto");
    CHECK(two[0].at("ranks") == true);
    CHECK(two[0].at("queries") == 8);
    CHECK(two[0].at("measure") == "map");
    CHECK(two[0].at("figures").size() == 4);
    CHECK(two[0].at("figures")[1].at("name") == "current ranking");
    CHECK(two[1].at("note") == "by --force");
    CHECK(two[1].at("ranks") == false);
    CHECK(two[0].at("time").get<std::int64_t>() >= two[1].at("time").get<std::int64_t>());
    CHECK_THAT(models({}), Contains("learned by auto") && Contains("on 8 judged queries"));
    // The ranking before goes by topics that are learned anew meanwhile.
    REQUIRE(fixture.run("adopt", {"--topics", "lsa:6", "--retrain", "--quiet"}).code == 0);
    const CommandResult undone = fixture.run("models", {"--undo", "--json"});
    INFO(undone.err);
    REQUIRE(undone.code == 0);
    CHECK_THAT(undone.err, Contains("searches now rank by"));
    CHECK(Json::parse(undone.out).size() == 1);
    CHECK(run_of() != by_bm25);
    CHECK(fixture.run("check").code == 0);
    REQUIRE(fixture.run("models", {"--undo"}).code == 0);
    CHECK(run_of() == by_bm25);
    CHECK(fixture.run("models", {"--undo"}).code == 1);
}

TEST_CASE("braid models: a rebuild keeps the list, and a sidecar has one of its own") {
    const TrainFixture fixture;
    const std::string side = fixture.folder / "side";
    REQUIRE(fixture.run("adopt", {"--topics", "lsa:5", "--sidecar", side, "-q"}).code == 0);
    REQUIRE(fixture
                .train({"--qrels", fixture.qrels, "--learner", "uniform", "--install", "--force",
                        "--sidecar", side})
                .code == 0);
    CHECK(fixture.run("models", {"--json"}).out == "[]\n");
    CHECK(Json::parse(fixture.run("models", {"--json", "--sidecar", side}).out).size() == 1);
    const CommandResult undone = fixture.run("models", {"--undo", "--json", "--sidecar", side});
    CHECK(undone.code == 0);
    CHECK(undone.out == "[]\n");
    for (const char* learner : {"uniform", "coordinate"}) {
        REQUIRE(
            fixture.train({"--qrels", fixture.qrels, "--learner", learner, "--install", "--force"})
                .code == 0);
    }
    const std::string before = fixture.run("models", {"--json"}).out;
    REQUIRE(Json::parse(before).size() == 2);
    REQUIRE(fixture.run("index", {"--rebuild", "--topics", "lsa:8", "-q", fixture.documents(0, 60)})
                .code == 0);
    CHECK(fixture.run("models", {"--json"}).out == before);
    REQUIRE(fixture.run("models", {"--undo"}).code == 0);
    CHECK(fixture.run("run", {"--queries", fixture.queries}).code == 0);
}

TEST_CASE("braid train: rankings to beat have the values of a search by them") {
    const TrainFixture fixture;
    const auto mean_of = [&](const std::vector<std::string>& ranking) {
        std::vector<std::string> call = {"--queries", fixture.queries};
        call.insert(call.end(), ranking.begin(), ranking.end());
        const CommandResult run = fixture.run("run", call);
        REQUIRE(run.code == 0);
        write_file(fixture.folder / "run", run.out);
        const CommandResult evaluated =
            run_braid({"eval", "--qrels", fixture.qrels, fixture.folder / "run", "--json",
                       "--measures", "map"});
        return Json::parse(evaluated.out).at("runs")[0].at("mean").at("map").get<double>();
    };
    REQUIRE(
        fixture.train({"--qrels", fixture.qrels, "--learner", "uniform", "--install", "--force"})
            .code == 0);
    const CommandResult trained =
        fixture.train({"--qrels", fixture.qrels, "--folds", "4", "--json", "--learner", "genm-on"});
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    const Json references = Json::parse(trained.out).at("references");
    const Json& rankings = references.at("rankings");
    REQUIRE(rankings.size() == 3);
    CHECK(rankings[0].at("name") == "current ranking");
    CHECK_THAT(rankings[0].at("mean").get<double>(), WithinRel(mean_of({}), 1e-9));
    CHECK_THAT(rankings[1].at("mean").get<double>(), WithinRel(mean_of({"--model", "bm25"}), 1e-9));
    CHECK(references.at("queries") == 8);
    // On a test set the training queries choose k1 and b.
    const CommandResult tested =
        fixture.train({"--qrels", fixture.qrels, "--test-queries", fixture.queries, "--test-qrels",
                       fixture.qrels, "--json", "--learner", "genm-on"});
    const Json tuned = Json::parse(tested.out).at("references").at("rankings")[2];
    CHECK(tuned.at("name") == "bm25 tuned");
    CHECK(tuned.at("mean").get<double>() >= rankings[1].at("mean").get<double>());
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
    const std::string file = fixture.folder.file("embeddings.jsonl", embeddings);
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
                                               "--force",
                                               "--model",
                                               fixture.model};
    const CommandResult trained = fixture.train(learning);
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    const std::string text = read_file(fixture.model);
    CHECK_THAT(text, Contains("form: attention") && Contains("known:lsa") &&
                         Contains("topic:lsa:7") && Contains("embedding:mine:1") &&
                         Contains("list:agreement"));
    const std::string own = fixture.folder.file("own.jsonl", "[1, 0]\n");
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
        "--qrels",      fixture.qrels, "--learner", "sser",    "-p",
        "graph=topics", "-p",          "gamma=5",   "--folds", "2",
        "--no-oracle",  "--install",   "--force",   "--model", fixture.model};
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
