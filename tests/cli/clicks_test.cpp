// SPDX-License-Identifier: GPL-2.0-or-later
// What users say and what scores say to them: calibrated searches, interleaved ones, and learning
// from a log as it grows.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "braid/tests/cli/html_checks.h"
#include "braid/tests/cli/running_command.h"
#include "braid/tests/cli/train_fixture.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

namespace {

Json json_of(const CommandResult& result) {
    INFO(result.err);
    REQUIRE(result.code == 0);
    return Json::parse(result.out);
}

void add_line(const std::string& file, const std::string& line) {
    std::ofstream(file, std::ios::app) << line;
}

// Until the file holds that, or half a minute is over.
bool comes_to_hold(const std::string& file, const std::string& text) {
    for (int i = 0; i < 300; ++i) {
        if (std::filesystem::exists(file) && read_file(file).find(text) != std::string::npos) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

}  // namespace

TEST_CASE("braid train --folds: scores become probabilities, and searches can abstain") {
    const TrainFixture fixture;
    const std::string report = fixture.folder / "page.html";
    const Json trained =
        json_of(fixture.train({"--qrels", fixture.qrels, "--learner", "genm-on", "--folds", "4",
                               "--model", fixture.model, "--json", "--report", report}));
    const Json& calibration = trained.at("calibration");
    CHECK(calibration.at("measured_queries") == 8);
    CHECK(calibration.at("first_ten").at("documents") == 80);
    CHECK_THAT(read_file(fixture.model), Contains("calibration:") && Contains("probabilities:"));
    check_elements(read_file(report));
    CHECK_THAT(read_file(report),
               Contains("Probabilities of relevance") && Contains("lower bounds"));

    // p = s / B, so that the figures of --explain give it.
    write_file(fixture.model,
               "model:\n  rankers:\n    - {ranker: bm25, weight: 2}\n    - {ranker: lsa}\n"
               "  calibration: {scores: [0, 1], probabilities: [0, 1]}\n");
    const auto search = [&](const std::string& least) {
        return json_of(
            fixture.run("search", {"--model", fixture.model, "--json", "-n", "60",
                                   "--min-probability", least, "--explain", "w5", "w6", "common"}));
    };
    const Json all = search("0");
    REQUIRE(all.at("hits").size() > 10);
    for (const Json& hit : all.at("hits")) {
        double bound = 0;
        for (const Json& ranker : hit.at("explanation").at("rankers")) {
            bound += ranker.at("weight").get<double>() * ranker.at("bound").get<double>();
        }
        CHECK_THAT(hit.at("probability").get<double>(),
                   WithinRel(hit.at("score").get<double>() / bound, 1e-9));
    }
    const double middle = all.at("hits")[4].at("probability");
    const Json some = search(std::to_string(middle - 1e-6));
    REQUIRE(some.at("hits").size() < all.at("hits").size());
    CHECK(some.at("hits").size() >= 5);
    for (const Json& hit : some.at("hits")) CHECK(hit.at("probability") >= middle - 1e-5);
    CHECK(some.at("hits")[0].at("probability") == all.at("hits")[0].at("probability"));
    const Json page = json_of(fixture.run(
        "search", {"--model", fixture.model, "--json", "-n", "3", "--offset", "4",
                   "--min-probability", std::to_string(middle - 1e-6), "w5", "w6", "common"}));
    CHECK(page.at("hits").size() == std::min<std::size_t>(3, some.at("hits").size() - 4));
    CHECK(search("1").at("hits").empty());
    const CommandResult text =
        fixture.run("search", {"--model", fixture.model, "-n", "1", "w5", "common"});
    CHECK_THAT(text.out, Contains("  p 0."));
    // A model without.
    const CommandResult none =
        fixture.run("search", {"--model", "bm25", "--min-probability", ".5", "w5"});
    CHECK(none.code == 1);
    CHECK_THAT(none.err, Contains("need a model with a calibration"));
    CHECK(fixture.run("search", {"--min-probability", "1.5", "w5"}).code == 2);
}

TEST_CASE("braid train --vali: validation queries calibrate, test queries measure") {
    const TrainFixture fixture;
    const Json trained =
        json_of(fixture.train({"--qrels", fixture.qrels, "--learner", "genm-on", "--vali-queries",
                               fixture.queries, "--vali-qrels", fixture.qrels, "--test-queries",
                               fixture.queries, "--test-qrels", fixture.qrels, "--json"}));
    CHECK(trained.at("calibration").at("measured_on") == "test queries");
    const Json without =
        json_of(fixture.train({"--qrels", fixture.qrels, "--learner", "genm-on", "--json"}));
    CHECK(!without.contains("calibration"));
}

TEST_CASE("braid search --interleave: logs who brought what, and eval judges the clicks") {
    const TopicFixture fixture;
    const std::string log = fixture.folder / "drafts.tsv";
    const auto search = [&](const std::vector<std::string>& more) {
        std::vector<std::string> options = {"--interleave", "bm25", "dph", "--log", log};
        options.insert(options.end(), more.begin(), more.end());
        options.insert(options.end(), {"w5", "w6", "common"});
        return fixture.run("search", options);
    };
    const Json first = json_of(search({"--json", "--session", "one", "-n", "5"}));
    CHECK(first.at("session") == "one");
    CHECK(first.at("rankings") == Json({"bm25", "dph"}));
    REQUIRE(first.at("hits").size() == 5);
    std::set<std::string> names;
    for (const Json& hit : first.at("hits")) names.insert(hit.at("name"));
    CHECK(names.size() == 5);
    CHECK(json_of(search({"--json", "--session", "one", "-n", "5"})).at("hits") ==
          first.at("hits"));
    const Json page = json_of(search({"--json", "--session", "one", "-n", "2", "--offset", "3"}));
    CHECK(page.at("hits")[0].at("name") == first.at("hits")[3].at("name"));
    const CommandResult text = search({"-n", "3"});
    CHECK(text.code == 0);
    CHECK(text.out.find("bm25") == std::string::npos);  // A reader must not know.
    CHECK_THAT(text.err, Contains("logged in"));

    const std::string team = first.at("hits")[0].at("team");
    const std::string other = team == "bm25" ? "dph" : "bm25";
    add_line(log, "one\tq\t" + first.at("hits")[0].at("name").get<std::string>() + "\t1\t" + team +
                      "\t" + other + "\t0\t1\n");
    const Json judged = json_of(run_braid({"eval", "--interleaved", log, "--json"}));
    REQUIRE(judged.size() == 1);
    CHECK(judged[0].at("sessions") == 2);
    CHECK(judged[0].at("without_clicks") == 1);
    const std::size_t winner = judged[0].at("rankings")[0] == team ? 0 : 1;
    CHECK(judged[0].at("wins")[winner] == 1);
    CHECK(judged[0].at("p") == 1);
    const CommandResult table = run_braid({"eval", "--interleaved", log});
    CHECK_THAT(table.out, Contains("no difference shown between"));
    // The same log is one of clicks.
    const CommandResult cut = run_braid({"eval", "--interleaved", "-"}, read_file(log) + "two\tq");
    CHECK(cut.code == 0);
    CHECK_THAT(cut.err, Contains("the last line is cut off"));
    // Calls that make no sense.
    CHECK(fixture.run("search", {"--interleave", "bm25", "bm25", "w5"}).code == 2);
    CHECK(fixture.run("search", {"--log", log, "w5"}).code == 2);
    CHECK(run_braid({"eval", "--interleaved", log, "--measures", "map"}).code == 2);
    CHECK(run_braid({"eval", "--qrels", log}).code == 2);
    CHECK(run_braid({"eval", "--interleaved", fixture.folder / "none"}).code == 1);
}

TEST_CASE("braid train --follow: learns from clicks as they come, until Ctrl-C", "[slow]") {
    const TrainFixture fixture;
    const std::string log = fixture.folder / "log.tsv";
    const std::string clicks = read_file(fixture.clicks);
    const std::size_t middle = clicks.find('\n', clicks.size() / 2) + 1;
    write_file(log, clicks.substr(0, middle));
    RunningCommand command({"train", "--db", fixture.database, "--queries", fixture.queries,
                            "--model-rankers", fixture.rankers, "--clicks", log, "--follow",
                            "--model", fixture.model, "-p", "passes=1"});
    REQUIRE(comes_to_hold(fixture.model, "learner: genm-on"));
    const std::string first = read_file(fixture.model);
    add_line(log, "nobody\td1\t1\t9\t9\n");  // A query that nobody asked for.
    add_line(log, clicks.substr(middle));
    add_line(log, "7\td7\t1");  // Being written.
    bool changed = false;
    for (int i = 0; i < 300 && !changed; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        changed = read_file(fixture.model) != first;
    }
    CHECK(changed);
    command.signal(SIGINT);
    const CommandResult result = command.wait();
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK_THAT(result.err, Contains("batch 2:") && Contains("stopped after 2 batches") &&
                               Contains("query 'nobody'"));
    CHECK(fixture.run("run", {"--queries", fixture.queries, "--model", fixture.model}).code == 0);
    CHECK(!std::filesystem::exists(fixture.model + ".new"));
}

TEST_CASE("braid train --follow: refuses what it can't do") {
    const TrainFixture fixture;
    const auto refused = [&](std::vector<std::string> more, const std::string& why) {
        more.insert(more.begin(), {"--clicks", fixture.clicks, "--follow"});
        const CommandResult result = fixture.train(more);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(why));
    };
    refused({}, "--follow needs --model");
    refused({"--model", fixture.model, "--install"}, "--install can't be given with --follow");
    refused({"--model", fixture.model, "--folds", "3"}, "--folds can't be given with --follow");
    refused({"--model", fixture.model, "--learner", "coordinate"}, "always learns anew");
    CHECK(fixture.train({"--qrels", fixture.qrels, "--follow", "--model", fixture.model}).code ==
          2);
}
