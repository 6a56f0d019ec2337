// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

namespace {

// Three judged queries, two runs: "one" lacks query 3 and has a query 9 that nobody judged.
class Example {
  public:
    Example() {
        write_file(folder_ / "qrels", "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n3 0 a 1\n");
        write_file(folder_ / "one.run",
                   "1 Q0 a 1 3 first\n1 Q0 b 2 2 first\n1 Q0 c 3 1 first\n"
                   "2 Q0 x 1 2 first\n2 Q0 a 2 1 first\n9 Q0 a 1 1 first\n");
        write_file(folder_ / "two.run",
                   "1 Q0 c 1 3 second\n1 Q0 a 2 2 second\n2 Q0 a 1 1 second\n3 Q0 a 1 1 second\n");
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        write_file(folder_ / name, text);
    }

    // braid eval --qrels qrels, with file names of the example made into paths.
    CommandResult eval(std::vector<std::string> arguments) const {
        std::vector<std::string> all = {"eval", "--qrels", path("qrels")};
        for (std::string& argument : arguments) {
            const bool is_file = argument.ends_with(".run") || argument.ends_with(".html");
            all.push_back(is_file ? path(argument) : argument);
        }
        return run_braid(all);
    }

  private:
    TemporaryFolder folder_;
};

}  // namespace

// Twelve queries of sixty documents each, of which one is judged: the first of the list, or for
// queries that are counted otherwise another.
TEST_CASE("braid eval: warns where the documents that come first are judged no more than others") {
    const Example example;
    for (const int shift : {0, 1}) {
        std::string run;
        std::string qrels;
        for (int query = 0; query < 12; ++query) {
            const std::string id = std::to_string(query);
            for (int rank = 0; rank < 60; ++rank) {
                run += id + " Q0 d" + std::to_string((5 * query + rank) % 60) + " 1 " +
                       std::to_string(-rank) + " t\n";
            }
            qrels += id + " 0 d" + std::to_string(5 * ((query + 4 * shift) % 12)) + " 1\n";
        }
        example.write("shifted.run", run);
        example.write("qrels", qrels);
        const CommandResult result = example.eval({"shifted.run", "--quiet"});
        CHECK(result.code == 0);
        INFO(result.err);
        CHECK(result.err.empty() == (shift == 0));
        if (shift == 0) continue;
        CHECK_THAT(result.err, Contains("judged hardly more often than others") &&
                                   Contains("--query-ids") && Contains("queries '0', '1'") &&
                                   Contains("documents 'd0', 'd1' and there 'd20', 'd25'"));
    }
}

TEST_CASE("braid eval: warns of no run that has what is judged among the first") {
    const Example example;
    for (const int length : {10, 15, 50, 100}) {
        std::string run;
        std::string qrels;
        for (int query = 0; query < 20; ++query) {
            const std::string id = std::to_string(query);
            for (int rank = 0; rank < length; ++rank) {
                run += id + " Q0 d" + std::to_string(query + rank) + " 1 " + std::to_string(-rank) +
                       " t\n";
            }
            // One in three has its document first, the others have it nowhere.
            qrels += id + " 0 d" + std::to_string(query % 3 == 0 ? query : 1000) + " 1\n";
        }
        example.write("first.run", run);
        example.write("qrels", qrels);
        CHECK(example.eval({"first.run", "--quiet"}).err.empty());
    }
}

TEST_CASE("braid eval: prints every line that trec_eval printed", "[golden]") {
    for (const auto& [name, suffix] : std::vector<std::pair<std::string, std::string>>{
             {"med", ".run"}, {"cran", ".run.gz"}, {"mq2008-fold1-test-f40", ".run"}}) {
        const std::string base = "golden/trec_eval/" + name;
        const auto golden = braid::test::shared_file(base + ".trec_eval");
        const auto qrels = braid::test::shared_file(base + ".qrels");
        const auto run = braid::test::shared_file(base + suffix);
        BRAID_SKIP_WITHOUT(golden && qrels && run);
        const std::string measures =
            "map,Rprec,bpref,recip_rank,P_1,P_5,P_10,recall_5,recall_100,ndcg,ndcg_cut_5,"
            "ndcg_cut_10,success_1";
        const CommandResult result =
            run_braid({"eval", "--qrels", qrels->string(), run->string(), "--format", "trec",
                       "--per-query", "--measures", measures});
        REQUIRE(result.code == 0);
        const std::vector<std::string> lines = lines_of(result.out);
        const std::set<std::string> printed(lines.begin(), lines.end());
        std::size_t missing = 0;
        for (const std::string& line : lines_of(braid::test::read_file(*golden))) {
            if (printed.count(line) == 0 && missing++ < 5) FAIL_CHECK(name << ": " << line);
        }
        CHECK(missing == 0);
    }
}

TEST_CASE("braid eval: one run as a table") {
    const Example example;
    const CommandResult result = example.eval({"one.run", "--measures", "map,p@1,mrr"});
    CHECK(result.code == 0);
    // Query 1: (1 + 2/3) / 2, query 2: 1/2, query 3: 0.
    CHECK(result.out ==
          "3 queries judged: 5 documents, 4 of them relevant (grade 1 and above)\n"
          "\n"
          "run     map     p@1     mrr  judged@10  queries  in run  missing  evaluated\n"
          "one  0.4444  0.3333  0.5000     0.5000        3       2        1          3\n");
    CHECK_THAT(result.err, Contains("1 of 3 judged queries are missing and count 0") &&
                               Contains("1 of its 3 queries have no judgements"));
    CHECK(example.eval({"one.run", "--quiet"}).err.empty());
}

TEST_CASE("braid eval: two runs side by side, with a test of their difference") {
    const Example example;
    const std::string table = printed(
        example.eval({"one.run", "two.run", "--measures", "mrr", "--test", "randomisation"}));
    // Differences 0, 1/2, 1: of the four assignments of signs to 1/2 and 1 two reach the sum.
    CHECK(table ==
          "3 queries judged: 5 documents, 4 of them relevant (grade 1 and above)\n"
          "\n"
          "run                mrr    judged@10  queries  in run  missing  evaluated\n"
          "one (baseline)  0.5000       0.5000        3       2        1          3\n"
          "two             1.0000       1.0000        3       3        0          3\n"
          "\n"
          "Difference from one: Fisher randomisation test, one comparison, so nothing to correct\n"
          "\n"
          "measure  run  difference       95 % interval  effect  better  worse  queries       p  "
          "corrected\n"
          "mrr      two     +0.5000  -0.7421 .. +1.7421   +1.00       2      0        3  0.5000  "
          "   0.5000\n"
          "\n"
          "*  corrected p < 0.05   **  corrected p < 0.01\n");
}

TEST_CASE("braid eval: stars go by the corrected p value") {
    const Example example;
    std::string qrels;
    std::string base;
    std::string some;
    std::string more;
    for (int i = 1; i <= 8; ++i) {
        const std::string query = std::to_string(i);
        qrels += query + " 0 a 1\n";
        base += query + " Q0 a 1 1 t\n" + query + " Q0 b 1 2 t\n";
        // One wins 6 of 8 queries (p .03), the other all 8 (p .008).
        some += query + (i <= 6 ? " Q0 a 1 1 t\n" : " Q0 a 1 1 t\n" + query + " Q0 b 1 2 t\n");
        more += query + " Q0 a 1 1 t\n";
    }
    example.write("qrels", qrels);
    for (const auto& [name, text] : {std::pair("base", base), {"some", some}, {"more", more}}) {
        example.write(std::string(name) + ".run", text);
    }
    const auto stars = [&example](const std::vector<std::string>& runs, const std::string& row) {
        std::vector<std::string> arguments = runs;
        arguments.insert(arguments.end(), {"--measures", "mrr", "--test", "randomisation"});
        const std::string table = printed(example.eval(arguments));
        const std::size_t at = table.find("\n" + row);
        REQUIRE(at != std::string::npos);
        const std::string line = table.substr(at + 1, table.find('\n', at + 1) - at - 1);
        return std::count(line.begin(), line.end(), '*');
    };
    CHECK(stars({"base.run", "some.run"}, "some") == 1);
    CHECK(stars({"base.run", "more.run"}, "more") == 2);
    // Two runs: .0078 becomes .0156, and .0313 stays.
    CHECK(stars({"base.run", "some.run", "more.run"}, "more") == 1);
    CHECK(stars({"base.run", "some.run", "more.run"}, "some") == 1);
    example.write("some2.run", some);
    CHECK(stars({"base.run", "some.run", "some2.run"}, "some ") == 0);
}

TEST_CASE("braid eval: values by query, in the order of their numbers") {
    const Example example;
    example.write("qrels", "10 0 a 1\n9 0 a 1\nq10 0 a 1\nq9 0 a 1\n");
    example.write("n.run", "9 Q0 a 1 1 t\n10 Q0 x 1 2 t\n10 Q0 a 1 1 t\nq10 Q0 a 1 1 t\n");
    const std::string table = printed(
        example.eval({"n.run", "--measures", "mrr,judged@1", "--per-query", "--missing", "skip"}));
    CHECK_THAT(table, Contains("mrr by query\n\n"
                               "query       n\n"
                               "9      1.0000\n"
                               "10     0.5000\n"
                               "q10    1.0000\n"));
}

TEST_CASE("braid eval: --missing, --skip-empty and --rel change what is averaged") {
    const Example example;
    const auto value = [&example](std::vector<std::string> options) {
        options.insert(options.begin(), {"one.run", "--json", "--measures", "mrr", "--quiet"});
        const Json json = Json::parse(printed(example.eval(options)));
        return json.at("runs").at(0).at("mean").at("mrr").get<double>();
    };
    CHECK(value({}) == 0.5);
    CHECK(value({"--missing", "zero"}) == 0.5);
    CHECK(value({"--missing", "skip"}) == 0.75);
    // At grade 2 only query 1 has a relevant document, c at rank 3.
    CHECK(value({"--rel", "2"}) == Approx(1.0 / 9));
    CHECK(value({"--rel", "2", "--skip-empty"}) == Approx(1.0 / 3));
    CHECK(value({"--grades", "0=1,1=0,2=0"}) == Approx(1.0 / 6));
}

TEST_CASE("braid eval: trec_eval's form, with and without missing queries") {
    const Example example;
    const auto lines = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = {"--format", "trec"};
        all.insert(all.end(), more.begin(), more.end());
        return printed(example.eval(all));
    };
    CHECK(lines({"one.run", "--measures", "map,P_5", "--per-query"}) ==
          "num_ret               \t1\t3\nnum_rel               \t1\t2\n"
          "num_rel_ret           \t1\t2\n"
          "map                   \t1\t0.8333\nP_5                   \t1\t0.4000\n"
          "num_ret               \t2\t2\nnum_rel               \t2\t1\n"
          "num_rel_ret           \t2\t1\n"
          "map                   \t2\t0.5000\nP_5                   \t2\t0.2000\n"
          "runid                 \tall\tfirst\n"
          "num_q                 \tall\t3\nnum_ret               \tall\t5\n"
          "num_rel               \tall\t4\nnum_rel_ret           \tall\t3\n"
          "map                   \tall\t0.4444\nP_5                   \tall\t0.2000\n");
    CHECK(lines({"one.run", "--measures", "map", "--missing", "skip"}) ==
          "runid                 \tall\tfirst\n"
          "num_q                 \tall\t2\nnum_ret               \tall\t5\n"
          "num_rel               \tall\t3\nnum_rel_ret           \tall\t3\n"
          "map                   \tall\t0.6667\n");
    // Without a choice of measures: the lines people grep for.
    const std::string usual = lines({"two.run", "one.run"});
    for (const char* line : {"map  ", "Rprec  ", "bpref  ", "recip_rank  ", "P_1000  "}) {
        CHECK_THAT(usual, Contains(std::string("\n") + line));
    }
    CHECK_THAT(usual, StartsWith("runid                 \tall\tsecond\n") &&
                          Contains("\nrunid                 \tall\tfirst\n"));
}

TEST_CASE("braid eval: --json has every number of the tables") {
    const Example example;
    const Json json = Json::parse(printed(example.eval(
        {"two.run", "--baseline", "one.run", "--json", "--per-query", "--measures", "map,mrr@5"})));
    CHECK(json.at("judgements").at("queries") == 3);
    CHECK(json.at("judgements").at("relevant") == 4);
    CHECK(json.at("measures") == Json({"map", "mrr@5", "judged@5"}));
    CHECK(json.at("comparison").at("baseline") == "one");
    const Json& one = json.at("runs").at(0);
    const Json& two = json.at("runs").at(1);
    CHECK(one.at("name") == "one");
    CHECK(one.at("tag") == "first");
    CHECK(one.count("difference") == 0);
    CHECK(one.at("queries").at("missing") == 1);
    CHECK(one.at("queries").at("unjudged") == 1);
    CHECK(one.at("documents").at("relevant_retrieved") == 3);
    CHECK(one.at("per_query").at("2").at("mrr@5") == 0.5);
    CHECK(one.at("per_query").at("3").at("in_run") == false);
    CHECK(two.at("mean").at("mrr@5") == 1);
    const Json& difference = two.at("difference").at("mrr@5");
    CHECK(difference.at("mean") == 0.5);
    CHECK(difference.at("better") == 2);
    CHECK(difference.at("test") == "t");
    // t = .5 / (.5 / sqrt 3) with two degrees of freedom.
    CHECK(difference.at("p").get<double>() == Approx(1 - std::sqrt(3.0 / 5)));
    CHECK(two.at("difference").count("judged@5") == 0);
}

TEST_CASE("braid eval: duplicates, near ties and high grades are warned of or chosen") {
    const Example example;
    example.write("twice.run", "1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n");
    const CommandResult twice = example.eval({"twice.run", "--measures", "mrr", "--json"});
    CHECK(twice.code == 0);
    CHECK_THAT(twice.err, Contains("warning") && Contains("twice.run") && Contains("twice"));
    CHECK(Json::parse(twice.out)["runs"][0]["mean"]["mrr"] == Approx(1.0 / 3));
    CHECK(example.eval({"twice.run", "--strict"}).code == 1);

    example.write("near.run", "1 Q0 a 1 1.00000002 t\n1 Q0 x 2 1.00000001 t\n");
    CHECK(Json::parse(example.eval({"near.run", "--json"}).out)["runs"][0]["mean"]["mrr"] ==
          Approx(1.0 / 3));
    CHECK(Json::parse(example.eval({"near.run", "--json", "--float-scores"})
                          .out)["runs"][0]["mean"]["mrr"] == Approx(1.0 / 6));

    const CommandResult high =
        example.eval({"one.run", "--measures", "err", "--highest-grade", "1", "--quiet"});
    CHECK(high.code == 0);
    CHECK_THAT(high.err, Contains("grade 2 of query 1") && Contains("--highest-grade"));
    CHECK(example.eval({"one.run", "--measures", "err", "--quiet"}).err.empty());
}

TEST_CASE("braid eval: a wrong call is exit code 2 and says what is right") {
    const Example example;
    check_wrong_calls([&](const auto& words) { return example.eval(words); },
                      {{"", "RUN or --interleaved is required"},
                       {"one.run --measures ndgc", "ndcg"},
                       {"one.run --measures map,p", "p@10"},
                       {"one.run --measures p@0", "from 1"},
                       {"one.run --missing maybe", "zero"},
                       {"one.run --rel 0", "--rel"},
                       {"one.run --test z", "wilcoxon"},
                       {"one.run --test t", "--test needs a second run"},
                       {"one.run --baseline one.run", "--baseline needs a second run"},
                       {"one.run two.run --seed 1", "--seed is for --test randomisation"},
                       {"one.run two.run --test t --format trec", "no effect"},
                       {"one.run one.run", "named twice"},
                       {"one.run --json --format trec", "--json"},
                       {"one.run --grades 1=x", "1=x"}});
    CHECK(run_braid({"eval", example.path("one.run")}).code == 2);
    CHECK(run_braid({"eval", "--help"}).code == 0);
}

TEST_CASE("braid eval: work that fails is exit code 1 and says where") {
    const Example example;
    const CommandResult absent = example.eval({"absent.run"});
    CHECK(absent.code == 1);
    CHECK_THAT(absent.err, Contains("absent.run"));
    example.write("other.run", "q1 Q0 a 1 1 t\n");
    const CommandResult other = example.eval({"other.run"});
    CHECK(other.code == 1);
    CHECK_THAT(other.err,
               Contains("none of its 1 queries is judged") && Contains("'q1'") && Contains("'1'"));
    example.write("names.run", "1 Q0 doc-a 1 1 t\n");
    const CommandResult names = example.eval({"names.run", "--quiet"});
    CHECK(names.code == 0);
    CHECK_THAT(names.err, Contains("none of the documents found is judged") && Contains("'doc-a'"));
    const CommandResult unwritable =
        example.eval({"one.run", "--html", example.path("no/such/folder/x") + ".htm"});
    CHECK(unwritable.code == 1);
    CHECK_THAT(unwritable.err, Contains("can't write") && Contains("No such file"));
}

TEST_CASE("braid eval: reads runs from standard input") {
    const Example example;
    const CommandResult result =
        run_braid({"eval", "--qrels", example.path("qrels"), "-", "--measures", "mrr", "--quiet"},
                  "1 Q0 a 1 1 t\n");
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("\n-    0.3333"));
}
