// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/click_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

struct Truth {
    double eta = 1;  ///< A position is looked at with 1 / position^eta.
    double relevant = 0.8;
    double irrelevant = 0.1;
    std::size_t rankings = 4;  ///< Each shows its own order of the same documents.
    std::size_t sessions = 200;
};

// Queries of 20 documents, the first four relevant: rankings put these near the top.
ClickCounts simulated(std::uint64_t seed, std::size_t queries, const Truth& truth) {
    Random random(seed);
    ClickCounts counts;
    for (std::size_t q = 0; q < queries; ++q) {
        std::vector<std::vector<std::size_t>> orders;
        for (std::size_t r = 0; r < truth.rankings; ++r) {
            std::vector<std::pair<double, std::size_t>> scored;
            for (std::size_t d = 0; d < 20; ++d) {
                scored.emplace_back(-random.normal() - (d < 4 ? 1 : 0), d);
            }
            std::sort(scored.begin(), scored.end());
            orders.emplace_back();
            for (const auto& [score, d] : scored) orders.back().push_back(d);
        }
        for (std::size_t s = 0; s < truth.sessions; ++s) {
            const std::vector<std::size_t>& order = orders[random.below(orders.size())];
            for (std::size_t k = 1; k <= 10; ++k) {
                const std::size_t d = order[k - 1];
                const bool looks = random.uniform() < std::pow(static_cast<double>(k), -truth.eta);
                const double appeal = d < 4 ? truth.relevant : truth.irrelevant;
                const bool clicks = looks && random.uniform() < appeal;
                counts.add("q" + std::to_string(q), "d" + std::to_string(d), k, 1, clicks ? 1 : 0);
            }
        }
    }
    return counts;
}

bool is_relevant(const ClickCounts& counts, std::size_t pair) {
    return std::stoi(counts.document(pair).substr(1)) < 4;
}

double share_right(const ClickCounts& counts, const ClickModel& model) {
    double right = 0;
    for (std::size_t i = 0; i < counts.pairs(); ++i) {
        right += (model.relevance[i] > 0.5) == is_relevant(counts, i) ? 1 : 0;
    }
    return right / static_cast<double>(counts.pairs());
}

}  // namespace

TEST_CASE("Click model: finds the looks and clicks that made a log", "[property]") {
    for (const double eta : {0.5, 1.0, 1.5}) {
        INFO(eta);
        const ClickCounts counts = simulated(seed(), 60, {.eta = eta});
        const ClickModel model = counts.fit();
        CHECK(model.looks.at(1) == 1);
        for (const std::size_t k : {2, 3, 5, 8, 10}) {
            CHECK_THAT(model.looks.at(k), WithinAbs(std::pow(static_cast<double>(k), -eta), .05));
        }
        CHECK_THAT(model.clicks_relevant, WithinAbs(.8, .04));
        CHECK_THAT(model.clicks_irrelevant, WithinAbs(.1, .02));
        CHECK(share_right(counts, model) > .93);
        CHECK(counts.moved() > .7);
    }
}

TEST_CASE("Click model: rates of clicks alone are misled where it is not", "[property]") {
    const Truth truth{.eta = 1.5, .irrelevant = .3, .sessions = 100};
    const ClickCounts counts = simulated(seed() + 1, 1500, truth);
    ClickCounts without;  // The same, and nobody knows where.
    for (std::size_t i = 0; i < counts.pairs(); ++i) {
        without.add(counts.query(i), counts.document(i), 0, counts.shown(i), counts.clicks(i));
    }
    const ClickModel naive = without.fit();
    CHECK(naive.looks == std::map<std::size_t, double>{{0, 1}});
    CHECK(share_right(counts, counts.fit()) > share_right(counts, naive) + .03);
}

TEST_CASE("Click model: one look at a small log, worked by hand") {
    ClickCounts counts;
    counts.add("q", "a", 1, 4, 2);
    counts.add("q", "a", 1, 6, 4);
    counts.add("q", "b", 1, 10, 0);
    REQUIRE(counts.pairs() == 2);
    CHECK(counts.shown(0) == 10);
    CHECK(counts.clicks(0) == 6);
    CHECK(counts.moved() == 0);
    const ClickModel model = counts.fit();
    CHECK(model.looks.at(1) == 1);
    CHECK(model.relevance[0] > .999);
    CHECK(model.relevance[1] < .001);
    CHECK_THAT(model.clicks_relevant, WithinAbs(16.0 / 30, 1e-3));
    CHECK_THAT(model.clicks_irrelevant, WithinAbs(1.0 / 30, 1e-3));
    const Judgements judgements = counts.judge(model, 1);
    CHECK(judgements.find("q")->grade("a") == 1);
    CHECK(judgements.find("q")->grade("b") == 0);
    CHECK(!counts.judge(model, 11).find("q")->grade("b"));
}

TEST_CASE("Click model: a click at a place that few look at says more") {
    ClickCounts counts = simulated(seed() + 2, 30, {});
    counts.add("new", "top", 1, 6, 2);
    counts.add("new", "deep", 10, 6, 2);
    const ClickModel model = counts.fit();
    const std::size_t top = counts.pairs() - 2;
    CHECK(model.relevance[top + 1] > model.relevance[top] + .1);
}

TEST_CASE("Click model: impossible counts don't break it") {
    ClickCounts counts;
    counts.add("q", "never shown", 3, 0, 5);
    counts.add("q", "too often", 1, 1, 7);
    counts.add("q", "fine", 2, 5, 1);
    counts.add("q", "nothing", 4, 0, 0);
    CHECK(counts.unshown() == 2);
    CHECK(counts.shown(0) == 5);
    const ClickModel model = counts.fit();
    for (const double relevance : model.relevance) CHECK((relevance >= 0 && relevance <= 1));
    for (const auto& [position, look] : model.looks) CHECK((look > 0 && look <= 1));
    CHECK(ClickCounts().fit().relevance.empty());
    CHECK(ClickCounts().moved() == 0);
    // All clicked, none clicked: no number leaves its range.
    for (const double clicks : {0.0, 1e12}) {
        ClickCounts same;
        for (int d = 0; d < 5; ++d) same.add("q", std::to_string(d), 1 + d, 1e12, clicks);
        for (const double relevance : same.fit().relevance) CHECK(std::isfinite(relevance));
    }
}
