// SPDX-License-Identifier: GPL-2.0-or-later
#include <sstream>

#include <nlohmann/json.hpp>

#include "braid/core/base/random.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/cli/train_fixture.h"
#include "braid/tests/support/support.h"

// What `braid train` does with a file of features where nothing is said.

namespace {

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

std::string written(const TemporaryFolder& folder, const std::string& text) {
    std::string path = (folder.path() / "train").string();
    braid::test::write_file(path, text);
    return path;
}

// List 1 has the relevant documents first, list 2 lacks some and knows nothing.
std::string lists() {
    std::ostringstream text;
    for (int q = 0; q < 12; ++q) {
        for (int d = 0; d < 6; ++d) {
            text << (d < 2 ? 1 : 0) << " qid:" << q << " 1:" << d + 1 + q << " 2:";
            if (d % 3 == q % 3) {
                text << "NULL";
            } else {
                text << (5 * d + q) % 7 + 1;
            }
            text << " # docid = D" << d << "\n";
        }
    }
    return text.str();
}

std::string features() {
    braid::Random random(braid::test::seed());
    std::ostringstream text;
    for (int i = 0; i < 120; ++i) {
        const int grade = i % 10 < 3 ? 1 : 0;
        text << grade << " qid:" << i / 10 << " 1:" << random.uniform() + 0.5 * grade
             << " 2:" << 100 * random.uniform() + 20 * grade << "\n";
    }
    return text.str();
}

}  // namespace

TEST_CASE("braid train: positions in lists are seen, said, and kept by the model") {
    const TemporaryFolder folder;
    const std::string train = written(folder, lists());
    const std::string model = (folder.path() / "m.yaml").string();
    const auto run = [&](Words more) {
        more.insert(more.begin(), {"train", "--letor", train, "--model", model});
        return run_braid(more);
    };
    const CommandResult seen = run({});
    REQUIRE(seen.code == 0);
    CHECK_THAT(seen.err, Contains("look like positions in lists") && Contains("--columns scores"));
    CHECK_THAT(seen.out, Contains("mixed"));
    const std::string guessed = read_file(model);
    CHECK_THAT(guessed, Contains("name: position") && Contains("missing: zero"));
    // The model takes positions, too: list 1 alone puts the first document before the last.
    std::istringstream scored(run_braid({"score", "--letor", train, "--model", model}).out);
    std::vector<double> scores;
    for (double score = 0; scored >> score;) scores.push_back(score);
    REQUIRE(scores.size() == 12 * 6);
    double first = 0;
    double last = 0;
    for (std::size_t i = 0; i < scores.size(); i += 6) {
        first += scores[i];
        last += scores[i + 5];
    }
    CHECK(first > last);
    const CommandResult told = run({"--columns", "positions"});
    CHECK_THAT(told.err, !Contains("look like"));
    CHECK(read_file(model) == guessed);
    // NULL among scores has to be explained.
    CHECK_THAT(run({"--columns", "scores"}).err, Contains("the score is missing"));
    const CommandResult asked = run({"--missing", "zero", "--normalise", "none"});
    CHECK_THAT(asked.err, Contains("are read as scores; --columns positions"));
    CHECK_THAT(read_file(model), !Contains("name: position"));
}

TEST_CASE("braid train: positions have a normaliser of their own") {
    check_wrong_calls(
        "train --letor /nowhere",
        {{"--columns positions --normalise rank", "expected scale or none"},
         {"--columns positions --missing minimum", "counts 0"},
         {"--columns positions --config words", "give scores"},
         {"--columns positions --continue m.yaml", "--continue keeps that of its model"},
         {"--columns places", "--columns"}});
    const CommandResult database = run_braid(
        {"train", "--db", "/nowhere", "--queries", "q", "--qrels", "j", "--normalise", "position"});
    CHECK(database.code == 2);
    CHECK_THAT(database.err, Contains("a database's rankers give scores"));
}

TEST_CASE("braid train: a file is learned from by mixed, normalised as fits the learner") {
    const TemporaryFolder folder;
    const std::string train = written(folder, features());
    const std::string model = (folder.path() / "m.yaml").string();
    const Json by_default = train_json({"--letor", train});
    CHECK(by_default.at("learner") == "mixed");
    const Json said =
        train_json({"--letor", train, "--learner", "mixed", "--normalise", "z-score"});
    CHECK(by_default.at("rankers") == said.at("rankers"));
    train_json({"--letor", train, "--learner", "sser", "--model", model});
    CHECK_THAT(read_file(model), Contains("name: min-max"));
    // Rankers are searched with: their normaliser becomes part of the weights.
    const std::string named = written(folder, "# 1:bm25 2:dph\n" + features());
    const std::string config = (folder.path() / "config.yaml").string();
    braid::test::write_file(config, "model: {rankers: [{ranker: bm25}, {ranker: dph}]}\n");
    train_json({"--letor", named, "--config", config, "--model", model});
    CHECK_THAT(read_file(model), !Contains("normaliser"));
}

TEST_CASE("braid train: values of a setting are tried, the chosen one is said and kept") {
    const TemporaryFolder folder;
    const std::string train = written(folder, features());
    const std::string model = (folder.path() / "m.yaml").string();
    const auto said = [&](Words more) {
        more.insert(more.begin(), {"train", "--letor", train, "-l", "ranksvm", "--model", model});
        return run_braid(more);
    };
    const CommandResult result = said({"--tune", "c=0.5,50", "--tune", "loss=hinge,squared"});
    REQUIRE(result.code == 0);
    CHECK_THAT(result.out, Contains("chosen by map on held-out queries (c=0.5 loss=hinge 0."));
    CHECK_THAT(read_file(model), Contains("chosen by map"));
    CHECK_THAT(said({"--tune"}).out, Contains("c=10000 0."));
    CHECK_THAT(said({"--tune", "c=1,2", "--vali", train}).out,
               Contains("on the validation queries"));
    // Each fold chooses anew.
    const Json folds =
        train_json({"--letor", train, "-l", "ranksvm", "--tune", "c=1,100", "--folds", "2"});
    for (const Json& fold : folds.at("folds")) {
        CHECK_THAT(fold.at("stop_reason").get<std::string>(), Contains("chosen by map"));
    }
}

TEST_CASE("braid train: weights follow from embeddings beside a file, and braid score reads them") {
    const TemporaryFolder folder;
    Random random(seed());
    std::ostringstream rows;
    std::ostringstream vectors;
    // Queries of one kind are answered by the first feature, those of the other by the second.
    for (int q = 0; q < 40; ++q) {
        const bool is_first = q % 2 == 0;
        const double x = is_first ? 1 : -1;
        vectors << "{\"id\": \"q" << q << "\", \"vector\": [" << x << ", " << random.uniform()
                << "]}\n";
        for (int d = 0; d < 10; ++d) {
            const int grade = d < 3 ? 1 : 0;
            const double good = random.uniform() + grade;
            const double other = random.uniform() - grade;
            rows << grade << " qid:q" << q << " 1:" << (is_first ? good : other)
                 << " 2:" << (is_first ? other : good) << "\n";
        }
    }
    const std::string train = written(folder, rows.str());
    const std::string embeddings = (folder.path() / "embeddings.jsonl").string();
    write_file(embeddings, vectors.str());
    const std::string model = (folder.path() / "m.yaml").string();
    const Words call = {"--letor", train, "--learner",   "awel",    "-p",
                        "folds=0", "-p",  "shrink=0.01", "--model", model};

    Words with = call;
    with.insert(with.end(), {"--query-embeddings", "mine=" + embeddings});
    const auto train_with = [](Words words) {
        words.insert(words.begin(), "train");
        return run_braid(words);
    };
    REQUIRE(train_with(with).code == 0);
    CHECK_THAT(read_file(model), Contains("embedding:mine:0") && !Contains("list:"));

    const Words scoring = {"score", "--letor", train, "--model", model};
    const CommandResult without = run_braid(scoring);
    CHECK(without.code != 0);
    CHECK_THAT(without.err, Contains("embedding:mine:0") && Contains("--query-embeddings"));
    Words scored = scoring;
    scored.insert(scored.end(), {"--query-embeddings", "mine=" + embeddings});
    std::istringstream text(run_braid(scored).out);
    std::vector<double> scores;
    for (double score = 0; text >> score;) scores.push_back(score);
    REQUIRE(scores.size() == 400);
    for (std::size_t q = 0; q < 40; ++q) {
        const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(10 * q);
        CHECK(*std::min_element(begin, begin + 3) > *std::max_element(begin + 3, begin + 10));
    }

    // A query without an embedding is named, and weights that follow from nothing don't take any.
    write_file(embeddings, "{\"id\": \"q0\", \"vector\": [1, 0]}\n");
    const CommandResult refused = train_with(with);
    CHECK(refused.code != 0);
    CHECK_THAT(refused.err, Contains("no embedding of the query 'q1'"));
    REQUIRE(train_with({"--letor", train, "--learner", "wel", "--model", model}).code == 0);
    CHECK(run_braid(scored).code != 0);
}
