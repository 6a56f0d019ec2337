// SPDX-License-Identifier: GPL-2.0-or-later
// What `braid train --report` writes: that pages are whole and safe, and values are those that
// `braid eval` has for the same run.
#include <filesystem>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "braid/core/base/random.h"
#include "braid/tests/cli/html_checks.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using namespace braid::test;
using Json = nlohmann::json;

namespace {

constexpr int kDocuments = 12;

// Feature 1 knows what is relevant, 2 is noise, 3 knows a little and is large. `prefix` is that of
// the queries' names; every fifth has no relevant document where `some_empty`.
std::string letor(std::uint64_t seed, int queries, const std::string& prefix = "",
                  bool some_empty = false) {
    braid::Random random(seed);
    std::ostringstream text;
    text << "# 1:knows 2:noise<b> 3:large\n";
    for (int q = 0; q < queries; ++q) {
        for (int d = 0; d < kDocuments; ++d) {
            const int grade = d < 3 && !(some_empty && q % 5 == 4) ? 1 : 0;
            text << grade << " qid:" << prefix << q << " 1:" << random.uniform() + 0.5 * grade
                 << " 2:" << random.uniform() << " 3:" << 100 * random.uniform() + 20 * grade
                 << " # docid = D" << d << "\n";
        }
    }
    return text.str();
}

struct Files {
    TemporaryFolder folder;

    std::string path(const std::string& name) const { return (folder / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        write_file(folder / name, text);
        return path(name);
    }
    CommandResult train(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "train");
        CommandResult result = run_braid(arguments);
        INFO(result.err);
        REQUIRE(result.code == 0);
        return result;
    }
    std::string read(const std::string& name) const { return read_file(folder / name); }
    Json json(const std::string& name) const { return Json::parse(read(name)); }
};

// `braid eval` of a run that has these scores of the LETOR file's rows.
Json evaluate(const Files& files, const std::string& letor_text, const std::string& scores,
              const std::vector<std::string>& options) {
    std::istringstream rows(letor_text);
    std::istringstream numbers(scores);
    std::ostringstream run;
    std::ostringstream qrels;
    for (std::string row; std::getline(rows, row);) {
        if (row.starts_with("#")) continue;
        std::istringstream words(row);
        std::string grade;
        std::string query;
        std::string score;
        words >> grade >> query;
        REQUIRE(std::getline(numbers, score));
        query = query.substr(4);
        const std::string name = row.substr(row.rfind(' ') + 1);
        run << query << " Q0 " << name << " 0 " << score << " t\n";
        qrels << query << " 0 " << name << " " << grade << "\n";
    }
    std::vector<std::string> arguments = {"eval",
                                          "--qrels",
                                          files.write("qrels", qrels.str()),
                                          files.write("run", run.str()),
                                          "--json",
                                          "--per-query",
                                          "--measures",
                                          "map,ndcg@10,p@5"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const CommandResult result = run_braid(arguments);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return Json::parse(result.out).at("runs")[0];
}

const Json& system_of(const Json& report, const std::string& name) {
    for (const Json& system : report.at("systems")) {
        if (system.at("name") == name) return system;
    }
    FAIL("no system " << name);
    return report;
}

// One column of the rows.
std::string column(const std::string& letor_text, const std::string& number) {
    std::istringstream rows(letor_text);
    std::string result;
    for (std::string row; std::getline(rows, row);) {
        if (row.starts_with("#")) continue;
        const std::size_t at = row.find(" " + number + ":") + number.size() + 2;
        result += row.substr(at, row.find(' ', at) - at) + "\n";
    }
    return result;
}

}  // namespace

TEST_CASE("braid train --report: JSON has the values of braid eval for the same run") {
    const Files files;
    const std::string train = files.write("train", letor(1, 20));
    const std::string text = letor(2, 20, "t", true);
    const std::string test = files.write("test", text);
    for (const std::string empty : {"", "--skip-empty"}) {
        std::vector<std::string> arguments = {"--letor",   train,
                                              "--test",    test,
                                              "--learner", "genm-on",
                                              "--model",   files.path("m.yaml"),
                                              "--report",  files.path("r.json")};
        std::vector<std::string> options;
        if (!empty.empty()) options.push_back(empty);
        arguments.insert(arguments.end(), options.begin(), options.end());
        files.train(arguments);
        const Json report = files.json("r.json");
        CHECK(report.at("measured_on") == "the test file");
        const CommandResult scored =
            run_braid({"score", "--letor", test, "--model", files.path("m.yaml")});
        REQUIRE(scored.code == 0);
        const std::map<std::string, std::string> systems = {{"learned", scored.out},
                                                            {"knows", column(text, "1")},
                                                            {"noise<b>", column(text, "2")},
                                                            {"large", column(text, "3")}};
        for (const auto& [name, scores] : systems) {
            INFO(name);
            const Json run = evaluate(files, text, scores, options);
            const Json& system = system_of(report, name);
            for (const char* measure : {"map", "ndcg@10", "p@5"}) {
                CHECK_THAT(system.at("mean").at(measure).get<double>(),
                           WithinAbs(run.at("mean").at(measure).get<double>(), 1e-9));
            }
            CHECK(report.at("queries").size() == run.at("per_query").size());
            for (const Json& query : report.at("queries")) {
                const Json& other = run.at("per_query").at(query.at("query").get<std::string>());
                const Json& value =
                    name == "learned" ? query.at("learned") : query.at("rankers").at(name);
                CHECK_THAT(value.get<double>(), WithinAbs(other.at("map").get<double>(), 1e-9));
                CHECK(query.at("relevant") == other.at("relevant"));
                CHECK(query.at("oracle") >= query.at("learned"));
            }
        }
    }
}

TEST_CASE("braid train --report: a page for every kind of training is whole and safe") {
    const Files files;
    const std::string train =
        files.write("train", letor(3, 20, "<script>alert(1)</script>&q", true));
    const std::string vali = files.write("vali", letor(4, 8));
    const std::vector<std::vector<std::string>> kinds = {
        {"--learner", "genm-bat"},
        {"--learner", "genm-on", "--folds", "3", "--fold-seeds", "1,2", "--vali", vali},
        {"--learner", "coordinate", "--test", vali, "--no-oracle"},
        {"--learner", "uniform", "--normalise", "min-max"},
        {"--learner", "rankboost", "--folds", "2"},
        {"--learner", "sser", "--folds", "2"},
        {"--learner", "ranksvm"},
        {"--learner", "uns-enm"},
        {"--learner", "mhr-bc"},
        {"--learner", "bagging-reg"}};
    for (std::vector<std::string> arguments : kinds) {
        INFO(arguments[1]);
        arguments.insert(arguments.end(),
                         {"--letor", train, "--report", files.path("r.html"), "--report",
                          files.path("r.json"), "--report", files.path("r.txt")});
        files.train(arguments);
        const std::string page = files.read("r.html");
        const std::set<std::string> elements = check_elements(page);
        for (const char* outside : {"link", "img", "iframe", "object"}) {
            CHECK(elements.count(outside) == 0);
        }
        CHECK(count_of(page, "<script>") == 1);
        CHECK(count_of(page, "alert(1)") == count_of(page, "&lt;script&gt;alert(1)&lt;/script"));
        CHECK_FALSE(has(page, "noise<b>"));
        CHECK(has(page, "noise&lt;b&gt;"));
        CHECK_FALSE(has(page, ">nan"));
        CHECK_FALSE(has(page, "\"nan"));
        CHECK(has(page, "prefers-color-scheme: dark"));
        CHECK(count_of(page, "<svg class=\"chart") == count_of(page, "role=\"img\" aria-label=\""));
        // Every table has headings; every query is there.
        CHECK(count_of(page, "<table") == count_of(page, "<thead>"));
        const Json report = files.json("r.json");
        CHECK(has(page, "All " + std::to_string(report.at("queries").size()) + " queries"));
        CHECK(has(page, "To do it again"));
        const std::string text = files.read("r.txt");
        CHECK(has(text, "Interpolated precision"));
        CHECK(has(text, "--learner " + arguments[1]));
    }
}

TEST_CASE("braid train --report: folds show each fold's weights and curves") {
    const Files files;
    const std::string train = files.write("train", letor(5, 18));
    files.train({"--letor", train, "--learner", "genm-on", "--folds", "3", "--report",
                 files.path("r.json"), "--report", files.path("r.html")});
    const Json report = files.json("r.json");
    CHECK(report.at("measured_on") == "held-out folds");
    REQUIRE(report.at("folds").size() == 3);
    double sum = 0;
    for (const Json& fold : report.at("folds")) {
        CHECK(fold.at("weights").size() == 3);
        sum += fold.at("weights")[0].get<double>();
        CHECK(fold.at("curve").size() > 1);
        const Json& last = fold.at("curve").back();
        CHECK_THAT(last.at("held_out").get<double>(),
                   WithinAbs(fold.at("test").get<double>(), 1e-12));
        CHECK_THAT(last.at("training").get<double>(),
                   WithinAbs(fold.at("training").get<double>(), 1e-12));
    }
    CHECK_THAT(report.at("rankers")[0].at("folds").at("mean").get<double>(),
               WithinAbs(sum / 3, 1e-12));
    const Json& loss = report.at("loss").at("learned");
    CHECK_THAT(loss.at("rankers").get<double>() - loss.at("ambiguity").get<double>() -
                   loss.at("sum_term").get<double>(),
               WithinAbs(loss.at("ensemble").get<double>(), 1e-9));
    CHECK(report.at("distances").at("names") == Json({"knows", "noise<b>", "large", "learned"}));
    const std::string page = files.read("r.html");
    CHECK(count_of(page, "held out, each fold</title>") == 3);
    CHECK(count_of(page, "held out, mean of folds</title></polyline>") == 1);
    CHECK(has(page, "Map of the rankers"));
    CHECK(has(page, "mean of folds</th>"));
}

TEST_CASE("braid train --report: says whether weights by query are worth it") {
    const Files files;
    const std::string train = files.write("train", letor(6, 24));
    // Without neighbours' part sser is ser, and gains nothing; with it, it does on these numbers.
    for (const std::string gamma : {"0", "0.5"}) {
        INFO(gamma);
        const CommandResult result = files.train(
            {"--letor", train, "--learner", "sser", "--normalise", "none", "-p", "gamma=" + gamma,
             "--folds", "3", "--report", files.path("r.html"), "--report", files.path("r.json")});
        const Json report = files.json("r.json");
        const Json& found = report.at("query_dependent");
        CHECK(found.at("fixed_learner") == "ser");
        CHECK(found.at("fits") == 3);
        const bool helps = gamma != "0";
        REQUIRE(found.at("helps") == helps);
        const std::string verdict =
            helps ? "They help: keep them." : "That is no gain: keep fixed weights, --learner ser.";
        CHECK_THAT(result.out, Contains(verdict));
        const std::string page = files.read("r.html");
        CHECK(has(page, "class=\"verdict no\"") == !helps);
        CHECK(has(page, verdict));
        CHECK(has(page, "help and harm most") == helps);
        // The fixed weights' values are those of training them.
        files.train({"--letor", train, "--learner", "ser", "--normalise", "none", "--folds", "3",
                     "--report", files.path("s.json")});
        CHECK(system_of(report, "ser").at("mean") ==
              system_of(files.json("s.json"), "learned").at("mean"));
    }
}

TEST_CASE("braid train --report: warnings, settings and the command are in it") {
    const Files files;
    const std::string train = files.write("it's train", letor(7, 10, "", true));
    const CommandResult result = files.train(
        {"--letor", train, "--learner", "coordinate", "-p", "restarts=2", "--seed", "77",
         "--report", files.path("r.json"), "--report", files.path("r.html"), "--report", "-"});
    const Json report = files.json("r.json");
    REQUIRE(report.at("warnings").size() == 1);
    const std::string warning = report.at("warnings")[0];
    CHECK_THAT(result.err, Contains(warning));
    CHECK_THAT(result.out, Contains(warning) && Contains("Settings"));
    CHECK(report.at("settings").at("seed") == "77");
    CHECK(report.at("settings").at("features") == train);
    CHECK_THAT(report.at("settings").at("parameters").get<std::string>(), Contains("restarts=2"));
    CHECK(report.at("command").size() == 16);
    CHECK_THAT(result.out, Contains("it'\\''s train'"));
    CHECK(has(files.read("r.html"), "it&#39;\\&#39;&#39;s train&#39;"));
    CHECK(report.at("seconds") > 0);
}

TEST_CASE("braid train --report: figures are pictures of their own") {
    const Files files;
    const std::string train = files.write("train", letor(8, 15));
    files.train({"--letor", train, "--learner", "genm-on", "--folds", "2", "--figures",
                 files.path("figures")});
    for (const char* name : {"precision-recall", "learning-curve", "objective", "rankers"}) {
        INFO(name);
        const std::string picture = files.read(std::string("figures/") + name + ".svg");
        CHECK(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        CHECK(has(picture, "<style>"));
        CHECK(picture.ends_with("</svg>\n"));
    }
}

TEST_CASE("braid train --report: what can't be written is refused before anything is learned") {
    const Files files;
    const std::string train = files.write("train", letor(9, 10));
    const auto refused = [&](std::vector<std::string> options, int code,
                             const std::string& message) {
        options.insert(options.begin(), {"train", "--letor", train});
        const CommandResult result = run_braid(options);
        CHECK(result.code == code);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, Contains(message));
    };
    refused({"--report", files.path("r.pdf")}, 2, "ends in .html, .json or .txt");
    refused({"--report", "-", "--json"}, 2, "both write to standard output");
    refused({"--report", files.path("no/r.html")}, 1, "no/r.html");
    refused({"--figures", files.path("no/such")}, 1, "is no folder");
}

TEST_CASE("braid train --runs: held-out runs have the report's values by braid eval") {
    const Files files;
    const std::string train = files.write("train", letor(seed(), 20));
    const std::string test = files.write("test", letor(seed() + 1, 12, "t"));
    const std::string runs = files.path("runs");
    const auto evaluated = [&](const std::string& run) {
        const CommandResult result =
            run_braid({"eval", "--qrels", runs + "/judgements.qrels", runs + "/" + run,
                       "--measures", "map", "--json", "--quiet"});
        INFO(result.err);
        REQUIRE(result.code == 0);
        return Json::parse(result.out)["runs"][0]["mean"]["map"].get<double>();
    };
    const auto learned = [&](const std::string& report) {
        return files.json(report)["systems"][0]["mean"]["map"].get<double>();
    };
    files.train({"--letor", train, "--test", test, "--learner", "wel", "--runs", runs, "--report",
                 files.path("a.json")});
    CHECK_THAT(evaluated("wel.run"), WithinAbs(learned("a.json"), 1e-12));
    files.train({"--letor", train, "--folds", "4", "--learner", "ranksvm", "--runs", runs,
                 "--report", files.path("b.json")});
    CHECK_THAT(evaluated("ranksvm.run"), WithinAbs(learned("b.json"), 1e-12));
    files.train({"--letor", train, "--folds", "4", "--fold-seeds", "1,2", "--learner", "ranksvm",
                 "--runs", runs, "--report", files.path("c.json")});
    CHECK_THAT((evaluated("ranksvm-1.run") + evaluated("ranksvm-2.run")) / 2,
               WithinAbs(learned("c.json"), 1e-12));
    const CommandResult compared =
        run_braid({"eval", "--qrels", runs + "/judgements.qrels", runs + "/ranksvm-1.run",
                   runs + "/ranksvm-2.run", "--paired-test", "wilcoxon"});
    CHECK(compared.code == 0);
    CHECK_THAT(compared.out, Contains("Wilcoxon"));
    const CommandResult none = run_braid({"train", "--letor", train, "--runs", runs});
    CHECK(none.code == 2);
    CHECK_THAT(none.err, Contains("--runs needs --folds or test queries"));
    std::string unnamed = letor(seed(), 20);
    for (std::size_t at; (at = unnamed.find(" # docid")) != std::string::npos;) {
        unnamed.erase(at, unnamed.find('\n', at) - at);
    }
    const std::string bare = files.write("bare", unnamed);
    const CommandResult refused =
        run_braid({"train", "--letor", bare, "--folds", "2", "--runs", runs});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Contains("documents have no names"));
}

TEST_CASE("braid train --report: pairs, groups, bounds and starts are in it") {
    const Files files;
    const std::string train = files.write("train", letor(seed(), 20));
    files.train({"--letor", train, "--folds", "4", "--learner", "genm-on", "-p", "start=zero-one",
                 "--report", files.path("a.html"), "--report", files.path("a.json")});
    const Json report = files.json("a.json");
    REQUIRE(report["grade_pairs"].size() == 1);
    CHECK(report["grade_pairs"][0]["pairs"] == 20 * 3 * 9);
    CHECK(report["systems"][0]["pair_errors"].size() == 1);
    std::size_t queries = 0;
    for (const Json& group : report["groups"]) queries += group["queries"].get<std::size_t>();
    CHECK(queries == 20);
    CHECK(report["bounds"]["all"]["type_one"]["exponential"] > report["bounds"]["all"]["loss"]);
    CHECK(report["bounds"]["enumerated"]["type_two"]["hinge"] >=
          report["bounds"]["enumerated"]["loss"]);
    CHECK(report["starts"].size() == 7);
    CHECK(!report.contains("two_rankers"));
    const std::string page = files.read("a.html");
    for (const char* part :
         {"Pairs of documents", "map by group of queries", "and its bounds", "From each start"}) {
        CHECK_THAT(page, Contains(part));
    }
    files.train({"--letor", train, "--learner", "adarank", "--report", files.path("b.json")});
    CHECK(files.json("b.json")["curve"][0].contains("bound"));
}
