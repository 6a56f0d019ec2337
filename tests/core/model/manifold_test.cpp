// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "braid/core/base/random.h"
#include "braid/core/model/fusion.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Values = std::vector<double>;

// (6) to (8) and the inverse of an n x n matrix.
VectorXd plain(const MatrixXd& X, const VectorXd& y, int m, int s, double alpha) {
    const auto n = static_cast<int>(y.size());
    m = std::min(m, n);
    s = std::min(s, m);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return y(a) > y(b); });
    MatrixXd Z = MatrixXd::Zero(n, m);
    for (int d = 0; d < n; ++d) {
        std::vector<std::pair<double, int>> near;
        for (int j = 0; j < m; ++j) {
            near.push_back(
                {(X.row(d) - X.row(order[static_cast<std::size_t>(j)])).squaredNorm(), j});
        }
        std::sort(near.begin(), near.end());
        double mean = 0;
        for (int j = 0; j < s; ++j) mean += near[static_cast<std::size_t>(j)].first / s;
        for (int j = 0; j < s; ++j) {
            const auto& [distance, anchor] = near[static_cast<std::size_t>(j)];
            Z(d, anchor) = mean > 0 ? std::exp(-distance / mean) : 1;
        }
        Z.row(d) /= Z.row(d).sum();
    }
    MatrixXd S = MatrixXd::Zero(n, n);
    for (int j = 0; j < m; ++j) {
        const double sum = Z.col(j).sum();
        if (sum > 0) S += Z.col(j) * Z.col(j).transpose() / sum;
    }
    CHECK((S.rowwise().sum() - VectorXd::Ones(n)).cwiseAbs().maxCoeff() < 1e-12);
    return (1 - alpha) * (MatrixXd::Identity(n, n) - alpha * S).inverse() * y;
}

}  // namespace

TEST_CASE("Manifold: equals the inverse of the whole matrix", "[property]") {
    braid::Random random(braid::test::seed());
    for (int i = 0; i < 20; ++i) {
        const int n = 3 + static_cast<int>(random.below(40));
        MatrixXd X(n, 4);
        VectorXd y(n);
        Values features;
        Values scores;
        for (int d = 0; d < n; ++d) {
            for (int f = 0; f < 4; ++f) {
                X(d, f) = i % 2 == 0 ? random.uniform() : std::floor(3 * random.uniform());
                features.push_back(X(d, f));
            }
            y(d) = random.uniform();
            scores.push_back(y(d));
        }
        for (const double alpha : {0.0, 0.5, 0.95}) {
            const VectorXd expected = plain(X, y, 12, 3, alpha);
            Values smoothed = scores;
            braid::smooth_over_anchors(features, {.anchors = 12, .neighbours = 3}, alpha, smoothed);
            for (int d = 0; d < n; ++d) {
                CHECK(smoothed[static_cast<std::size_t>(d)] == Approx(expected(d)).epsilon(1e-10));
            }
        }
    }
}

TEST_CASE("Manifold: equal scores stay, and a document like the good ones rises") {
    Values even(5, 0.25);
    const Values line = {0, 1, 2, 3, 10};
    braid::smooth_over_anchors(line, {}, 0.9, even);
    for (const double score : even) CHECK(score == Approx(0.25).epsilon(1e-12));
    // Two groups; the third document of the better group has nothing of its own.
    Values scores = {1, 0.9, 0, 0.2, 0.1, 0};
    const Values groups = {0, 0, 0, 9, 9, 9};
    braid::smooth_over_anchors(groups, {.anchors = 4, .neighbours = 2}, 0.8, scores);
    CHECK(scores[2] > scores[3]);
    CHECK(scores[0] > scores[1]);
    CHECK(scores[3] > scores[5]);
}

TEST_CASE("Manifold: as a method of fusion") {
    const Values scores = {3, 1, 2, 2, 1, 3, 0, 0};
    const Values sums = braid::Fuser({.method = "combsum"}).fuse({2, scores});
    CHECK(braid::Fuser({.method = "amanx", .parameters = {{"alpha", 0}}}).fuse({2, scores}) ==
          sums);
    const braid::Fuser fuser({.method = "amanx", .parameters = {{"alpha", 0.7}, {"anchors", 3}}});
    Values expected = sums;
    Values normalised = {1, 1. / 3, 2. / 3, 2. / 3, 1. / 3, 1, 0, 0};
    braid::smooth_over_anchors(normalised, {.anchors = 3, .neighbours = 3}, 0.7, expected);
    const Values found = fuser.fuse({2, scores});
    for (std::size_t d = 0; d < 4; ++d) CHECK(found[d] == Approx(expected[d]).epsilon(1e-12));
    // The caller's own features, huge ones too, stand in for the lists' space where asked for.
    const Values features = {1e200, -1e200, 1e199, 1e200};
    CHECK(fuser.fuse({2, scores, features}) == found);
    const braid::Fuser placed({.method = "amanx",
                               .parameters = {{"alpha", 0.7}, {"anchors", 3}},
                               .choices = {{"graph", "features"}}});
    expected = sums;
    braid::smooth_over_anchors(features, {.anchors = 3, .neighbours = 3}, 0.7, expected);
    CHECK(placed.fuse({2, scores, features}) == expected);
    CHECK(expected != found);
    CHECK_THROWS_AS(placed.fuse({2, scores}), braid::InvalidArgument);
    CHECK_THROWS_AS(placed.fuse({2, scores, Values(7, 1)}), braid::InvalidArgument);
    CHECK(placed.fuse({2, {}}).empty());
}

TEST_CASE("Manifold: documents that lie nowhere keep their scores and change no other") {
    // Every third of nine has no features.
    Values scores;
    Values features;
    Values placed_scores;
    Values placed_features;
    for (int d = 0; d < 9; ++d) {
        const double score = std::cos(d);
        const double feature = d % 3 == 0 ? 0 : d;
        scores.push_back(score);
        features.push_back(feature);
        if (feature == 0) continue;
        placed_scores.push_back(score);
        placed_features.push_back(feature);
    }
    const Values before = scores;
    const braid::AnchorGraphOptions options{.anchors = 4, .neighbours = 2, .zero_is_nowhere = true};
    braid::smooth_over_anchors(features, options, 0.6, scores);
    braid::smooth_over_anchors(placed_features, options, 0.6, placed_scores);
    std::size_t next = 0;
    for (std::size_t d = 0; d < 9; ++d) {
        if (d % 3 == 0) {
            CHECK(scores[d] == before[d]);
        } else {
            CHECK(scores[d] == Approx(placed_scores[next++]).epsilon(1e-12));
            CHECK(scores[d] != before[d]);
        }
    }
    Values none = before;
    braid::smooth_over_anchors(Values(9, 0), options, 0.6, none);
    CHECK(none == before);
}
