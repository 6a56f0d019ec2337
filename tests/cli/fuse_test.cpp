// SPDX-License-Identifier: GPL-2.0-or-later
#include <sstream>

#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

class Runs {
  public:
    Runs() {
        write("one.run", "1 Q0 a 1 4 x\n1 Q0 b 2 3 x\n1 Q0 c 3 2 x\n2 Q0 a 1 1 x\n");
        write("two.run", "3 Q0 z 1 1 y\n1 Q0 c 1 9 y\n1 Q0 d 2 5 y\n");
    }

    void write(const std::string& name, const std::string& text) const {
        write_file(folder_ / name, text);
    }

    CommandResult fuse(std::vector<std::string> arguments, const std::string& input = "") const {
        std::vector<std::string> all = {"fuse"};
        for (std::string& argument : arguments) {
            all.push_back(argument.ends_with(".run") ? (folder_ / argument).string() : argument);
        }
        return run_braid(all, input);
    }

  private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("braid fuse: prints a run") {
    const Runs runs;
    const CommandResult result =
        runs.fuse({"one.run", "two.run", "--method", "combmnz", "--name", "both"});
    CHECK(result.code == 0);
    CHECK(result.out ==
          "1 Q0 c 1 2 both\n1 Q0 a 2 1 both\n1 Q0 b 3 0.5 both\n1 Q0 d 4 0 both\n"
          "2 Q0 a 1 0 both\n3 Q0 z 1 0 both\n");
    CHECK_THAT(result.err, Contains("one.run: lacks 1 of 3 queries"));
    CHECK_THAT(result.err, Contains("two.run: lacks 1 of 3 queries"));
    CHECK(runs.fuse({"one.run", "two.run", "--quiet"}).err.empty());
}

TEST_CASE("braid fuse: methods, their settings and how much is read and printed") {
    const Runs runs;
    const auto lines = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"one.run", "two.run", "--quiet"});
        const std::string run = printed(runs.fuse(arguments));
        return run.substr(0, run.find("2 Q0 a"));
    };
    CHECK(lines({"--set", "k=1"}) ==
          "1 Q0 c 1 0.75 braid\n1 Q0 a 2 0.5 braid\n1 Q0 d 3 0.3333333333333333 braid\n"
          "1 Q0 b 4 0.3333333333333333 braid\n");
    CHECK(lines({"--method", "borda", "--set", "missing=none", "--count", "2"}) ==
          "1 Q0 c 1 6 braid\n1 Q0 a 2 4 braid\n");
    CHECK(lines({"--method", "borda", "--depth", "1"}) == "1 Q0 c 1 3 braid\n1 Q0 a 2 3 braid\n");
    CHECK(lines({"--method", "combsum", "--norm", "none"}) ==
          "1 Q0 c 1 11 braid\n1 Q0 d 2 5 braid\n1 Q0 a 3 4 braid\n1 Q0 b 4 3 braid\n");
    CHECK(lines({"--method", "amanx", "--set", "alpha=0", "--set", "scores=combmnz"}) ==
          "1 Q0 c 1 2 braid\n1 Q0 a 2 1 braid\n1 Q0 b 3 0.5 braid\n1 Q0 d 4 0 braid\n");
}

TEST_CASE("braid fuse: scores smoothed over documents' vectors") {
    const Runs runs;
    // a and d are alike, b and c are; z has none.
    runs.write("vectors.run",
               "{\"id\": \"a\", \"vector\": [1, 0]}\n{\"id\": \"b\", \"vector\": [0, 1]}\n"
               "{\"id\": \"c\", \"vector\": [0, 1]}\n{\"id\": \"d\", \"vector\": [1, 0]}\n");
    const std::vector<std::string> call = {"one.run",   "two.run",      "--method", "amanx",
                                           "--set",     "neighbours=1", "--set",    "alpha=0.5",
                                           "--vectors", "vectors.run"};
    const CommandResult result = runs.fuse(call);
    INFO(result.err);
    CHECK(result.code == 0);
    // combsum has a 1, b .5, c 1, d 0; S is 1/2 within each pair of twins.
    std::istringstream lines(result.out);
    for (const auto& [document, score] : std::vector<std::pair<std::string, double>>{
             {"c", 0.875}, {"a", 0.75}, {"b", 0.625}, {"d", 0.25}}) {
        std::string query, q0, name, rank;
        double found = 0;
        lines >> query >> q0 >> name >> rank >> found;
        CHECK(name == document);
        CHECK(found == Approx(score).epsilon(1e-12));
        lines.ignore(100, '\n');
    }
    CHECK_THAT(result.err, Contains("1 documents have no vector") && Contains("'z'"));
    const auto fuse_two = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"one.run", "two.run"});
        return runs.fuse(more);
    };
    check_wrong_calls(fuse_two, {{"--method amanx --set graph=features", "needs --vectors"},
                                 {"--method amanx --set graph=scores --vectors vectors.run",
                                  "graph=scores reads none"},
                                 {"--method rrf --vectors vectors.run", "rrf reads none"},
                                 {"--method amanx --vector-ids x", "--vectors"}});
    runs.write("bare.run", "[1, 0]\n[0, 1]\n");
    runs.write("names.run", "a\nb\n");
    CHECK_THAT(runs.fuse({"one.run", "two.run", "--method", "amanx", "--vectors", "bare.run"}).err,
               Contains("0 names for 2 vectors"));
    CHECK(runs.fuse({"one.run", "two.run", "--method", "amanx", "--vectors", "bare.run",
                     "--vector-ids", "names.run"})
              .code == 0);
    CHECK_THAT(runs.fuse({"one.run", "two.run", "--method", "amanx", "--vectors", "vectors.run",
                          "--vector-ids", "names.run"})
                   .err,
               Contains("has document names itself"));
}

TEST_CASE("braid fuse: standard input is a run, too") {
    const Runs runs;
    CHECK_THAT(printed(runs.fuse({"-", "one.run", "--quiet"}, "2 Q0 a 1 1 x\n")),
               Contains("2 Q0 a 1 0.03278688524590164 braid"));
}

TEST_CASE("braid fuse: runs that don't fit together") {
    const Runs runs;
    runs.write("other.run", "77 Q0 a 1 1 x\n");
    runs.write("nan.run", "1 Q0 a 1 nan x\n");
    runs.write("empty.run", "");
    const CommandResult other = runs.fuse({"one.run", "two.run", "other.run"});
    CHECK(other.code == 1);
    CHECK(other.out.empty());
    CHECK_THAT(other.err, Contains("none of its 1 queries is in another run; its first is '77'"));
    const CommandResult nan = runs.fuse({"one.run", "nan.run"});
    CHECK(nan.code == 1);
    CHECK_THAT(nan.err, Contains("nan.run:1: found 'nan' as the score"));
    const CommandResult empty = runs.fuse({"one.run", "two.run", "empty.run"});
    CHECK(empty.code == 0);
    CHECK_THAT(empty.err, Contains("empty.run"));
    CHECK(runs.fuse({"one.run", "two.run", "empty.run", "--strict"}).code == 1);
    const CommandResult nothing = runs.fuse({"empty.run", "-"});
    CHECK(nothing.code == 1);
    CHECK_THAT(nothing.err, Contains("none of the runs has a document"));
    CHECK(runs.fuse({"one.run", "missing.run"}).code == 1);
}

TEST_CASE("braid fuse: wrong use") {
    const Runs runs;
    const auto fuse_one = [&](std::vector<std::string> more) {
        more.insert(more.begin(), "one.run");
        return runs.fuse(more);
    };
    check_wrong_calls(fuse_one, {{"", "found one run, expected at least two"},
                                 {"one.run", "named twice"},
                                 {"two.run --method sum", "--method"},
                                 {"two.run --norm bound", "--norm"},
                                 {"two.run --norm min-max", "no effect"},
                                 {"two.run --set k", "NAME=VALUE"},
                                 {"two.run --set k=x", "expected a number"},
                                 {"two.run --set k=-1", "rrf"},
                                 {"two.run --set alpha=1", "alpha"},
                                 {"two.run --depth 0", "--depth"},
                                 {"two.run --count 0", "--count"}});
    CHECK_THAT(printed(run_braid({"fuse", "--help"})),
               Contains("braid fuse bm25.run lsa.run > fused.run") && Contains("amanx"));
}

TEST_CASE("braid fuse: what each run counts") {
    const Runs runs;
    CHECK_THAT(printed(runs.fuse({"one.run", "two.run", "--method", "combsum", "--weights", "1,4",
                                  "--quiet", "--name", "x"})),
               Contains("1 Q0 c 1 4 x\n1 Q0 a 2 1 x\n"));
    for (const char* weights : {"1,2,3", "1", "0,0", "1,-2", "1,x", "1,nan"}) {
        const CommandResult wrong = runs.fuse({"one.run", "two.run", "--weights", weights});
        INFO(weights);
        CHECK(wrong.code == 2);
        CHECK(wrong.out.empty());
        CHECK_FALSE(wrong.err.empty());
    }
    CHECK_THAT(runs.fuse({"one.run", "two.run", "--weights", "1,2,3"}).err,
               Contains("3 weights for 2 runs"));
}
