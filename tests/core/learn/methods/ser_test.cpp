// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Values = std::vector<double>;

// (1) to (4) with N x N matrices.
double plain_agreement(const Values& scores, const std::vector<Grade>& grades,
                       const AgreementOptions& options) {
    const auto n = static_cast<int>(scores.size());
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    MatrixXd A = MatrixXd::Zero(n, n);
    MatrixXd R = options.delta * MatrixXd::Identity(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const Grade a = std::max<Grade>(grades[at(i)], 0);
            const Grade b = std::max<Grade>(grades[at(j)], 0);
            if (a > b) A(i, j) = braid::pair_weight(a, b, options);
            if (a < b) A(i, j) = -braid::pair_weight(b, a, options);
            if (i == j) continue;
            if (scores[at(i)] > scores[at(j)]) R(i, j) += 1;
            if (scores[at(i)] == scores[at(j)] && options.ties_are_half) R(i, j) += 0.5;
        }
    }
    for (int j = 0; j < n; ++j) R.col(j) /= R.col(j).sum();
    return (A.transpose() * R).trace();
}

Values random_values(braid::Random& random, std::size_t count, double shift = 0) {
    Values values(count);
    for (double& value : values) value = random.normal() + shift;
    return values;
}

double primal(const MarginProgram& program, const MatrixXd& M, const VectorXd& w) {
    double value = 0.5 * w.dot(M * w);
    for (std::size_t i = 0; i < program.rows(); ++i) {
        double margin = 0;
        for (std::size_t k = 0; k < program.width; ++k) {
            margin += program.margins[i * program.width + k] * w(static_cast<int>(k));
        }
        value += program.cost * std::max(0.0, 1 - margin);
    }
    return value;
}

double dual(const MarginProgram& program, const MatrixXd& M, const MarginSolution& solution) {
    VectorXd v = VectorXd::Zero(static_cast<int>(program.width));
    double value = 0;
    for (std::size_t i = 0; i < program.rows(); ++i) {
        value += solution.duals.alpha[i];
        for (std::size_t k = 0; k < program.width; ++k) {
            v(static_cast<int>(k)) +=
                solution.duals.alpha[i] * program.margins[i * program.width + k];
        }
    }
    for (std::size_t k = 0; k < program.width; ++k) v(static_cast<int>(k)) += solution.duals.eta[k];
    return value - 0.5 * v.dot(M.inverse() * v);
}

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}, std::size_t threads = 1) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(threads));
}

TrainingSet graded(std::uint64_t seed, std::size_t relevant = 5, double signal = 0.3) {
    return braid::test::random_training(
        seed,
        {.queries = 15, .rankers = 5, .relevant = relevant, .highest_grade = 2, .signal = signal});
}

}  // namespace

TEST_CASE("SER: agreement by sorting equals the trace of the matrices", "[property]") {
    braid::Random random(braid::test::seed());
    for (int i = 0; i < 80; ++i) {
        const AgreementOptions options{.theta = 0.3,
                                       .delta = i % 3 == 0 ? 1e-9 : 0.7,
                                       .lower_pairs = i % 2 == 0,
                                       .ties_are_half = i % 4 < 2,
                                       .highest_grade = 1 + i % 3};
        Values scores;
        std::vector<Grade> grades;
        for (int d = 0; d < 3 + i; ++d) {
            scores.push_back(std::floor(10 * random.uniform()));
            grades.push_back(
                static_cast<Grade>(random.below(static_cast<std::uint64_t>(2 + i % 3) + 1)) - 1);
        }
        CHECK(braid::grade_agreement(scores, grades, options) ==
              Approx(plain_agreement(scores, grades, options)).epsilon(1e-10).margin(1e-10));
    }
}

TEST_CASE("SER: agreement by hand") {
    // In order: grades 2, 0, 1. Columns sum to 1, 2, 3: the second has a right pair, the third the
    // right half pair above it and the wrong one.
    const AgreementOptions paper{.lower_pairs = false, .ties_are_half = false, .highest_grade = 2};
    CHECK_THAT(braid::grade_agreement(Values{9, 5, 1}, std::vector<Grade>{2, 0, 1}, paper),
               WithinRel(1.0 / 2 + 0.5 / 3, 1e-12));
    AgreementOptions all = paper;
    all.lower_pairs = true;
    CHECK_THAT(braid::grade_agreement(Values{9, 5, 1}, std::vector<Grade>{2, 0, 1}, all),
               WithinRel(1.0 / 2 + (0.5 - 0.5) / 3, 1e-12));
    // All tied: each pair is half right and half wrong.
    all.ties_are_half = true;
    CHECK(braid::grade_agreement(Values{1, 1, 1}, std::vector<Grade>{2, 0, 1}, all) ==
          Approx(0).margin(1e-12));
    CHECK(braid::pair_weight(2, 0, all) == 1);
    CHECK(braid::pair_weight(1, 0, all) == 0.5);
    CHECK(braid::pair_weight(1, 0, paper) == 0);
    CHECK(braid::pair_weight(1, 0, {.highest_grade = 1}) == 1);
    CHECK(braid::grade_agreement({}, {}, all) == 0);
}

TEST_CASE("SER: distances of matrices by hand, and by their own definitions") {
    // Grades 1, 0 in the right order: R = (1, 1/2; 0, 1/2), A = (0, 1; -1, 0), A - R =
    // (-1, 1/2; -1, -1/2).
    const AgreementOptions options{.highest_grade = 1};
    const auto apart = [&](const Values& scores, const std::vector<Grade>& grades,
                           braid::MatrixDistance distance) {
        return braid::order_distance(scores, grades, options, distance);
    };
    using braid::MatrixDistance;
    CHECK_THAT(apart({2, 1}, {1, 0}, MatrixDistance::kColumnNorm), WithinRel(2.0, 1e-12));
    CHECK_THAT(apart({2, 1}, {1, 0}, MatrixDistance::kFrobenius), WithinRel(1.25, 1e-12));
    CHECK_THAT(apart({2, 1}, {1, 0}, MatrixDistance::kSpectralNorm),
               WithinRel(std::sqrt(2.0), 1e-12));
    CHECK(apart({}, {}, MatrixDistance::kFrobenius) == 0);
    const Values many(braid::kMostMatrixDocuments + 1, 1);
    CHECK_THROWS_WITH(apart(many, std::vector<Grade>(many.size(), 0), MatrixDistance::kColumnNorm),
                      Contains("at most 2000"));
    // |A - R|^2 = |A|^2 - 2 tr(A' R) + |R|^2: two orders with columns alike differ by the trace.
    braid::Random random(braid::test::seed());
    const std::vector<Grade> grades = {1, 0, 1, 0, 0, 1, 0, 0};
    for (int i = 0; i < 20; ++i) {
        const Values a = random_values(random, grades.size());
        const Values b = random_values(random, grades.size());
        CHECK(apart(a, grades, MatrixDistance::kFrobenius) +
                  braid::grade_agreement(a, grades, options) ==
              Approx(apart(b, grades, MatrixDistance::kFrobenius) +
                     braid::grade_agreement(b, grades, options))
                  .epsilon(1e-10));
        // The right order is nearer than any other.
        for (const auto distance : {MatrixDistance::kFrobenius, MatrixDistance::kSpectralNorm}) {
            CHECK(apart({9, 1, 8, 2, 3, 7, 4, 5}, grades, distance) <=
                  apart(a, grades, distance) + 1e-12);
        }
    }
    Values distances = {5, 3, 4};
    braid::similarities(distances, 2);
    CHECK_THAT(distances[1], WithinRel(1.0, 1e-12));
    CHECK_THAT(distances[0], WithinRel(std::exp(-1.0), 1e-12));  // Mean 1 above the least.
}

TEST_CASE("SER: other similarities find the rankers that know", "[property]") {
    // With more relevant documents than others, so that no order is the same to the column norm.
    const TrainingSet set = graded(braid::test::seed(), 30, 1);
    const TrainingResult trace = fit("ser", set);
    for (const std::string similarity : {"column-norm", "spectral-norm", "frobenius"}) {
        INFO(similarity);
        const LearnerOptions options{.choices = {{"similarity", similarity}}};
        const TrainingResult result = fit("ser", set, options);
        const Values& weights = std::get<LinearFunction>(result.function).weights;
        CHECK(weights[0] + weights[2] + weights[4] > weights[1] + weights[3]);
        CHECK(result.stop_reason == "converged");
        CHECK(result.function != trace.function);
        CHECK(result.function == fit("ser", set, options, 3).function);
        LearnerOptions sharp = options;
        sharp.parameters = {{"lambda", 0.2}};
        CHECK(fit("ser", set, sharp).function != result.function);
        CHECK_NOTHROW(fit("sser", set, options));
    }
    LearnerOptions vain;
    vain.parameters = {{"lambda", 0.2}};
    CHECK_THROWS_AS(fit("ser", set, vain), braid::InvalidArgument);
}

TEST_CASE("Margin program: no duality gap and the conditions of a solution", "[property]") {
    for (std::uint64_t i = 0; i < 40; ++i) {
        braid::Random random(braid::test::seed() + i);
        const std::size_t width = 1 + random.below(12);
        const std::size_t rows = 1 + random.below(30);
        const Values margins = random_values(random, rows * width, i % 2 == 0 ? 0.3 : 0);
        const auto size = static_cast<int>(width);
        MatrixXd M = MatrixXd::Identity(size, size);
        if (i % 3 != 0) {
            const Values more = random_values(random, width * width);
            const Eigen::Map<const MatrixXd> X(more.data(), size, size);
            M += X * X.transpose();
        }
        const MatrixXd inverse = M.inverse();
        const MarginProgram program{
            .width = width,
            .margins = margins,
            .inverse = i % 3 == 0 ? std::span<const double>()
                                  : std::span<const double>(inverse.data(), width * width),
            .cost = i % 5 == 0 ? 0.01 : 1};
        const MarginSolution solution = braid::solve_margins(program, {});
        CHECK(solution.violation <= 1e-8);
        CHECK(braid::margin_violation(program, solution.weights, solution.duals) <= 1e-8);
        VectorXd w(size);
        for (int k = 0; k < size; ++k) {
            w(k) = std::max(0.0, solution.weights[static_cast<std::size_t>(k)]);
        }
        // The dual is below the primal everywhere: where they meet, both are at their best.
        CHECK(primal(program, M, w) ==
              Approx(dual(program, M, solution)).epsilon(1e-7).margin(1e-9));
        // From the solution it is one look.
        const MarginSolution again = braid::solve_margins(program, solution.duals);
        CHECK(again.passes <= 10);
    }
}

TEST_CASE("Margin program: solutions by hand") {
    // One row b = 2: w = 1/2 with alpha 1/4 where C lets it, else w = 2 C.
    const Values two = {2};
    CHECK_THAT(braid::solve_margins({.width = 1, .margins = two}, {}).weights[0],
               WithinRel(0.5, 1e-9));
    CHECK_THAT(braid::solve_margins({.width = 1, .margins = two, .cost = 0.1}, {}).weights[0],
               WithinRel(0.2, 1e-9));
    // A weight that would be negative is 0.
    const Values mixed = {1, -1};
    const MarginSolution solution = braid::solve_margins({.width = 2, .margins = mixed}, {});
    CHECK_THAT(solution.weights[0], WithinRel(1.0, 1e-9));
    CHECK(std::abs(solution.weights[1]) < 1e-9);
    // A point off the margin by a fifth breaks the condition by it.
    CHECK_THAT(braid::margin_violation({.width = 1, .margins = two}, Values{0.6}, {{0.25}, {0}}),
               WithinRel(0.2, 1e-9));
    CHECK_THAT(braid::margin_violation({.width = 1, .margins = two}, Values{0.6}, {{1}, {0}}),
               WithinRel(0.2, 1e-9));
    CHECK(braid::margin_violation({.width = 1, .margins = two}, Values{0.6}, {{0}, {0}}) == 0);
    CHECK(braid::margin_violation({.width = 1, .margins = two}, Values{0.6}, {{0}, {1}}) == 1);
    const Values zeros = {0, 0};
    CHECK(braid::solve_margins({.width = 2, .margins = zeros}, {}).weights == zeros);
}

TEST_CASE("SSER: gamma 0 is SER, and more gamma brings neighbours' scores together") {
    const TrainingSet set = graded(braid::test::seed());
    const Values ser = std::get<LinearFunction>(fit("ser", set).function).weights;
    const TrainingResult none = fit("sser", set, {.parameters = {{"gamma", 0}}});
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        CHECK(braid::semi_supervised_weights(std::get<SemiSupervisedFunction>(none.function),
                                             set.query_scores(q)) == ser);
    }
    auto function = std::get<SemiSupervisedFunction>(fit("sser", set).function);
    // The least of f + gamma g has the less g the more gamma.
    const Values form = braid::neighbour_form(set.query_scores(0), 5, {}, 5);
    const Eigen::Map<const MatrixXd> F(form.data(), 5, 5);
    double last = 1e300;
    for (const double gamma : {0.0, 0.1, 1.0, 10.0}) {
        const MatrixXd inverse = (MatrixXd::Identity(5, 5) + gamma * F).inverse();
        const MarginSolution solution = braid::solve_margins(
            {.width = 5, .margins = function.margins, .inverse = {inverse.data(), 25}}, {});
        CHECK(solution.violation <= 1e-8);
        const Eigen::Map<const VectorXd> w(solution.weights.data(), 5);
        CHECK(w.dot(F * w) <= last * (1 + 1e-9));
        last = w.dot(F * w);
        function.gamma = gamma;
        const Values served = braid::semi_supervised_weights(function, set.query_scores(0));
        for (int k = 0; k < 5; ++k) {
            CHECK(served[static_cast<std::size_t>(k)] ==
                  Approx(w(k) / w.cwiseAbs().sum()).epsilon(1e-6).margin(1e-7));
        }
    }
    // A tiny gamma is near none: the program, not the shortcut.
    function.gamma = 1e-9;
    const Values near = braid::semi_supervised_weights(function, set.query_scores(0));
    for (std::size_t k = 0; k < 5; ++k) CHECK(near[k] == Approx(ser[k]).epsilon(1e-5).margin(1e-6));
}

TEST_CASE("SER: the column norm of a few relevant documents tells no ranker from another",
          "[property]") {
    // Its largest column is that of a best document, the same sum for every order.
    for (std::uint64_t round = 0; round < 5; ++round) {
        const TrainingSet set = graded(braid::test::seed() + round);
        const TrainingResult result = fit("ser", set, {.choices = {{"similarity", "column-norm"}}});
        CHECK(std::get<LinearFunction>(result.function).weights == Values(5, 0.2));
    }
}

TEST_CASE("SER: finds the rankers that know, and the paper's form is an option") {
    const TrainingSet set = graded(braid::test::seed(), 5, 1);
    for (const std::string pairs : {"all", "best"}) {
        for (const std::string ties : {"half", "none"}) {
            const TrainingResult result =
                fit("ser", set, {.choices = {{"pairs", pairs}, {"ties", ties}}});
            const Values& weights = std::get<LinearFunction>(result.function).weights;
            CHECK(weights[0] + weights[2] + weights[4] > 0.8);
            CHECK(result.stop_reason == "converged");
        }
    }
    // Of a loud signal both pairings learn the same.
    const TrainingSet faint = graded(braid::test::seed());
    CHECK(fit("ser", faint, {.choices = {{"pairs", "best"}}}).function !=
          fit("ser", faint).function);
    CHECK(fit("ser", set, {}, 3).function == fit("ser", set).function);
    CHECK(fit("sser", set, {}, 3).function == fit("sser", set).function);
    // Only orders count.
    TrainingSet bent = set;
    for (double& score : bent.scores) score = std::exp(score);
    CHECK(fit("ser", bent).function == fit("ser", set).function);
}

TEST_CASE("SSER: wrong input") {
    const TrainingSet set = graded(braid::test::seed());
    CHECK_THROWS_AS(fit("ser", set, {.parameters = {{"theta", 2}}}), braid::InvalidArgument);
    CHECK_THROWS_AS(fit("ser", set, {.parameters = {{"gamma", 1}}}), braid::UnknownComponent);
    CHECK_THROWS_AS(fit("sser", set, {.parameters = {{"neighbours", 0}}}), braid::InvalidArgument);
    CHECK_THROWS_AS(fit("ser", set, {.choices = {{"ties", "most"}}}), braid::UnknownComponent);
    const auto function = std::get<SemiSupervisedFunction>(fit("sser", set).function);
    CHECK_NOTHROW(braid::validate(function));
    const Values wrong(7, 1);
    CHECK_THROWS_AS(braid::semi_supervised_weights(function, wrong), braid::InvalidArgument);
    const Values two(10, 1);
    const std::vector<float> odd(7, 1);
    CHECK_THROWS_AS(braid::semi_supervised_weights(function, two, odd), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::semi_supervised_weights(function, two, std::vector<float>{1, NAN}),
                    braid::InvalidArgument);
    // No or one document, and documents all alike.
    CHECK(braid::semi_supervised_weights(function, {}) == function.base);
    CHECK(braid::semi_supervised_weights(function, Values(5, 3)) == function.base);
    for (const double weight : braid::semi_supervised_weights(function, Values(50, 3))) {
        CHECK(std::isfinite(weight));
    }
    SemiSupervisedFunction broken = function;
    broken.alpha.pop_back();
    CHECK_THROWS_AS(braid::validate(broken), braid::InvalidArgument);
    broken = function;
    broken.gamma = NAN;
    CHECK_THROWS_AS(braid::validate(broken), braid::InvalidArgument);
}
