// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/core/base/random.h"
#include "braid/core/learn/learner.h"
#include "braid/core/pool/normalisers.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/cli/train_fixture.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

namespace {

// Feature 1 knows what is relevant, 2 is noise, 3 knows a little and is large.
std::string letor(std::uint64_t seed, int queries, const std::string& names = "") {
    braid::Random random(seed);
    std::ostringstream text;
    text << names;
    for (int q = 0; q < queries; ++q) {
        for (int d = 0; d < 12; ++d) {
            const int grade = d < 3 ? 1 : 0;
            text << grade << " qid:" << q << " 1:" << random.uniform() + 0.5 * grade
                 << " 2:" << random.uniform() << " 3:" << 100 * random.uniform() + 20 * grade
                 << " # docid = D" << d << "\n";
        }
    }
    return text.str();
}

class Files {
  public:
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        write_file(folder_ / name, text);
        return path(name);
    }
    // Names in the folder, for what must not be there.
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            result.push_back(entry.path().filename().string());
        }
        std::sort(result.begin(), result.end());
        return result;
    }

  private:
    TemporaryFolder folder_;
};

std::vector<double> numbers_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<double> numbers;
    for (double number = 0; in >> number;) numbers.push_back(number);
    return numbers;
}

}  // namespace

TEST_CASE("braid learners: lists every learner, and the parameters of one") {
    const auto list = Json::parse(run_braid({"learners", "--json"}).out);
    REQUIRE(list.size() == braid::learners().size());
    const std::string text = run_braid({"learners"}).out;
    std::size_t i = 0;
    for (const braid::LearnerInfo& info : braid::learners()) {
        CHECK(list[i].at("name") == info.name);
        CHECK(list[i].at("parameters").size() == info.parameters.size());
        CHECK(list[i++].at("choices").size() == info.choices.size());
        CHECK_THAT(text, Contains(info.name) && Contains(info.summary));
        const std::string one = run_braid({"learners", info.name}).out;
        for (const auto& parameter : info.parameters) CHECK_THAT(one, Contains(parameter.summary));
        for (const auto& choice : info.choices) CHECK_THAT(one, Contains(choice.summary));
    }
    check_refused({"learners", "genm-bart"}, 2, "did you mean 'genm-bat'?");
    const auto normalisers = Json::parse(run_braid({"normalisers", "--json"}).out);
    CHECK(normalisers.size() == braid::normalisers().size());
    CHECK_THAT(run_braid({"normalisers"}).out, Contains("min-max"));
}

TEST_CASE("braid train: learns, measures, and writes a model that scores the same") {
    const Files files;
    const std::string train = files.write("train", letor(1, 20));
    const std::string test = files.write("test", letor(2, 20));
    const std::string model = files.path("model.yaml");
    const Json report = train_json({"--letor", train, "--test", test, "--learner", "coordinate",
                                    "--normalise", "min-max", "--model", model});
    CHECK(report.at("learner") == "coordinate");
    CHECK(report.at("learning").at("queries") == 20);
    CHECK(report.at("rankers").size() == 3);
    CHECK(report.at("test").at("map") > report.at("baselines")[0].at("mean"));
    CHECK(report.at("oracle") >= report.at("test").at("map"));
    CHECK(report.at("baselines").size() == 4);
    CHECK(files.names() == std::vector<std::string>{"model.yaml", "test", "train"});

    const CommandResult scored = run_braid({"score", "--letor", test, "--model", model});
    REQUIRE(scored.code == 0);
    CHECK(numbers_of(scored.out).size() == 20 * 12);
    // The scores as a run, measured by braid eval, give what training said.
    std::ostringstream run;
    std::ostringstream qrels;
    const std::vector<double> scores = numbers_of(scored.out);
    run.precision(17);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        run << i / 12 << " Q0 D" << i % 12 << " 0 " << scores[i] << " braid\n";
        qrels << i / 12 << " 0 D" << i % 12 << " " << (i % 12 < 3 ? 1 : 0) << "\n";
    }
    const CommandResult eval =
        run_braid({"eval", "--qrels", files.write("qrels", qrels.str()),
                   files.write("run", run.str()), "--json", "--measures", "map"});
    REQUIRE(eval.code == 0);
    const Json evaluated = Json::parse(eval.out);
    CHECK_THAT(evaluated.at("runs")[0].at("mean").at("map").get<double>(),
               WithinAbs(report.at("test").at("map").get<double>(), 1e-9));
}

TEST_CASE("braid train: the same call writes the same bytes at any number of threads") {
    const Files files;
    const std::string train = files.write("train", letor(3, 15));
    const std::string vali = files.write("vali", letor(4, 8));
    for (const std::string threads : {"1", "4"}) {
        const CommandResult result =
            run_braid({"train", "--letor", train, "--vali", vali, "--model",
                       files.path("model" + threads), "--threads", threads, "--no-oracle"});
        REQUIRE(result.code == 0);
        CHECK_THAT(result.out, Contains("validation"));
    }
    CHECK(read_file(files.path("model1")) == read_file(files.path("model4")));
}

TEST_CASE("braid train: folds test every query and say what learning is worth") {
    const Files files;
    const std::string train = files.write("train", letor(5, 20));
    const std::vector<std::string> arguments = {"--letor",      train,  "--learner", "coordinate",
                                                "--fold-seeds", "1,2",  "--folds",   "4",
                                                "--normalise",  "scale"};
    const Json report = train_json(arguments);
    CHECK(report.at("folds").size() == 8);
    CHECK(report.at("baselines")[0].at("name") == "uniform");
    CHECK(report.at("normaliser") == "none");
    std::vector<std::string> in_words = arguments;
    in_words.insert(in_words.begin(), "train");
    const CommandResult text = run_braid(in_words);
    CHECK_THAT(text.out, Contains("folds") && Contains("uniform") &&
                             Contains("adjusted for 4 comparisons (Holm)"));
}

TEST_CASE("braid train: a resumable learner goes on where its model stopped") {
    const Files files;
    const std::string first = files.write("first", letor(6, 10));
    const std::string second = files.write("second", letor(7, 10));
    const std::string model = files.path("on.yaml");
    REQUIRE(run_braid({"train", "--letor", first, "--learner", "genm-on", "-p", "passes=1",
                       "--normalise", "scale", "--model", model, "--no-oracle"})
                .code == 0);
    const Json next = train_json({"--letor", second, "--continue", model, "--model", model});
    CHECK(next.at("learner") == "genm-on");
    CHECK(next.at("options").at("passes") == "1");
    const std::string text = read_file(model);
    CHECK_THAT(text, Contains("steps: [21]"));  // Ten queries each, and the first step is 1.
    check_refused({"train", "--letor", second, "--continue", model, "--learner", "genm-bat"}, 1,
                  "learned by genm-on");
    check_refused({"train", "--letor", second, "--continue", model, "--normalise", "sum"}, 1,
                  "--continue keeps those of its model");
    REQUIRE(run_braid({"train", "--letor", first, "--learner", "uniform", "--model",
                       files.path("u.yaml")})
                .code == 0);
    check_refused({"train", "--letor", second, "--continue", files.path("u.yaml")}, 1,
                  "always learns anew");
    files.write("hand.yaml", "model:\n  rankers:\n    - {ranker: feature, name: \"1\"}\n");
    check_refused({"train", "--letor", second, "--continue", files.path("hand.yaml")}, 1,
                  "no learner made this model");
}

TEST_CASE("braid score: rows keep the file's order, and features are found by name") {
    const Files files;
    const std::string model = files.write("m.yaml", R"(model:
  rankers:
    - {ranker: feature, name: b, weight: 10}
    - {ranker: feature, name: a}
)");
    const CommandResult result =
        run_braid({"score", "--letor", "-", "--model", model},
                  "# 1:a 2:x 3:b\n0 qid:1 1:1 3:1\n0 qid:2 1:2\n0 qid:1 1:3 2:9\n");
    CHECK(result.code == 0);
    CHECK(result.out == "11\n2\n3\n");
    check_refused({"score", "--letor", files.write("f", "# 1:a\n0 qid:1 1:1\n"), "--model", model},
                  1, "has no feature 'b'");
    check_refused({"score", "--letor", files.write("g", "0 qid:1 1:1\n"), "--model", model}, 1,
                  "without names");
    check_refused(
        {"score", "--letor", files.write("n", "# 1:a 2:b\n0 qid:1 1:NULL 2:1\n"), "--model", model},
        1, "the score is missing");
}

TEST_CASE("braid search: a model of features is refused with the reason") {
    const Files files;
    const std::string database = files.path("db");
    REQUIRE(run_braid({"index", "--db", database, "--format", "jsonl", "-"},
                      "{\"_id\": \"1\", \"text\": \"words\"}\n")
                .code == 0);
    const std::string model =
        files.write("m.yaml", "model:\n  rankers:\n    - {ranker: feature, name: \"1\"}\n");
    check_refused({"search", "--db", database, "--model", model, "words"}, 1,
                  "ranker '1' is a feature that a file had");
}

TEST_CASE("braid train: features named after rankers make a model that can search") {
    const Files files;
    const std::string names = "# 1:bm25 2:dph 3:title words\n";
    const std::string config = files.write("c.yaml", R"(model:
  rankers:
    - {ranker: bm25, parameters: {b: 0.4}}
    - {ranker: dph}
    - {ranker: lm-dirichlet, name: mixed}
)");
    const std::string train = files.write("train", letor(8, 12, "# 1:bm25 2:dph 3:mixed\n"));
    const std::string model = files.path("m.yaml");
    REQUIRE(run_braid({"train", "--letor", train, "--config", config, "--normalise", "scale",
                       "--model", model})
                .code == 0);
    CHECK_THAT(read_file(model),
               Contains("{ranker: bm25, parameters: {b: 0.4}, weight:") && Contains("name: mixed"));
    const std::string other = files.write("other", letor(8, 12, "# 1:bm25 2:dhp 3:mixed\n"));
    check_refused({"train", "--letor", other, "--config", config}, 2, "did you mean 'dph'?");
}

TEST_CASE("braid train: what can't be learned from is refused, or said") {
    const Files files;
    const std::string good = files.write("good", letor(9, 4));
    const auto refused = [&](const std::string& text, const std::string& message) {
        check_refused({"train", "--letor", files.write("bad", text)}, 1, message);
    };
    refused("0 qid:1 1:1\n0 qid:1 1:2\n", "none of the 1 judged queries can be learned from");
    refused("1 qid:1 1:1\n1 qid:1 1:2\n", "have nothing else in it");
    refused("1 qid:1 1:NULL # docid = D7\n0 qid:1 1:2 # docid = D8\n",
            "ranker '1', document 'D7' of query '1': the score is missing");
    refused("1 qid:1 1:inf\n", "bad:1");
    refused("", "bad");
    check_refused({"train", "--letor", good, "--folds", "5"}, 1, "5");
    check_refused({"train", "--letor", files.path("absent")}, 1, "absent");
    check_refused({"train", "--letor", good, "--vali", files.write("v", "# 1:x\n1 qid:1 1:1\n")}, 1,
                  "has no feature '1'");
    const CommandResult odd = run_braid({"train", "--learner", "genm-bat", "--letor",
                                         files.write("odd",
                                                     "1 qid:1 1:1 2:1 3:5\n0 qid:1 1:2 2:2 3:5\n"
                                                     "0 qid:2 1:2 2:2 3:5\n")});
    CHECK(odd.code == 0);
    CHECK_THAT(odd.err, Contains("ranker '3' gives all documents of a query the same score") &&
                            Contains("only their sum is determined"));
    CHECK_THAT(odd.out, !Contains("nan"));
    const CommandResult alone =
        run_braid({"train", "--letor", files.write("alone", "1 qid:1 1:1\n0 qid:1 1:2\n")});
    CHECK(alone.code == 0);
    CHECK_THAT(alone.err, Contains("warning: "));
    check_refused({"train", "--strict", "--letor", files.path("alone")}, 1, "--strict");
}

TEST_CASE("braid train: a wrong call ends with 2 before anything is read") {
    check_wrong_calls("train --letor /nowhere",
                      {{"--learner genm-bart", "did you mean 'genm-bat'?"},
                       {"-l genm-bat -p bta=3", "did you mean 'beta'?"},
                       {"-p beta", "expected name=value"},
                       {"-l genm-bat -p beta=much", "beta is 'much', expected a number"},
                       {"-l genm-bat -p beta=-1", "beta is -1"},
                       {"-l genm-bat -p aim=mop", "mop"},
                       {"-l ranksvm --tune c", "expected name=value,value"},
                       {"-l ranksvm --tune c=1,much", "c is 'much', expected a number"},
                       {"-l ranksvm --tune c=1,2 -p c=3", "it is given already"},
                       {"-l uniform --tune", "no setting that is tried by itself"},
                       {"--normalise min-mox", "did you mean 'min-max'?"},
                       {"--normalise sigmoid:scale", "expected a name, or a name:parameter=value"},
                       {"--normalise sigmoid:scale=0", "scale is 0"},
                       {"--missing nothing", "nothing"},
                       {"--measure mip", "mip"},
                       {"--folds 1", "1"},
                       {"--fold-seeds 1,2", "--fold-seeds needs --folds"},
                       {"--folds 2 --fold-seeds 1,1", "a seed is given twice"},
                       {"--folds 2 --test x", "can't be given with --test"},
                       {"--folds 2 --continue x", "can't be given with --continue"},
                       {"--paired-test t", "needs --folds or --test"}});
    check_refused({"train"}, 2, "--letor");
}

TEST_CASE("braid train: a model that can't be written is refused before learning") {
    const Files files;
    check_refused({"train", "--letor", "/nowhere", "--model", files.path("no/such/m.yaml")}, 1,
                  "can't be written");
    check_refused({"train", "--letor", "/nowhere", "--model", files.path("")}, 1, "directory");
}

TEST_CASE("braid convert: trees of other libraries come and go by the names of features") {
    const TemporaryFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const std::string golden = (source_dir() / "tests/indexer/formats/trees/").string();
    const std::string model = path("m.yaml");
    REQUIRE(run_braid({"convert", golden + "ranked.json", "--model", model}).code == 0);
    // XGBoost's own predictions of the first rows.
    std::ifstream in(golden + "ranked.txt");
    std::string letor = "# 1:bm25 2:lsa 3:ldi 4:title 5:age\n";
    std::vector<double> expected;
    for (int row = 0; row < 20; ++row) {
        letor += "0 qid:1";
        double number = 0;
        for (int k = 1; k <= 5; ++k) {
            in >> number;
            letor += " " + std::to_string(k) + ":" + fmt::format("{}", number);
        }
        letor += "\n";
        in >> number;
        expected.push_back(number);
    }
    write_file(path("f.letor"), letor);
    const auto scores = [&](const std::string& file) {
        std::istringstream out(
            run_braid({"score", "--letor", path("f.letor"), "--model", file}).out);
        std::vector<double> result;
        for (double score = 0; out >> score;) result.push_back(score);
        return result;
    };
    const std::vector<double> read = scores(model);
    REQUIRE(read.size() == expected.size());
    for (std::size_t i = 0; i < read.size(); ++i) CHECK(std::abs(read[i] - expected[i]) < 1e-6);
    for (const char* library : {"lightgbm", "xgboost"}) {
        const std::string out = path(library);
        REQUIRE(run_braid({"convert", model, "--to", library, "--output", out}).code == 0);
        REQUIRE(run_braid({"convert", out, "--model", path("again.yaml")}).code == 0);
        const std::vector<double> again = scores(path("again.yaml"));
        for (std::size_t i = 0; i < read.size(); ++i) CHECK(std::abs(again[i] - read[i]) < 1e-6);
    }
    const CommandResult missing =
        run_braid({"convert", golden + "ranked.json", "--model-rankers", "bm25", "--model", model});
    CHECK(missing.code == 1);
    CHECK_THAT(missing.err, Contains("'lsa'") && Contains("no rankers of bm25"));
    check_refused({"convert", golden + "ranked.json"}, 2, "expected one of them");
    check_refused({"convert", golden + "ranked.txt", "--model", model}, 1, "expected a model of");
    check_refused({"convert", "standard", "--to", "xgboost", "--output", path("x")}, 1,
                  "expected trees or steps");
}

TEST_CASE("braid score: a file fused by a method, whose lists lack what scores 0") {
    const TemporaryFolder folder;
    write_file(folder / "f.txt", "0 qid:1 1:3 2:0\n0 qid:1 1:2 2:5\n0 qid:1 1:0 2:0\n");
    const std::string model =
        "model:\n  rankers:\n    - {ranker: feature, name: \"1\"}\n"
        "    - {ranker: feature, name: \"2\"}\n"
        "  normaliser: {missing: MISSING}\n"
        "  function: {form: fusion, names: {method: [rrf]}, numbers: {k: [1]}}\n";
    const auto scored = [&](const std::string& missing) {
        std::string text = model;
        text.replace(text.find("MISSING"), 7, missing);
        write_file(folder / "m.yaml", text);
        return run_braid({"score", "--letor", (folder / "f.txt").string(), "--model",
                          (folder / "m.yaml").string()});
    };
    const auto check = [&](const std::string& missing, const std::vector<double>& expected) {
        const std::vector<double> scores = numbers_of(scored(missing).out);
        REQUIRE(scores.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) CHECK_THAT(scores[i], WithinAbs(expected[i], 1e-12));
    };
    check("absent", {0.5, 1.0 / 3 + 0.5, 0});
    check("refuse", {0.5 + 1 / 3.5, 1.0 / 3 + 0.5, 0.25 + 1 / 3.5});
}
