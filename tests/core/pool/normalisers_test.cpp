// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/normalisers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "braid/error.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::MissingScore;
using braid::Normalisation;
using braid::TrainingSet;
using namespace braid::test;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// One ranker, one query.
TrainingSet one_column(std::vector<double> scores) {
    TrainingSet set;
    set.rankers = {"r"};
    set.queries = {"q"};
    set.query_begin = {0, scores.size()};
    set.grades.assign(scores.size(), 0);
    set.scores = std::move(scores);
    return set;
}

std::vector<double> normalised(std::vector<double> scores, const Normalisation& how) {
    TrainingSet set = one_column(std::move(scores));
    set.bounds = {8};
    braid::normalise(set, how);
    return set.scores;
}

void check_near(const std::vector<double>& got, const std::vector<double>& expected) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(std::abs(got[i] - expected[i]) <= 1e-15 * std::max(1.0, std::abs(expected[i])));
    }
}

TrainingSet letor_set(braid::LetorData data) {
    TrainingSet set;
    for (std::size_t k = 0; k < data.features; ++k) set.rankers.push_back(std::to_string(k + 1));
    set.queries = std::move(data.queries);
    set.query_begin = std::move(data.query_offsets);
    set.scores = std::move(data.values);
    set.grades = std::move(data.labels);
    set.documents = std::move(data.documents);
    return set;
}

}  // namespace

TEST_CASE("normalisers: worked examples") {
    const std::vector<double> scores = {2, 4, 1, 4};
    check_near(normalised(scores, {"none"}), scores);
    check_near(normalised(scores, {"bound"}), {0.25, 0.5, 0.125, 0.5});
    check_near(normalised(scores, {"min-max"}), {1.0 / 3, 1, 0, 1});
    check_near(normalised(scores, {"sum"}), {1.0 / 7, 3.0 / 7, 0, 3.0 / 7});
    // Mean 2.75, squares .5625 + 1.5625 + 3.0625 + 1.5625 = 6.75, variance 1.6875.
    const double deviation = std::sqrt(1.6875);
    check_near(normalised(scores, {"z-score"}),
               {-0.75 / deviation, 1.25 / deviation, -1.75 / deviation, 1.25 / deviation});
    check_near(normalised(scores, {"rank"}), {0.5, 1, 0.25, 1});
    check_near(normalised(scores, {"reciprocal-rank"}), {1.0 / 63, 1.0 / 61, 1.0 / 64, 1.0 / 61});
    check_near(normalised(scores, {"reciprocal-rank", {{"k", 0}}}), {1.0 / 3, 1, 1.0 / 4, 1});
    check_near(normalised({1, 0, -1}, {"arctan"}), {0.5, 0, -0.5});
    check_near(normalised({0.5, 0, -0.5}, {"arctan", {{"scale", 2}}}), {0.5, 0, -0.5});
    check_near(normalised({std::log(3), 0}, {"sigmoid"}), {0.75, 0.5});
    check_near(normalised({std::log(3) / 4}, {"sigmoid", {{"scale", 4}}}), {0.75});
    check_near(normalised({1, 10, 0, 30}, {"position"}), {10.0 / 11, 0.5, 0, 0.25});
    check_near(normalised({3, 1}, {"position", {{"k", 1}}}), {0.25, 0.5});
}

TEST_CASE("normalisers: positions are from 1 up, small ones first, and 0 is in no list") {
    braid::Random random(braid::test::seed());
    std::vector<double> positions(20);
    for (double& position : positions) position = 1 + std::pow(10, 300 * random.uniform());
    const std::vector<double> after = normalised(positions, {"position"});
    for (std::size_t a = 0; a < positions.size(); ++a) {
        REQUIRE((after[a] >= 0 && after[a] < 1));
        for (std::size_t b = 0; b < positions.size(); ++b) {
            if (positions[a] >= positions[b]) REQUIRE(after[a] <= after[b]);
        }
    }
    const Normalisation zero{"position", {}, MissingScore::kZero};
    check_near(normalised({kMissing, 10, 0}, zero), {0, 0.5, 0});
    CHECK_THROWS_WITH(normalised({1, kMissing}, {"position"}), Contains("missing"));
    CHECK_THROWS_WITH(normalised({1, -2}, {"position"}), Contains("-2 is no position"));
    CHECK_THROWS_WITH(normalised({1, 0.5}, {"position"}), Contains("0.5 is no position"));
    CHECK_THROWS_WITH(normalised({1, kMissing}, {"position", {}, MissingScore::kMinimum}),
                      Contains("the least position is the best"));
}

TEST_CASE("normalisers: what a constant ranker becomes") {
    const std::vector<double> same = {0.3, 0.3, 0.3};
    const std::vector<double> zero = {0, 0, 0};
    for (const std::string name : {"min-max", "z-score", "sum"}) {
        INFO(name);
        CHECK(normalised(same, {name}) == zero);
        CHECK(normalised(zero, {name}) == zero);
        CHECK(normalised({7}, {name}) == std::vector<double>{0});
    }
    CHECK(normalised(same, {"rank"}) == std::vector<double>{1, 1, 1});
    CHECK(normalised(same, {"reciprocal-rank"}) == std::vector<double>(3, 1.0 / 61));
    TrainingSet set = one_column(zero);
    set.bounds = {0};
    braid::normalise(set, Normalisation{"bound"});
    CHECK(set.scores == zero);
}

TEST_CASE("normalisers: none reverses two documents or leaves the finite numbers", "[property]") {
    braid::Random random(braid::test::seed());
    const double huge = std::numeric_limits<double>::max();
    for (const braid::NormaliserInfo& info : braid::normalisers()) {
        if (info.of_positions) continue;
        INFO(info.name);
        for (int round = 0; round < 50; ++round) {
            std::vector<double> scores(1 + random.below(20));
            const double scale = std::pow(10, random.uniform() * 600 - 300);
            for (double& score : scores) {
                score = (random.uniform() - (info.needs_bounds ? 1 : 0.5)) * scale;
            }
            if (round == 0) scores = {huge, -huge, 0, huge};
            if (round == 0 && info.needs_bounds) scores = {-huge, 0};
            const std::vector<double> after = normalised(scores, {info.name});
            for (std::size_t a = 0; a < scores.size(); ++a) {
                REQUIRE(std::isfinite(after[a]));
                for (std::size_t b = 0; b < scores.size(); ++b) {
                    if (scores[a] >= scores[b]) REQUIRE(after[a] >= after[b]);
                }
            }
        }
    }
}

TEST_CASE("normalisers: queries and rankers are normalised apart") {
    TrainingSet set = braid::test::random_training(braid::test::seed(), {.rankers = 2});
    TrainingSet before = set;
    const std::vector<Normalisation> how = {{"min-max"}, {"none"}};
    braid::normalise(set, how);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        double least = 2;
        double most = -1;
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            least = std::min(least, set.scores[2 * i]);
            most = std::max(most, set.scores[2 * i]);
            CHECK(set.scores[2 * i + 1] == before.scores[2 * i + 1]);
        }
        CHECK(least == 0);
        CHECK(most == 1);
    }
    CHECK_THROWS_WITH(braid::normalise(set, std::vector<Normalisation>(3)),
                      Contains("3 normalisers for 2 rankers"));
}

TEST_CASE("normalisers: missing scores") {
    const std::vector<double> scores = {2, kMissing, 6, 3};
    check_near(normalised(scores, {"min-max", {}, MissingScore::kMinimum}), {0, 0, 1, 0.25});
    check_near(normalised(scores, {"min-max", {}, MissingScore::kZero}), {0, 0, 1, 0.25});
    check_near(normalised(scores, {"none", {}, MissingScore::kMinimum}), {2, 2, 6, 3});
    check_near(normalised(scores, {"none", {}, MissingScore::kZero}), {2, 0, 6, 3});
    // Found among four documents, or among the three that the ranker returned.
    check_near(normalised(scores, {"rank", {}, MissingScore::kMinimum}), {0.5, 0.5, 1, 0.75});
    check_near(normalised(scores, {"rank", {}, MissingScore::kZero}), {1.0 / 3, 0, 1, 2.0 / 3});
    const std::vector<double> none(3, kMissing);
    check_near(normalised(none, {"z-score", {}, MissingScore::kMinimum}), {0, 0, 0});
    check_near(normalised(none, {"rank", {}, MissingScore::kZero}), {0, 0, 0});
    CHECK_THROWS_WITH(normalised(scores, {"min-max"}),
                      Contains("'r'") && Contains("1 of the pool") && Contains("missing"));
}

TEST_CASE("normalisers: wrong input") {
    CHECK_THROWS_WITH(normalised({1}, {"minmax"}), Contains("min-max"));
    CHECK_THROWS_AS(normalised({1}, {"arctan", {{"scale", 0}}}), braid::InvalidArgument);
    CHECK_THROWS_AS(normalised({1}, {"rank", {{"k", 60}}}), braid::UnknownComponent);
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(normalised({1, infinite}, {"min-max"}), Contains("infinite"));
    CHECK_THROWS_WITH(normalised({1, 9}, {"bound"}), Contains("above the bound 8"));
    TrainingSet set = one_column({1});
    CHECK_THROWS_WITH(braid::normalise(set, Normalisation{"bound"}), Contains("no bounds"));
    set.scores.clear();
    CHECK_THROWS_AS(braid::normalise(set, Normalisation{}), braid::InvalidArgument);
}

TEST_CASE("normalisers: min-max turns OHSUMED's Feature-min into its QueryLevelNorm", "[golden]") {
    // Rows of part i of Feature-min are those of QueryLevelNorm's test file of the fold that
    // tests on part i; queries are brought together by name.
    std::size_t compared = 0;
    for (int part = 1; part <= 5; ++part) {
        const int fold = part == 1 ? 2 : part == 2 ? 3 : part == 3 ? 4 : part == 4 ? 5 : 1;
        const auto raw = braid::test::shared_file("data/letor/OHSUMED/Feature-min/S" +
                                                  std::to_string(part) + ".txt.gz");
        const auto ready = braid::test::shared_file("data/letor/OHSUMED/QueryLevelNorm/Fold" +
                                                    std::to_string(fold) + "/test.txt.gz");
        BRAID_SKIP_WITHOUT(raw);
        BRAID_SKIP_WITHOUT(ready);
        TrainingSet set = letor_set(braid::read_letor(raw->string()));
        const TrainingSet expected = letor_set(braid::read_letor(ready->string()));
        braid::normalise(set, Normalisation{"min-max"});
        REQUIRE(set.queries == expected.queries);
        REQUIRE(set.documents == expected.documents);
        REQUIRE(set.scores.size() == expected.scores.size());
        double worst = 0;
        for (std::size_t i = 0; i < set.scores.size(); ++i) {
            worst = std::max(worst, std::abs(set.scores[i] - expected.scores[i]));
        }
        CHECK(worst <= 2e-6);
        compared += set.scores.size();
    }
    CHECK(compared == 726300);
}
