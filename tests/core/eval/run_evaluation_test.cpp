// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/evaluation.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// Four judged queries: found first, found second, nothing relevant, not in the run.
struct Example {
    Judgements judgements;
    Run run{"run"};

    Example() {
        judgements.add("first", "a", 1);
        judgements.add("first", "b", 0);
        judgements.add("second", "a", 2);
        judgements.add("nothing", "a", 0);
        judgements.add("missing", "a", 1);
        run.add(run.query("first"), "a", 2);
        run.add(run.query("first"), "x", 1);
        run.add(run.query("second"), "x", 2);
        run.add(run.query("second"), "a", 1);
        run.add(run.query("nothing"), "a", 1);
        run.add(run.query("unjudged"), "a", 1);
    }
};

}  // namespace

TEST_CASE("Evaluation: what missing and empty queries do to the mean") {
    const Example example;
    const JudgedPools pools(example.judgements);
    const JudgedRun judged(pools, example.run);
    const std::vector<std::string> names = {"mrr"};
    const Evaluation zero = braid::evaluate(judged, names);
    CHECK(zero.values[0] == std::vector<double>{1, 0.5, 0, 0});
    CHECK(zero.mean(0) == 1.5 / 4);
    CHECK(zero.judged_queries == 4);
    CHECK(zero.missing_queries == 1);
    CHECK(zero.empty_queries == 1);

    const Evaluation skip = braid::evaluate(judged, names, {.missing = MissingQueries::kSkip});
    CHECK(skip.queries == std::vector<std::size_t>{0, 1, 2});
    CHECK(skip.mean(0) == 0.5);

    const Evaluation full = braid::evaluate(judged, names, {.skip_empty = true});
    CHECK(full.queries == std::vector<std::size_t>{0, 1, 3});
    CHECK(full.mean(0) == 0.5);

    const Evaluation both =
        braid::evaluate(judged, names, {.missing = MissingQueries::kSkip, .skip_empty = true});
    CHECK(both.mean(0) == 0.75);

    // At grade 2 the first query has nothing relevant either.
    const Evaluation two =
        braid::evaluate(judged, names, {.measure = {.relevant_from = 2}, .skip_empty = true});
    CHECK(two.queries == std::vector<std::size_t>{1});
    CHECK(two.empty_queries == 3);
}

TEST_CASE("Evaluation: counts of retrieved, relevant and unjudged documents") {
    const Example example;
    const JudgedPools pools(example.judgements);
    const Evaluation evaluation = braid::evaluate(JudgedRun(pools, example.run), {"map"});
    CHECK(evaluation.counts[0].retrieved == 2);
    CHECK(evaluation.counts[0].relevant == 1);
    CHECK(evaluation.counts[0].relevant_retrieved == 1);
    CHECK(evaluation.counts[0].unjudged == 1);
    const braid::RetrievalCounts total = evaluation.total();
    CHECK(total.retrieved == 5);
    CHECK(total.relevant == 3);
    CHECK(total.relevant_retrieved == 2);
    CHECK(total.unjudged == 2);
}

TEST_CASE("Evaluation: no query at all has mean 0") {
    Judgements judgements;
    const JudgedPools pools(judgements);
    const Evaluation evaluation = braid::evaluate(JudgedRun(pools, Run()), {"map", "p@5"});
    CHECK(evaluation.mean(1) == 0);
    CHECK(evaluation.queries.empty());
}

TEST_CASE("Evaluation: the precision-recall curve of a ranking worked by hand") {
    Judgements judgements;
    for (const char* name : {"a", "b", "c", "d"}) judgements.add("q", name, 1);
    Run run;
    // Relevant at ranks 1, 4, 5 of 5; d is not found. Precisions 1, 1/2, 3/5.
    double score = 9;
    for (const char* name : {"a", "x", "y", "b", "c"}) run.add(run.query("q"), name, score--);
    const JudgedPools pools(judgements);
    const JudgedRun judged(pools, run);
    CHECK(braid::precision_recall_curve(judged, {}, 5) == std::vector<double>{1, 1, 0.6, 0.6, 0});
    // Recall 1/3 needs 2 of 4 documents, 2/3 needs 3.
    CHECK(braid::precision_recall_curve(judged, {}, 4) == std::vector<double>{1, 0.6, 0.6, 0});
    CHECK_THROWS_AS(braid::precision_recall_curve(judged, {}, 1), braid::InvalidArgument);
}

TEST_CASE("Comparison: pairs the queries that both runs were evaluated on") {
    const Example example;
    const JudgedPools pools(example.judgements);
    Run other("other");
    other.add(other.query("missing"), "a", 1);
    other.add(other.query("second"), "a", 1);
    other.add(other.query("first"), "a", 1);
    const std::vector<std::string> names = {"map", "mrr"};
    const braid::EvaluationOptions skip = {.missing = MissingQueries::kSkip};
    const Evaluation baseline = braid::evaluate(JudgedRun(pools, example.run), names, skip);
    const Evaluation run = braid::evaluate(JudgedRun(pools, other), names, skip);
    const Comparison comparison = braid::compare_runs(baseline, {&run, 1}, 1).front();
    CHECK(comparison.queries == std::vector<std::size_t>{0, 1});
    CHECK(comparison.differences == std::vector<double>{0, 0.5});
    CHECK(comparison.mean_difference == 0.25);
    CHECK(comparison.better == 1);
    CHECK(comparison.worse == 0);
    CHECK(comparison.p_adjusted == comparison.test.p);
    CHECK(comparison.test.p == Approx(0.5));  // t = 1 with one degree of freedom.
    CHECK_THROWS_AS(braid::compare_runs(baseline, {&run, 1}, 0, {.test = "z"}),
                    braid::UnknownComponent);
    const Evaluation swapped = braid::evaluate(JudgedRun(pools, other), {"mrr", "map"});
    CHECK_THROWS_AS(braid::compare_runs(baseline, {&swapped, 1}, 0), braid::InvalidArgument);
    // The same run: no difference anywhere.
    const Comparison same = braid::compare_runs(baseline, {&baseline, 1}, 0).front();
    CHECK(same.test.p == 1);
    CHECK(same.effect == 0);
}

TEST_CASE("Comparison: corrects over the runs compared on one measure") {
    Evaluation baseline;
    baseline.measures = {"map"};
    baseline.queries = {0, 1, 2, 3};
    baseline.values = {{0.1, 0.2, 0.3, 0.4}};
    std::vector<Evaluation> runs(3, baseline);
    runs[0].values = {{0.2, 0.3, 0.41, 0.5}};
    runs[1].values = {{0.3, 0.1, 0.5, 0.6}};
    runs[2].values = {{0.1 + 1e-14, 0.2, 0.3, 0.4}};
    const std::vector<Comparison> all = braid::compare_runs(baseline, runs, 0);
    CHECK_THAT(all[0].p_adjusted, WithinRel(3 * all[0].test.p, 1e-12));
    CHECK_THAT(all[1].p_adjusted, WithinRel(2 * all[1].test.p, 1e-12));
    CHECK(all[2].p_adjusted == 1);
    CHECK(all[2].better == 0);
    for (const braid::PairedTestInfo& test : braid::paired_tests()) {
        CHECK(braid::compare_runs(baseline, runs, 0, {.test = test.name})[0].test.count == 4);
    }
}

TEST_CASE("Evaluation: a run and judgements give what their pools give") {
    const Example example;
    const JudgedPools pools(example.judgements);
    const std::vector<std::string> names = {"map", "ndcg@10"};
    const Evaluation pooled = braid::evaluate(JudgedRun(pools, example.run), names);
    const Evaluation direct = braid::evaluate(example.run, example.judgements, names);
    CHECK(direct.run == "run");
    CHECK(direct.queries == pooled.queries);
    CHECK(direct.values == pooled.values);
}
