// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
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

// How one option fares with features from a file, with a judged database and with one that nobody
// judged.
struct Option {
    std::string name;
    std::string value;  // "" for a flag.
    bool with_file;
    bool with_database;
    bool unjudged;
    Words companions = {};
};

const std::vector<Option>& options() {
    static const std::vector<Option> all = {
        {"--vali", "v", true, false, false},
        {"--test", "t", true, false, false},
        {"--vali-queries", "v", false, true, true, {"--vali-qrels", "j"}},
        {"--vali-qrels", "v", false, true, true, {"--vali-queries", "q"}},
        {"--test-queries", "v", false, true, true, {"--test-qrels", "j"}},
        {"--test-qrels", "v", false, true, true, {"--test-queries", "q"}},
        {"--config", "words", true, true, true},
        {"--id", "docid", false, true, true},
        {"--candidates", "words", false, true, true},
        {"--clusters-visited", "4", false, true, true},
        {"--sidecar", "s", false, true, true},
        {"--model-rankers", "bm25", true, true, true},
        {"--queries-format", "tsv", false, true, true},
        {"--query-fields", "title", false, true, true},
        {"--query-ids", "given", false, true, true},
        {"--id-prefix", "a:", false, true, true},
        {"--qrels-format", "trec", false, true, false},
        {"--grades", "all=same", false, true, false},
        {"--least-shown", "2", false, false, false},
        {"--pool", "5", false, true, true},
        {"--pool-from", "model", false, true, true},
        {"--add-judged", "", false, true, false},
        {"--normalise", "sum", true, true, true},
        {"--columns", "positions", true, false, false},
        {"--missing", "zero", true, false, false},
        {"--learner", "uns-enm", true, true, true},
        {"-p", "beta=3", true, true, true, {"--learner", "uns-enm"}},
        {"--tune", "c=1,2", true, true, false, {"--learner", "ranksvm"}},
        {"--hold-back", "3", true, true, false, {"--learner", "coordinate"}},
        {"--measure", "ndcg", true, true, false},
        {"--rel", "2", true, true, false},
        {"--seed", "3", true, true, true},
        {"--threads", "1", true, true, true},
        {"--model", "/tmp/m.yaml", true, true, true},
        {"--install", "", false, true, false},
        {"--tune-bm25", "", false, true, false},
        {"--force", "", false, true, true, {"--install"}},
        {"--folds", "3", true, true, false},
        {"--fold-seeds", "1", true, true, false, {"--folds", "3"}},
        {"--measures", "map", true, true, false},
        {"--skip-empty", "", true, true, false},
        {"--runs", "r", true, true, false, {"--folds", "3"}},
        {"--id-prefix", "a:", false, true, true},
        {"--paired-test", "t", true, true, false, {"--folds", "3"}},
        {"--no-oracle", "", true, true, false},
        {"--query-vectors", "v", false, true, true},
        {"--query-features", "words", false, true, false, {"--learner", "awel"}},
        {"--query-embeddings", "e", true, true, false, {"--learner", "awel"}},
        {"--now", "5", false, true, true},
        {"--limit", "line=100", true, true, true},
        {"--runs", "/tmp", true, true, false, {"--folds", "3"}},
        {"--report", "-", true, true, true},
        {"--figures", "/tmp", true, true, true},
        {"--json", "", true, true, true},
        {"--quiet", "", true, true, true},
        {"--strict", "", true, true, true}};
    return all;
}

// Those that choose what is learned from, or have a test of their own.
const std::set<std::string>& sources() {
    static const std::set<std::string> names = {"--help",  "--letor",  "--db",       "--queries",
                                                "--qrels", "--clicks", "--continue", "--follow"};
    return names;
}

void check_call(const Words& base, const Option& option, bool is_read) {
    Words call = base;
    call.push_back(option.name);
    if (!option.value.empty()) call.push_back(option.value);
    call.insert(call.end(), option.companions.begin(), option.companions.end());
    const CommandResult result = run_braid(call);
    INFO(base[1] << " " << option.name << ": " << result.err);
    // 1 where the absent file or database was looked for.
    CHECK(result.code == (is_read ? 1 : 2));
    if (is_read) return;
    const auto is_named = [&](const std::string& word) {
        return result.err.find(word) != std::string::npos;
    };
    CHECK((is_named(option.name) ||
           std::any_of(option.companions.begin(), option.companions.end(), is_named)));
}

void check_refused(const Words& call, int code, const std::string& message) {
    const CommandResult result = run_braid(call);
    INFO(result.out << result.err);
    CHECK(result.code == code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(message));
}

}  // namespace

TEST_CASE("braid train: every option is read or refused, whatever is learned from") {
    std::set<std::string> known = sources();
    const Words file = {"train", "--letor", "/nowhere"};
    const Words judged = {"train", "--db", "/nowhere", "--queries", "q", "--qrels", "j"};
    const Words unjudged = {"train", "--db", "/nowhere", "--queries", "q"};
    for (const Option& option : options()) {
        known.insert(option.name);
        check_call(file, option, option.with_file);
        check_call(judged, option, option.with_database);
        check_call(unjudged, option, option.unjudged);
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
    const Words base = {"train", "--db", "/nowhere", "--queries", "q", "--qrels", "j"};
    const auto refused = [&](Words more, const std::string& message) {
        more.insert(more.begin(), base.begin(), base.end());
        more.insert(more.end(), {"--hold-back", "5"});
        check_refused(more, 2, message);
    };
    refused({"--learner", "awel", "-p", "embedding=query"}, "awel learns no weights here");
    refused({"--learner", "aem"}, "aem learns no weights here");
    refused({"--learner", "rankboost"}, "rankboost learns no weights here");
    refused({}, "auto holds weights back by itself");
    refused({"--learner", "genm-on", "--vali-queries", "v", "--vali-qrels", "j"},
            "can't be given with a validation set");
    refused({"--continue", "m.yaml"}, "keeps all learned weights");
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
    const Words base = {"train", "--db", "/nowhere", "--queries", "q", "--qrels", "j"};
    const auto refused = [&](Words more, const std::string& message) {
        more.insert(more.begin(), base.begin(), base.end());
        check_refused(more, 2, message);
    };
    refused({"--learner", "awel", "--query-features", "none"}, "found --query-features none");
    refused({"--learner", "coordinate", "--query-features", "topics"}, "coordinate learns none");
    refused({"--learner", "awel", "-p", "embedding=query", "--query-embeddings", "e"},
            "awel learns none");
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
    const Words base = {"train", "--letor", "/nowhere"};
    const auto refused = [&](Words more, const std::string& message) {
        more.insert(more.begin(), base.begin(), base.end());
        check_refused(more, 2, message);
    };
    refused({"--vali", ""}, "--vali: found ''");
    refused({"--normalise", ""}, "--normalise: found ''");
    refused({"--model", ""}, "--model: found ''");
    refused({"--model", "-"}, "not to a pipe");
    refused({"--threads", "-1"}, "--threads");
    refused({"--threads", "100000000"}, "--threads");
    refused({"--seed", "-1"}, "--seed");
    refused({"-p", "beta=3", "-p", "beta=4"}, "beta: given twice");
    check_refused({"learners", ""}, 2, "found ''");
    check_refused({"fuse", "a", "b", "--name", ""}, 2, "--name: found ''");
    check_refused({"fuse", "a", "b", "--set", "k=1", "--set", "k=2"}, 2, "k: given twice");
    check_refused({"score", "--letor", "", "--model", "m"}, 2, "--letor: found ''");
    check_refused({"features", "--db", "d", "--queries", "q", "--qrels", ""}, 2,
                  "--qrels: found ''");
    const TemporaryFolder folder;
    const std::string bare = folder / "bare";
    write_file(bare, "1 qid:1\n0 qid:1\n");
    check_refused({"train", "--letor", bare}, 1, "none of its rows has a feature");
}

TEST_CASE("braid train: weights by query follow from lists where a file says nothing of queries") {
    const TrainFixture fixture;
    const CommandResult features = fixture.run(
        "features",
        {"--queries", fixture.queries, "--qrels", fixture.qrels, "--model", fixture.rankers});
    const std::string letor = fixture.folder / "letor";
    write_file(letor, features.out);
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
