// SPDX-License-Identifier: GPL-2.0-or-later
// Which candidates are neighbours, for weights that follow from them.
#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "braid/core/learn/learner.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Values = std::vector<double>;

Values random_values(braid::Random& random, std::size_t count, double shift = 0) {
    Values values(count);
    for (double& value : values) value = random.normal() + shift;
    return values;
}

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}, std::size_t threads = 1) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(threads));
}

TrainingSet graded(std::uint64_t seed) {
    return braid::test::random_training(seed, {.queries = 15, .rankers = 5, .highest_grade = 2});
}

// (9), written out: the Laplacian's form of G over each document's four neighbours in `points`.
void check_form(const Values& form, const MatrixXd& points, const MatrixXd& G) {
    const auto documents = static_cast<int>(points.rows());
    MatrixXd S = MatrixXd::Zero(documents, documents);
    for (int d = 0; d < documents; ++d) {
        std::vector<std::pair<double, int>> near;
        for (int o = 0; o < documents; ++o) {
            if (o != d) near.push_back({(points.row(d) - points.row(o)).squaredNorm(), o});
        }
        std::sort(near.begin(), near.end());
        for (std::size_t i = 0; i < 4; ++i) S(d, near[i].second) = S(near[i].second, d) = 1;
    }
    const VectorXd roots = S.rowwise().sum().cwiseSqrt().cwiseInverse();
    const MatrixXd L =
        MatrixXd::Identity(documents, documents) - roots.asDiagonal() * S * roots.asDiagonal();
    const MatrixXd expected = G.transpose() * L * G;
    REQUIRE(form.size() == static_cast<std::size_t>(expected.size()));
    for (int a = 0; a < expected.rows(); ++a) {
        for (int b = 0; b < expected.cols(); ++b) {
            CHECK(form[static_cast<std::size_t>(expected.cols() * a + b)] ==
                  Approx(expected(a, b)).epsilon(1e-10).margin(1e-12));
        }
    }
}

}  // namespace

TEST_CASE("SSER: the form over neighbours is the Laplacian's") {
    braid::Random random(braid::test::seed());
    const Values rows = random_values(random, 12 * 3);
    const Eigen::Map<const Eigen::Matrix<double, 12, 3, Eigen::RowMajor>> G(rows.data());
    check_form(braid::neighbour_form(rows, 3, {}, 4), G, G);
    CHECK(braid::neighbour_form(Values{1, 2, 3}, 3, {}, 4) == Values(9, 0));
}

TEST_CASE("SSER: neighbours in topic space are those of the documents that have a place") {
    braid::Random random(braid::test::seed(), 11);
    constexpr int kDocuments = 14;
    const Values rows = random_values(random, kDocuments * 3);
    std::vector<float> places;
    for (const double x : random_values(random, kDocuments * 2)) {
        places.push_back(static_cast<float>(x));
    }
    for (const std::size_t nowhere : {3U, 9U}) places[2 * nowhere] = places[2 * nowhere + 1] = 0;
    // (9) of the twelve others, written out.
    Values kept_rows;
    MatrixXd P(12, 2);
    MatrixXd G(12, 3);
    for (Eigen::Index d = 0, i = 0; d < kDocuments; ++d) {
        if (d == 3 || d == 9) continue;
        for (Eigen::Index k = 0; k < 3; ++k) G(i, k) = rows[static_cast<std::size_t>(3 * d + k)];
        for (Eigen::Index f = 0; f < 2; ++f) P(i, f) = places[static_cast<std::size_t>(2 * d + f)];
        ++i;
    }
    const Values form = braid::neighbour_form(rows, 3, places, 4);
    check_form(form, P, G);
    CHECK(form != braid::neighbour_form(rows, 3, {}, 4));
    CHECK(braid::neighbour_form(rows, 3, std::vector<float>(places.size(), 0), 4) == Values(9, 0));
}

TEST_CASE("SSER: a graph in topic space reads the documents' places, and needs them") {
    TrainingSet set = graded(braid::test::seed());
    const LearnerOptions topics{.choices = {{"graph", "topics"}}};
    CHECK_THROWS_WITH(fit("sser", set, topics),
                      Contains("graph=topics needs the topic vectors of the documents"));
    braid::Random random(braid::test::seed(), 12);
    for (const double x : random_values(random, set.rows() * 4)) {
        set.places.push_back(static_cast<float>(x));
    }
    const TrainingResult by_scores = fit("sser", set);
    const TrainingResult by_places = fit("sser", set, topics);
    CHECK(braid::needs_places(by_places.function));
    CHECK_FALSE(braid::needs_places(by_scores.function));
    const auto& function = std::get<SemiSupervisedFunction>(by_places.function);
    CHECK(function.base == std::get<SemiSupervisedFunction>(by_scores.function).base);
    const Values own = braid::score_parts(by_places.function, set, 2).weights;
    CHECK(own ==
          braid::semi_supervised_weights(function, set.query_scores(2), set.query_places(2)));
    CHECK(own != braid::score_parts(by_scores.function, set, 2).weights);
    // A part of the set has its own rows' places.
    const std::vector<std::size_t> third = {2};
    const TrainingSet part = braid::subset(set, third);
    CHECK(braid::score_parts(by_places.function, part, 0).weights == own);
    set.places.clear();
    Values scores(set.pool_size(0));
    CHECK_THROWS_WITH(braid::score_pool(by_places.function, set, 0, scores),
                      Contains("no topic vectors"));
    // gamma 0 is SER, wherever neighbours would be.
    set.places.assign(set.rows(), 1);
    const TrainingResult none =
        fit("sser", set, {.parameters = {{"gamma", 0}}, .choices = {{"graph", "topics"}}});
    CHECK(braid::score_parts(none.function, set, 0).weights ==
          std::get<LinearFunction>(fit("ser", set).function).weights);
}
