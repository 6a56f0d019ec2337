// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <set>

#include "braid/core/eval/measure.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// The worked example of docs/algorithms/measures.md: six judged documents, of which a ranking of
// five documents holds four.
const std::vector<Grade> kRanking = {1, kUnjudged, 2, 0, 1};
const JudgedPool kPool = JudgedPool::of({2, 0, 1, 1, 0, 2});

double value(const std::string& name, const std::vector<Grade>& ranking = kRanking,
             const JudgedPool& pool = kPool, const MeasureOptions& options = {}) {
    return make_measure(name, options)->evaluate({ranking, pool});
}

}  // namespace

TEST_CASE("Measures: the worked example of the documentation") {
    const std::vector<std::pair<std::string, double>> expected = {
        {"map", 1.7 / 3},
        {"map@3", 1.25 / 3},
        {"p@3", 2.0 / 3},
        {"p@10", 0.3},
        {"rprec", 0.5},
        {"recall@3", 0.5},
        {"recall", 0.75},
        {"recall-min@3", 2.0 / 3},
        {"recall-min@10", 0.75},
        {"mrr", 1},
        {"success@1", 1},
        {"wta", 0},
        {"ndcg", 0.56931002383909},
        {"ndcg@3", 0.531651965258792},
        {"ndcg-whole@3", 0.4770382338730848},
        {"ndcg-exp@3", 0.463581994240366},
        {"ndcg-letor@3", 0.436256960670757},
        {"ndcg-letor@6", 0},
        {"ndcg-letor", 0.36159766377955},
        {"err@3", 0.12109375},
        {"err", 0.130615234375},
        {"bpref", 0.625},
        {"judged@3", 2.0 / 3},
        {"judged", 0.8},
    };
    std::set<std::string> covered;
    for (const auto& [name, wanted] : expected) {
        INFO(name);
        CHECK_THAT(value(name), Catch::WithinAbs(wanted, 1e-14));
        covered.insert(name.substr(0, name.find('@')));
    }
    for (const braid::MeasureInfo& info : braid::measures()) CHECK(covered.count(info.name) == 1);
}

TEST_CASE("Measures: relevant_from moves what is relevant, not the gains") {
    const MeasureOptions two{.relevant_from = 2};
    CHECK_THAT(value("map", kRanking, kPool, two), WithinRel(1.0 / 3 / 2, 1e-12));
    CHECK_THAT(value("mrr", kRanking, kPool, two), WithinRel(1.0 / 3, 1e-12));
    CHECK(value("success@2", kRanking, kPool, two) == 0);
    CHECK(value("ndcg", kRanking, kPool, two) == value("ndcg"));
    CHECK(value("err", kRanking, kPool, two) == value("err"));
    // Judged, not relevant at 2: b, c, d, e. Relevant: a, f; a has c above it.
    CHECK_THAT(value("bpref", kRanking, kPool, two), WithinRel(0.25, 1e-12));
}

TEST_CASE("Measures: an empty ranking and a query without relevant documents give 0") {
    const std::vector<Grade> empty;
    const JudgedPool nothing = JudgedPool::of({0, 0, -1});
    const std::vector<Grade> ranking = {0, kUnjudged, -1};
    for (const braid::MeasureInfo& info : braid::measures()) {
        const bool cut = info.cutoff == braid::MeasureInfo::Cutoff::kRequired;
        const std::string name = info.name + (cut ? "@2" : "");
        INFO(name);
        CHECK(value(name, empty) == 0);
        if (info.name != "judged") {
            CHECK(value(name, ranking, nothing) == 0);
            CHECK(make_measure(name)->scale(nothing) == 0);
        }
    }
    CHECK_THAT(value("judged", ranking, nothing), WithinRel(2.0 / 3, 1e-12));
}

TEST_CASE("Measures: a negative grade is not relevant, gains nothing and is judged") {
    const JudgedPool pool = JudgedPool::of({1, -2, 0});
    const std::vector<Grade> spam_first = {-2, 1};
    CHECK(value("ndcg", spam_first, pool) == value("ndcg", {kUnjudged, 1}, pool));
    CHECK(value("err", spam_first, pool) == value("err", {kUnjudged, 1}, pool));
    CHECK(value("judged", spam_first, pool) == 1);
    // trec_eval: in the pool but not judged, so not above anything.
    CHECK(value("bpref", spam_first, pool) == 1);
    CHECK(value("bpref", {0, 1}, pool) == 0);
}

TEST_CASE("Measures: the best ranking gets exactly 1 where a measure can reach 1") {
    const std::vector<Grade> best = {3, 3, 2, 1, 1, 1, 0, 0};
    const JudgedPool pool = JudgedPool::of(best);
    for (const char* name : {"map", "rprec", "recall", "recall@6", "recall-min@3", "mrr", "wta",
                             "success@1", "ndcg", "ndcg@5", "ndcg-exp", "ndcg-exp@20",
                             "ndcg-letor@7", "ndcg-letor", "bpref", "p@6", "judged"}) {
        INFO(name);
        CHECK(value(name, best, pool) == 1);
    }
    CHECK(value("recall@3", best, pool) == 0.5);
}

TEST_CASE("Measures: err counts a grade above the highest as the highest") {
    const JudgedPool pool = JudgedPool::of({9, 4});
    CHECK(value("err", {9}, pool) == value("err", {4}, pool));
    CHECK(value("err", {9}, pool) == 15.0 / 16);
    CHECK(value("err", {2}, JudgedPool::of({2}), {.highest_grade = 2}) == 0.75);
    // Gains of a grade beyond all scales stay finite, and far above those of small ones.
    CHECK_THAT(value("ndcg-exp", {1, 1000000}, JudgedPool::of({1, 1000000})),
               WithinRel(1 / std::log2(3.0), 1e-12));
}

TEST_CASE("Measures: depth says how many ranks matter") {
    for (const braid::MeasureInfo& info : braid::measures()) {
        if (info.cutoff == braid::MeasureInfo::Cutoff::kNone) continue;
        const auto measure = make_measure(info.name + "@2");
        INFO(measure->name());
        CHECK(measure->depth() == 2);
        const std::vector<Grade> other_tail = {1, kUnjudged, 0, 2, kUnjudged};
        CHECK(measure->evaluate({kRanking, kPool}) == measure->evaluate({other_tail, kPool}));
    }
    CHECK(make_measure("wta")->depth() == 1);
    CHECK(make_measure("map")->depth() == braid::Measure::kWholeRanking);
    CHECK(make_measure("ndcg")->depth() == braid::Measure::kWholeRanking);
}

TEST_CASE("Measures: names that are taken, and the name that comes back") {
    const std::vector<std::pair<std::string, std::string>> names = {
        {"map", "map"},
        {"MAP", "map"},
        {"ap", "map"},
        {"map_cut_10", "map@10"},
        {"P_5", "p@5"},
        {"P@5", "p@5"},
        {"precision@5", "p@5"},
        {"Rprec", "rprec"},
        {"recip_rank", "mrr"},
        {"RR@10", "mrr@10"},
        {"ndcg_cut_10", "ndcg@10"},
        {"nDCG@20", "ndcg@20"},
        {"recall_100", "recall@100"},
        {"set_recall", "recall"},
        {"success_1", "success@1"},
        {"recall-cap@5", "recall-min@5"},
        {"ndcg-exp@10", "ndcg-exp@10"},
        {"ndcg_exp_10", "ndcg-exp@10"},
        {"Judged@10", "judged@10"},
    };
    for (const auto& [given, wanted] : names) {
        INFO(given);
        CHECK(make_measure(given)->name() == wanted);
    }
    CHECK(braid::trec_eval_name("ndcg@10") == "ndcg_cut_10");
    CHECK(braid::trec_eval_name("p@5") == "P_5");
    CHECK(braid::trec_eval_name("mrr") == "recip_rank");
    CHECK(braid::trec_eval_name("rprec") == "Rprec");
    CHECK(braid::trec_eval_name("recall-min@5") == "recall_min_5");
    // What trec_eval_name gives is taken again.
    for (const braid::MeasureInfo& info : braid::measures()) {
        const bool none = info.cutoff == braid::MeasureInfo::Cutoff::kNone;
        const std::string name = info.name + (none ? "" : "@7");
        CHECK(make_measure(braid::trec_eval_name(name))->name() == name);
    }
}

TEST_CASE("Measures: wrong names and cut-offs say what was expected") {
    CHECK_THROWS_AS(make_measure("ndgc@10"), braid::UnknownComponent);
    CHECK_THROWS_WITH(make_measure("ndgc@10"), Contains("ndgc") && Contains("ndcg"));
    CHECK_THROWS_AS(make_measure(""), braid::UnknownComponent);
    CHECK_THROWS_WITH(make_measure("p"), Contains("p@10"));
    CHECK_THROWS_WITH(make_measure("bpref@10"), Contains("bpref alone"));
    for (const char* wrong : {"p@", "p@0", "p@-1", "p@1.5", "p@x", "p@ 5", "p@5 ", "p@10000000000",
                              "p@99999999999999999999999"}) {
        INFO(wrong);
        CHECK_THROWS_AS(make_measure(wrong), braid::InvalidArgument);
    }
    CHECK_THROWS_AS(make_measure("map", {.relevant_from = 0}), braid::InvalidArgument);
    CHECK_THROWS_AS(make_measure("err", {.highest_grade = 31}), braid::InvalidArgument);
}

TEST_CASE("Measures: the documentation has every measure and its names") {
    const std::string page =
        braid::test::read_file(braid::test::source_dir() / "docs/algorithms/measures.md");
    for (const braid::MeasureInfo& info : braid::measures()) {
        INFO(info.name);
        CHECK_THAT(page, Contains("`" + info.name));
        for (const std::string& other : info.also) CHECK_THAT(page, Contains(other));
    }
}
