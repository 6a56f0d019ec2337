// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/line_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/learn/solvers/line_search.h"
#include "braid/core/learn/training_measure.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::LineBucket;
using braid::LineCuts;
using braid::LineStep;
using braid::TrainingMeasure;
using braid::TrainingSet;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Part {
    double begin;
    double end;
};

const std::vector<Part>& parts() {
    static const std::vector<Part> all = {
        {-kInfinity, kInfinity}, {-0.3, kInfinity}, {-kInfinity, 0.2}, {-0.4, 0.7}, {-0.02, 0.03}};
    return all;
}

// Scores of one query at t = 0 and their slopes. Where they tie, they do so exactly.
struct Scores {
    std::vector<double> bases;
    std::vector<double> slopes;
};

Scores scores_of(const TrainingSet& set, std::size_t query) {
    Scores scores;
    for (std::size_t i = set.query_begin[query]; i < set.query_begin[query + 1]; ++i) {
        scores.bases.push_back(0.5 * set.row(i)[0] + 0.5 * set.row(i)[1]);
        scores.slopes.push_back(-set.row(i)[2]);
    }
    return scores;
}

struct Swept {
    double start = 0;
    std::vector<LineStep> steps;  // Without those that change nothing.
};

template <typename Sweep>
Swept swept(Sweep& sweep, std::size_t query, const Scores& scores, const Part& part) {
    sweep.load(query, scores.bases, scores.slopes, part.begin, part.end);
    Swept result;
    std::vector<LineStep> steps;
    result.start = sweep.sweep(steps);
    for (const LineStep& step : steps) {
        if (std::abs(step.change) > 1e-12) result.steps.push_back(step);
    }
    return result;
}

TrainingSet random_set(std::uint64_t seed, bool ties) {
    return braid::test::random_training(seed, {.queries = 6,
                                               .documents = 30,
                                               .rankers = 3,
                                               .relevant = 5,
                                               .highest_grade = 2,
                                               .with_ties = ties,
                                               .signal = 0.2});
}

}  // namespace

TEST_CASE("line cuts: a place's bucket is the one that comparing finds", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 50; ++round) {
        const Part part = parts()[round % parts().size()];
        std::vector<double> cuts;
        for (int i = 0; i < 40; ++i) {
            const double cut = 0.3 * random.normal() * std::exp(random.normal());
            if (cut > part.begin && cut < part.end) cuts.push_back(cut);
        }
        if (round % 7 == 0) cuts.resize(std::min<std::size_t>(cuts.size(), 1));
        std::sort(cuts.begin(), cuts.end());
        const LineCuts all(part.begin, part.end, cuts);
        REQUIRE(all.buckets() <= cuts.size() + 1);
        REQUIRE(all.begin(0) == part.begin);
        REQUIRE(all.end(all.buckets() - 1) == part.end);
        std::vector<double> places = {-kInfinity, kInfinity, -1e300, 1e300, 0.0, -0.0};
        for (std::size_t b = 0; b < all.buckets(); ++b) {
            const double cut = all.begin(b);
            places.insert(places.end(), {cut, std::nextafter(cut, 9), std::nextafter(cut, -9)});
        }
        for (int i = 0; i < 300; ++i) places.push_back(random.normal());
        for (const double at : places) {
            std::size_t expected = at > part.begin ? 1 : 0;
            for (std::size_t b = 1; b < all.buckets(); ++b) expected += at > all.begin(b) ? 1 : 0;
            expected += at > part.end || at == kInfinity ? 1 : 0;
            REQUIRE(all.place(at) == expected);
        }
    }
}

TEST_CASE("precision sweep: its steps are those of the sweep for any measure", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 20; ++round) {
        const TrainingSet set = random_set(random.bits(), round % 2 == 0);
        const TrainingMeasure measure(set, "map");
        braid::LineSweep any(measure);
        braid::PrecisionSweep own(measure);
        for (const std::size_t q : measure.queries()) {
            const Scores scores = scores_of(set, q);
            for (const Part& part : parts()) {
                const Swept expected = swept(any, q, scores, part);
                const Swept got = swept(own, q, scores, part);
                CHECK(got.start == Approx(expected.start).epsilon(1e-12));
                REQUIRE(got.steps.size() == expected.steps.size());
                for (std::size_t i = 0; i < got.steps.size(); ++i) {
                    REQUIRE(got.steps[i].at == expected.steps[i].at);
                    REQUIRE(std::abs(got.steps[i].change - expected.steps[i].change) < 1e-12);
                }
            }
        }
    }
}

TEMPLATE_TEST_CASE("line sweep: no place in a bucket is above its bound", "[property]",
                   braid::LineSweep, braid::PrecisionSweep) {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 20; ++round) {
        const TrainingSet set = random_set(random.bits(), round % 2 == 0);
        const TrainingMeasure measure(set, "map");
        TestType sweep(measure);
        for (const std::size_t q : measure.queries()) {
            const Scores scores = scores_of(set, q);
            for (const Part& part : parts()) {
                const Swept expected = swept(sweep, q, scores, part);
                std::vector<double> cuts;
                for (const double cut : {-0.35, -0.1, -0.01, 0.0, 0.01, 0.25, 0.5}) {
                    if (cut > part.begin && cut < part.end) cuts.push_back(cut);
                }
                const LineCuts all(part.begin, part.end, cuts);
                std::vector<LineBucket> buckets(all.buckets());
                std::uint64_t touched = 0;
                const double start = sweep.fill(all, buckets, touched);
                CHECK(start == Approx(expected.start).epsilon(1e-12));
                double value = start;
                std::size_t i = 0;
                for (std::size_t b = 0; b < buckets.size(); ++b) {
                    const double before = value;
                    const std::size_t first = i;
                    for (; i < expected.steps.size() && expected.steps[i].at <= all.end(b); ++i) {
                        value += expected.steps[i].change;
                        REQUIRE(value <= before + buckets[b].gain + 1e-12);
                    }
                    REQUIRE(std::abs(value - before - buckets[b].change) < 1e-12);
                    REQUIRE(buckets[b].steps >= i - first);
                    const bool is_touched = (touched & braid::bucket_bit(b, buckets.size())) != 0;
                    REQUIRE((is_touched || i == first));
                }
                REQUIRE(i == expected.steps.size());
            }
        }
    }
}

// With much to be had a few queries say where a line can be of worth; with little, all are looked
// at.
TEST_CASE("line search: what is left out has nothing better") {
    const double signal = GENERATE(0.5, 2.5);
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(),
        {.queries = 200, .documents = 60, .rankers = 6, .relevant = 8, .signal = signal});
    const auto executor = braid::make_executor(1);
    const TrainingMeasure measure(set, "map");
    braid::Random random(braid::test::seed());
    std::size_t found = 0;
    for (int line = 0; line < 30; ++line) {
        std::vector<double> weights(6, 1.0 / 6);
        std::vector<double> direction(6, 0);
        for (double& weight : weights) weight += 0.1 * random.uniform();
        direction[line % 6] = 1;
        if (line % 5 == 4) {
            for (double& part : direction) part = random.normal();
        }
        const auto search = [&](double worth, std::size_t few) {
            braid::LineSearchOptions options;
            options.worth = worth;
            options.few_steps = few;
            return braid::search_line(measure, measure.queries(), weights, direction, options,
                                      *executor);
        };
        // Everything put in order at once, where nothing is left out.
        const braid::LineMaximum all = search(-kInfinity, 1 << 30);
        const double here = measure.mean(braid::LinearFunction{weights});
        REQUIRE(all.value >= here - 1e-12);
        if (signal > 1) REQUIRE(here > 0.9);
        for (const double worth : {here, all.value - 1e-7}) {
            const braid::LineMaximum some = search(worth, 1000);
            if (all.value <= worth + 1e-12) continue;
            ++found;
            CHECK(some.value == Approx(all.value).epsilon(1e-12));
            CHECK(some.at == Approx(all.at));
        }
        CHECK(search(all.value + 1e-3, 1000).value <= all.value + 1e-12);
    }
    CHECK(found > (signal > 1 ? 20U : 40U));
}
