// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "braid/core/learn/learner.h"
#include "braid/tests/cli/train_fixture.h"

// Every option of the training command is read or refused, and what can't work is refused before
// anything is read or learned.

using namespace braid::test;
using Words = std::vector<std::string>;

namespace {

// One option, and what it is read with: features from a "file", a "judged" database, or one that is
// "unjudged".
struct Option {
    std::string call;  // With its value, if it has one.
    std::string read_with;
    std::string companions = {};

    std::string name() const { return words_of(call)[0]; }
};

const std::vector<Option>& options() {
    static const std::vector<Option> all = {
        {"--vali v", "file"},
        {"--test t", "file"},
        {"--vali-queries v", "judged unjudged", "--vali-qrels j"},
        {"--vali-qrels v", "judged unjudged", "--vali-queries q"},
        {"--test-queries v", "judged unjudged", "--test-qrels j"},
        {"--test-qrels v", "judged unjudged", "--test-queries q"},
        {"--config words", "file judged unjudged"},
        {"--id docid", "judged unjudged"},
        {"--candidates words", "judged unjudged"},
        {"--clusters-visited 4", "judged unjudged"},
        {"--sidecar s", "judged unjudged"},
        {"--model-rankers bm25", "file judged unjudged"},
        {"--queries-format tsv", "judged unjudged"},
        {"--query-fields title", "judged unjudged"},
        {"--query-ids given", "judged unjudged"},
        {"--id-prefix a:", "judged unjudged"},
        {"--qrels-format trec", "judged"},
        {"--grades all=same", "judged"},
        {"--least-shown 2", ""},
        {"--pool 5", "judged unjudged"},
        {"--pool-from model", "judged unjudged"},
        {"--add-judged", "judged"},
        {"--normalise sum", "file judged unjudged"},
        {"--columns positions", "file"},
        {"--missing zero", "file"},
        {"--learner uns-enm", "file judged unjudged"},
        {"-p beta=3", "file judged unjudged", "--learner uns-enm"},
        {"--tune c=1,2", "file judged", "--learner ranksvm"},
        {"--hold-back 3", "file judged", "--learner coordinate"},
        {"--measure ndcg", "file judged"},
        {"--rel 2", "file judged"},
        {"--seed 3", "file judged unjudged"},
        {"--threads 1", "file judged unjudged"},
        {"--model /tmp/m.yaml", "file judged unjudged"},
        {"--install", "judged"},
        {"--tune-bm25", "judged"},
        {"--force", "judged unjudged", "--install"},
        {"--folds 3", "file judged"},
        {"--fold-seeds 1", "file judged", "--folds 3"},
        {"--measures map", "file judged"},
        {"--skip-empty", "file judged"},
        {"--runs r", "file judged", "--folds 3"},
        {"--id-prefix a:", "judged unjudged"},
        {"--paired-test t", "file judged", "--folds 3"},
        {"--no-oracle", "file judged"},
        {"--query-vectors v", "judged unjudged"},
        {"--query-features words", "judged", "--learner awel"},
        {"--query-embeddings e", "file judged", "--learner awel"},
        {"--now 5", "judged unjudged"},
        {"--limit line=100", "file judged unjudged"},
        {"--runs /tmp", "file judged", "--folds 3"},
        {"--report -", "file judged unjudged"},
        {"--figures /tmp", "file judged unjudged"},
        {"--json", "file judged unjudged"},
        {"--quiet", "file judged unjudged"},
        {"--strict", "file judged unjudged"}};
    return all;
}

// Those that choose what is learned from, or have a test of their own.
const std::set<std::string>& sources() {
    static const std::set<std::string> names = {"--help",  "--letor",  "--db",       "--queries",
                                                "--qrels", "--clicks", "--continue", "--follow"};
    return names;
}

void check_call(const std::string& base, const Option& option, bool is_read) {
    const CommandResult result =
        run_braid(words_of(base + " " + option.call + " " + option.companions));
    INFO(base << " " << option.call << ": " << result.err);
    // 1 where the absent file or database was looked for.
    CHECK(result.code == (is_read ? 1 : 2));
    if (is_read) return;
    const auto is_named = [&](const std::string& word) {
        return result.err.find(word) != std::string::npos;
    };
    const Words companions = words_of(option.companions);
    CHECK((is_named(option.name()) || std::any_of(companions.begin(), companions.end(), is_named)));
}

}  // namespace

TEST_CASE("braid train: every option is read or refused, whatever is learned from") {
    std::set<std::string> known = sources();
    const std::map<std::string, std::string> bases = {
        {"file", "train --letor /nowhere"},
        {"judged", "train --db /nowhere --queries q --qrels j"},
        {"unjudged", "train --db /nowhere --queries q"}};
    for (const Option& option : options()) {
        known.insert(option.name());
        const Words sources = words_of(option.read_with);
        for (const std::string& source : sources) REQUIRE(bases.count(source) == 1);
        for (const auto& [source, base] : bases) {
            check_call(base, option,
                       std::find(sources.begin(), sources.end(), source) != sources.end());
        }
    }
    // The table above has all there are.
    const std::string help = run_braid({"train", "--help"}).out;
    const std::regex names("\n {2,10}(-[-a-z0-9]+)");
    std::size_t listed = 0;
    for (std::sregex_iterator at(help.begin(), help.end(), names), end; at != end; ++at) {
        std::string name = (*at)[1];
        if (name == "-h") name = "--help";
        if (name == "-l") name = "--learner";
        if (name == "-m") name = "--measure";
        if (name == "-q") name = "--quiet";
        INFO(name);
        CHECK(known.count(name) == 1);
        ++listed;
    }
    CHECK(listed >= options().size());
}

TEST_CASE(
    "braid train: a measure that the learner can't aim at is refused before anything is read") {
    check_refused({"train", "--letor", "/nowhere", "--learner", "permurank", "--measure", "p@5"}, 2,
                  "permurank can't aim at the measure p@5");
    check_refused({"train", "--letor", "/nowhere", "--learner", "permurank", "--measure", "ndcg@5"},
                  1, "/nowhere");
}

TEST_CASE("braid train: what --install meets is known before anything is learned") {
    const TrainFixture fixture;
    // The database is opened for writing first: the queries are never looked for.
    check_refused({"train", "--db", "/nowhere", "--queries", "q", "--qrels", "j", "--install"}, 1,
                  "/nowhere");
    const auto note = [&](const Words& more) {
        Words call = {"--queries", "/nowhere", "--qrels", fixture.qrels, "--install", "--learner"};
        call.insert(call.end(), more.begin(), more.end());
        const CommandResult result = fixture.run("train", call);
        CHECK(result.code == 1);
        return result.err;
    };
    CHECK_THAT(note({"ranksvm"}), Contains("second pass") && Contains("weights=non-negative"));
    CHECK_THAT(note({"rankboost"}), Contains("of the form steps"));
    CHECK_THAT(note({"sser"}), Contains("of the form semi-supervised"));
    CHECK_THAT(note({"coordinate", "--normalise", "rank"}), Contains("normalised by rank"));
    CHECK_THAT(note({"adarank"}), !Contains("second pass"));
    CHECK_THAT(note({"ranksvm", "-p", "weights=non-negative"}), !Contains("second pass"));
}

TEST_CASE("braid train: what can't be held back is refused") {
    check_wrong_calls("train --db /nowhere --queries q --qrels j --hold-back 5",
                      {{"--learner awel -p embedding=query", "awel learns no weights here"},
                       {"--learner aem", "aem learns no weights here"},
                       {"--learner rankboost", "rankboost learns no weights here"},
                       {"", "auto holds weights back by itself"},
                       {"--learner genm-on --vali-queries v --vali-qrels j",
                        "can't be given with a validation set"},
                       {"--continue m.yaml", "keeps all learned weights"}});
    check_refused({"train", "--letor", "/nowhere", "--learner", "listnet", "--hold-back", "1"}, 2,
                  "expected 0, or 2");
}

TEST_CASE("braid train: only weights from a database are held back unless asked") {
    const TrainFixture fixture;
    const auto text = [&](const Words& more) {
        Words call = {"--qrels", fixture.qrels, "--learner", "genm-on"};
        call.insert(call.end(), more.begin(), more.end());
        return fixture.train(call).out;
    };
    CHECK_THAT(text({}), Contains("% of the learned weights kept"));
    CHECK_THAT(text({"--hold-back", "0"}), !Contains("of the learned weights kept"));
}

TEST_CASE("braid train: what weights by query follow from is there, or not asked for") {
    check_wrong_calls(
        "train --db /nowhere --queries q --qrels j",
        {{"--learner awel --query-features none", "found --query-features none"},
         {"--learner coordinate --query-features topics", "coordinate learns none"},
         {"--learner awel -p embedding=query --query-embeddings e", "awel learns none"}});
}

TEST_CASE("braid train: a model that needs judgements is not continued without") {
    const TrainFixture fixture;
    REQUIRE(fixture
                .train({"--qrels", fixture.qrels, "--learner", "genm-on", "--model", fixture.model,
                        "--no-oracle"})
                .code == 0);
    check_refused({"train", "--db", fixture.database, "--queries", fixture.queries, "--continue",
                   fixture.model},
                  1, "genm-on needs --qrels or --clicks");
}

TEST_CASE("braid train: scales that can't be taken in are refused, the default fits") {
    const TrainFixture fixture;
    for (const std::string learner : {"sser", "aem"}) {
        check_refused({"train", "--db", "/nowhere", "--queries", "q", "--qrels", "j", "--learner",
                       learner, "--normalise", "scale"},
                      2, "can't take in the scales");
        check_refused(
            {"train", "--letor", "/nowhere", "--learner", learner, "--normalise", "scale"}, 2,
            "can't take in the scales");
        const CommandResult trained = fixture.train(
            {"--qrels", fixture.qrels, "--learner", learner, "--model", fixture.model, "--quiet"});
        INFO(trained.err);
        CHECK(trained.code == 0);
        CHECK_THAT(read_file(fixture.model), Contains("min-max"));
    }
}

TEST_CASE("braid train: a database is learned from with queries held out") {
    const TrainFixture fixture;
    std::string train;
    std::string held_out;
    std::istringstream lines(read_file(fixture.queries));
    int number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        (number < 4 ? train : held_out) += line + "\n";
    }
    const std::string first = fixture.folder / "first.tsv";
    const std::string second = fixture.folder / "second.tsv";
    write_file(first, train);
    write_file(second, held_out);
    const auto run = [&](const std::string& queries, Words more) {
        more.insert(more.begin(),
                    {"--queries", queries, "--qrels", fixture.qrels, "--model-rankers",
                     fixture.rankers, "--learner", "coordinate", "--normalise", "none", "--json"});
        const CommandResult result = fixture.run("train", more);
        INFO(result.err);
        REQUIRE(result.code == 0);
        return nlohmann::json::parse(result.out);
    };
    const auto report = run(first, {"--vali-queries", second, "--vali-qrels", fixture.qrels,
                                    "--test-queries", second, "--test-qrels", fixture.qrels});
    CHECK(report.at("learning").at("queries") == 4);
    CHECK(report.at("validation") == report.at("test"));
    CHECK(report.at("baselines").size() == 5);
    CHECK(report.at("learning").at("curve")[0].contains("validation"));
    // Rankers alone are on the test queries what they are where these are learned from.
    const auto learned = run(second, {"--test-queries", second, "--test-qrels", fixture.qrels});
    CHECK(learned.at("baselines")[1].at("mean") == report.at("baselines")[1].at("mean"));
    // Rankers that teach each other are measured by others' judgements.
    const CommandResult unjudged =
        fixture.run("train", {"--queries", first, "--test-queries", second, "--test-qrels",
                              fixture.qrels, "--measure", "ndcg@10"});
    INFO(unjudged.err);
    CHECK(unjudged.code == 0);
    CHECK_THAT(unjudged.out, Contains("uns-enm") && Contains("ndcg@10"));
    check_refused({"train", "--db", fixture.database, "--queries", first, "--vali-queries", second},
                  2, "--vali-qrels");
}

TEST_CASE("braid train: clicks judge what is learned from, and add documents to pools") {
    const TrainFixture fixture;
    const CommandResult added =
        fixture.train({"--clicks", fixture.clicks, "--add-judged", "--pool", "2", "--learner",
                       "coordinate", "--json", "--quiet"});
    INFO(added.err);
    REQUIRE(added.code == 0);
    const CommandResult plain = fixture.train({"--clicks", fixture.clicks, "--pool", "2",
                                               "--learner", "coordinate", "--json", "--quiet"});
    REQUIRE(plain.code == 0);
    const auto documents = [](const CommandResult& result) {
        return nlohmann::json::parse(result.out).at("learning").at("documents").get<int>();
    };
    CHECK(documents(added) > documents(plain));
}

TEST_CASE("braid train: standard input is read once") {
    const auto refused = [](const Words& more) {
        Words call = {"train"};
        call.insert(call.end(), more.begin(), more.end());
        check_refused(call, 2, "both read standard input");
    };
    refused({"--letor", "-", "--vali", "-"});
    refused({"--letor", "-", "--test", "-"});
    refused({"--letor", "-", "--clicks", "-"});
    refused({"--db", "/nowhere", "--queries", "-", "--qrels", "-"});
    refused({"--db", "/nowhere", "--queries", "q", "--qrels", "-", "--test-queries", "-",
             "--test-qrels", "j"});
    check_refused({"features", "--db", "/nowhere", "--queries", "-", "--qrels", "-"}, 2,
                  "both read standard input");
    check_refused({"fuse", "-", "-"}, 2, "twice");
}

TEST_CASE("braid train: a parameter that would be cut or not read is refused") {
    const auto refused = [](const std::string& learner, const std::string& parameter,
                            const std::string& message) {
        check_refused({"train", "--letor", "/nowhere", "--learner", learner, "-p", parameter}, 2,
                      message);
    };
    refused("enm-b", "rounds=2.7", "rounds is 2.7, expected a whole number from 1 to 1000000");
    refused("coordinate", "patience=3", "expected --vali");
    refused("uns-enm", "threshold=0.3", "read with pretend=threshold only");
}

TEST_CASE("braid train: what a script gets wrong is refused, not taken for something else") {
    check_wrong_calls("train --letor /nowhere", {{"--vali ''", "--vali: found ''"},
                                                 {"--normalise ''", "--normalise: found ''"},
                                                 {"--model ''", "--model: found ''"},
                                                 {"--model -", "not to a pipe"},
                                                 {"--threads -1", "--threads"},
                                                 {"--threads 100000000", "--threads"},
                                                 {"--seed -1", "--seed"},
                                                 {"-p beta=3 -p beta=4", "beta: given twice"}});
    check_refused({"learners", ""}, 2, "found ''");
    check_refused({"fuse", "a", "b", "--name", ""}, 2, "--name: found ''");
    check_refused({"fuse", "a", "b", "--set", "k=1", "--set", "k=2"}, 2, "k: given twice");
    check_refused({"score", "--letor", "", "--model", "m"}, 2, "--letor: found ''");
    check_refused({"features", "--db", "d", "--queries", "q", "--qrels", ""}, 2,
                  "--qrels: found ''");
    const TemporaryFolder folder;
    const std::string bare = folder.file("bare", "1 qid:1\n0 qid:1\n");
    check_refused({"train", "--letor", bare}, 1, "none of its rows has a feature");
}

TEST_CASE("braid train: weights by query follow from lists where a file says nothing of queries") {
    const TrainFixture fixture;
    const CommandResult features = fixture.run(
        "features",
        {"--queries", fixture.queries, "--qrels", fixture.qrels, "--model", fixture.rankers});
    const std::string letor = fixture.folder.file("letor", features.out);
    for (const std::string learner : {"awel", "awelv", "aem"}) {
        Words call = {"train",       "--letor", letor,         "--learner", learner,
                      "--normalise", "min-max", "--test",      letor,       "--model",
                      fixture.model, "--json",  "--no-oracle", "-p",        "passes=5"};
        if (learner != "aem") {
            // Whatever the held-out queries say.
            call.insert(call.end(), {"-p", "folds=0"});
        }
        const CommandResult trained = run_braid(call);
        INFO(trained.err);
        REQUIRE(trained.code == 0);
        CHECK_THAT(trained.err, Contains("statistics of each query's lists"));
        CHECK_THAT(read_file(fixture.model), Contains("list:agreement"));
        const auto report = nlohmann::json::parse(trained.out);
        CHECK(report.at("form") == "attention");
        const CommandResult scored =
            run_braid({"score", "--letor", letor, "--model", fixture.model});
        INFO(scored.err);
        CHECK(scored.code == 0);
    }
}
