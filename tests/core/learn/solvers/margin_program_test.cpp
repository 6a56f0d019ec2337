// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include <Eigen/Dense>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/learn/learner.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

// The quadratic program of ser and sser against one that tries every set of active constraints.

namespace {

using namespace braid;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Values = std::vector<double>;

struct Program {
    MatrixXd M;
    MatrixXd B;  // A margin a row.
    double cost = 1;

    double value(const VectorXd& w) const {
        double sum = 0.5 * w.dot(M * w);
        for (int i = 0; i < B.rows(); ++i) sum += cost * std::max(0.0, 1 - B.row(i).dot(w));
        return sum;
    }
};

enum class Row { kShort, kMet, kBeyond };  // alpha is C, between, 0.

// Minimises over the weights that are free with the rows where they are said to be; false where
// that breaks a constraint.
bool solve_active(const Program& program, const std::vector<Row>& rows, unsigned free,
                  VectorXd& w) {
    std::vector<int> weights;
    std::vector<int> met;
    for (int k = 0; k < program.M.rows(); ++k) {
        if ((free >> k & 1U) != 0) weights.push_back(k);
    }
    VectorXd pull = VectorXd::Zero(program.M.rows());
    for (int i = 0; i < program.B.rows(); ++i) {
        const Row row = rows[static_cast<std::size_t>(i)];
        if (row == Row::kMet) met.push_back(i);
        if (row == Row::kShort) pull += program.cost * program.B.row(i).transpose();
    }
    const auto size = static_cast<int>(weights.size());
    const auto count = static_cast<int>(met.size());
    MatrixXd system = MatrixXd::Zero(size + count, size + count);
    VectorXd right(size + count);
    for (int a = 0; a < size; ++a) {
        const int k = weights[static_cast<std::size_t>(a)];
        right(a) = pull(k);
        for (int b = 0; b < size; ++b) {
            system(a, b) = program.M(k, weights[static_cast<std::size_t>(b)]);
        }
        for (int j = 0; j < count; ++j) {
            system(a, size + j) = -program.B(met[static_cast<std::size_t>(j)], k);
            system(size + j, a) = program.B(met[static_cast<std::size_t>(j)], k);
        }
    }
    for (int j = 0; j < count; ++j) right(size + j) = 1;
    w = VectorXd::Zero(program.M.rows());
    if (size + count > 0) {
        const Eigen::FullPivLU<MatrixXd> lu(system);
        if (!lu.isInvertible()) return false;
        const VectorXd solved = lu.solve(right);
        for (int a = 0; a < size; ++a) w(weights[static_cast<std::size_t>(a)]) = solved(a);
    }
    return w.minCoeff() >= -1e-12;
}

// The least of all: the optimum is among them, and none of them is below it.
VectorXd plain_solution(const Program& program) {
    const auto count = static_cast<std::size_t>(program.B.rows());
    VectorXd best = VectorXd::Zero(program.M.rows());
    std::vector<Row> rows(count);
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < count; ++i) combinations *= 3;
    for (std::size_t number = 0; number < combinations; ++number) {
        std::size_t rest = number;
        for (Row& row : rows) {
            row = static_cast<Row>(rest % 3);
            rest /= 3;
        }
        for (unsigned free = 0; free < 1U << program.M.rows(); ++free) {
            VectorXd w;
            if (!solve_active(program, rows, free, w)) continue;
            if (program.value(w.cwiseMax(0.0)) < program.value(best)) best = w.cwiseMax(0.0);
        }
    }
    return best;
}

Program random_program(std::uint64_t number) {
    braid::Random random(braid::test::seed(), number);
    const auto width = static_cast<int>(1 + random.below(4));
    const auto rows = static_cast<int>(1 + random.below(5));
    Program program{MatrixXd::Identity(width, width), MatrixXd(rows, width), 1};
    const double shift = number % 2 == 0 ? 0.4 : 0;
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < width; ++k) program.B(i, k) = random.normal() + shift;
    }
    if (number % 3 != 0) {
        MatrixXd X(width, width);
        for (int i = 0; i < X.size(); ++i) X.data()[i] = random.normal();
        program.M += X * X.transpose();
    }
    const double costs[] = {0.05, 1, 30};
    program.cost = costs[number % 5 % 3];
    if (number % 7 == 6 && rows > 1) program.B.row(1) = program.B.row(0);
    return program;
}

// Rows that are copies, multiples or blends of others, up to far more of them than weights.
Program dependent_program(std::uint64_t number) {
    braid::Random random(braid::test::seed(), 1000 + number);
    Program program = random_program(number);
    const auto width = static_cast<int>(program.M.rows());
    const auto rows = static_cast<int>(4 + random.below(30));
    program.B = MatrixXd(rows, width);
    for (int i = 0; i < rows; ++i) {
        const auto other = [&] {
            return program.B.row(static_cast<int>(random.below(static_cast<std::uint64_t>(i))));
        };
        if (i < 2 || random.uniform() < 0.3) {
            for (int k = 0; k < width; ++k) program.B(i, k) = random.normal() + 0.4;
        } else if (number % 3 == 0) {
            program.B.row(i) = other();
        } else if (number % 3 == 1) {
            program.B.row(i) = 2 * random.uniform() * other();
        } else {
            const double share = random.uniform();
            program.B.row(i) = share * other() + (1 - share) * other();
        }
    }
    const double costs[] = {0.1, 1, 100};
    program.cost = costs[number / 3 % 3];
    return program;
}

struct Flat {
    Values margins;
    Values inverse;
    MarginProgram program;

    explicit Flat(const Program& from) {
        for (int i = 0; i < from.B.rows(); ++i) {
            for (int k = 0; k < from.B.cols(); ++k) margins.push_back(from.B(i, k));
        }
        const MatrixXd inverted = from.M.inverse();
        inverse.assign(inverted.data(), inverted.data() + inverted.size());
        program = {static_cast<std::size_t>(from.M.rows()), margins, inverse, from.cost};
    }
};

VectorXd vector_of(const Values& values) {
    return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// The worst breach of the conditions of a solution, each as it stands in ser.md (8), by plain code.
double breach(const Program& program, const VectorXd& w, const MarginDuals& duals) {
    double worst = std::max(0.0, -w.minCoeff());
    VectorXd pull = vector_of(duals.eta);
    for (int i = 0; i < program.B.rows(); ++i) {
        const double alpha = duals.alpha[static_cast<std::size_t>(i)];
        const double margin = program.B.row(i).dot(w);
        pull += alpha * program.B.row(i).transpose();
        worst = std::max({worst, -alpha, alpha - program.cost});
        if (alpha < program.cost) worst = std::max(worst, 1 - margin);
        if (alpha > 0) worst = std::max(worst, margin - 1);
    }
    for (int k = 0; k < w.size(); ++k) {
        const double eta = duals.eta[static_cast<std::size_t>(k)];
        worst = std::max(worst, -eta);
        if (eta > 0) worst = std::max(worst, std::abs(w(k)));
    }
    // Stationary: M w is what the duals pull with.
    const VectorXd rest = program.M * w - pull;
    return std::max(worst, rest.cwiseAbs().maxCoeff() / (1 + pull.cwiseAbs().maxCoeff()));
}

double dual_value(const Program& program, const MarginDuals& duals) {
    VectorXd pull = vector_of(duals.eta);
    double value = 0;
    for (int i = 0; i < program.B.rows(); ++i) {
        value += duals.alpha[static_cast<std::size_t>(i)];
        pull += duals.alpha[static_cast<std::size_t>(i)] * program.B.row(i).transpose();
    }
    return value - 0.5 * pull.dot(program.M.ldlt().solve(pull));
}

// Ascent of the dual by its gradient, with momentum, each step projected on the bounds.
MarginDuals projected_gradient(const Program& program) {
    const auto rows = program.B.rows();
    const auto width = program.M.rows();
    MatrixXd vectors(rows + width, width);
    vectors << program.B, MatrixXd::Identity(width, width);
    MatrixXd Q = vectors * program.M.ldlt().solve(vectors.transpose());
    const VectorXd unit = Q.diagonal().cwiseSqrt().cwiseInverse();  // Of the dual variables.
    Q = unit.asDiagonal() * Q * unit.asDiagonal();
    VectorXd target = VectorXd::Zero(rows + width);
    target.head(rows) = unit.head(rows);
    VectorXd most = VectorXd::Constant(rows + width, HUGE_VAL);
    most.head(rows) = program.cost * unit.head(rows).cwiseInverse();
    const double largest = Eigen::SelfAdjointEigenSolver<MatrixXd>(Q).eigenvalues().maxCoeff();
    VectorXd values = VectorXd::Zero(rows + width);
    VectorXd ahead = values;
    double momentum = 0;
    for (int step = 1; step <= 20000; ++step) {
        VectorXd next = (ahead + (target - Q * ahead) / largest).cwiseMax(0.0);
        next = next.cwiseMin(most);
        // Starts again where momentum leads away from the ascent.
        momentum = (ahead - next).dot(next - values) > 0 ? 0 : momentum + 1;
        ahead = next + momentum / (momentum + 3) * (next - values);
        values = next;
    }
    values = values.cwiseProduct(unit);
    return {{values.data(), values.data() + rows},
            {values.data() + rows, values.data() + rows + width}};
}

MarginSolution solved(const Program& program, const MarginDuals& start = {}) {
    const Flat flat(program);
    return braid::solve_margins(flat.program, start);
}

}  // namespace

TEST_CASE("Margin program: equals the best over all sets of active constraints", "[property]") {
    for (std::uint64_t i = 0; i < 60; ++i) {
        INFO("program " << i);
        const Program program = random_program(i);
        const MarginSolution solution = solved(program);
        const VectorXd expected = plain_solution(program);
        const VectorXd found = vector_of(solution.weights);
        CHECK((found - expected).cwiseAbs().maxCoeff() <= 1e-7 * (1 + expected.norm()));
        CHECK(breach(program, found, solution.duals) <= 1e-8);
        CHECK(solution.violation <= 1e-8);
    }
}

TEST_CASE("Margin program: dependent rows by hand") {
    // At w = (u, u): u^2 + C (2 max(0, 1 - 4u) + max(0, 1 - 2u) + 1 + 2u) falls by C up to u = 1/4,
    // and grows by u^2 from there to 1/2. So the third and the fourth row are short, and 4 alpha +
    // C - C = 1/4 for the others. Three rows that can't all be met at 2 weights; the Gram matrix of
    // the first three is singular, and no step that solves for their margins of 1 ends.
    for (const double cost : {10.0, 1e5}) {
        const Values margins = {3, 1, 1, 3, 1, 1, -1, -1};
        const MarginSolution solution =
            braid::solve_margins({.width = 2, .margins = margins, .cost = cost}, {});
        CHECK(solution.passes <= 50);
        CHECK(vector_of(solution.weights).isApprox(VectorXd::Constant(2, 0.25), 1e-9));
        CHECK(solution.duals.alpha[0] == Approx(1.0 / 16).epsilon(1e-8));
        CHECK(solution.duals.alpha[1] == Approx(1.0 / 16).epsilon(1e-8));
        CHECK(solution.duals.alpha[2] == cost);
        CHECK(solution.duals.alpha[3] == cost);
        CHECK(solution.duals.eta == Values{0, 0});
        // The first row twice: the two share its alpha, in any way.
        const Values twice = {3, 1, 3, 1, 1, 3, 1, 1, -1, -1};
        const MarginSolution shared =
            braid::solve_margins({.width = 2, .margins = twice, .cost = cost}, {});
        CHECK(shared.passes <= 50);
        CHECK(vector_of(shared.weights).isApprox(VectorXd::Constant(2, 0.25), 1e-9));
        CHECK(shared.duals.alpha[0] + shared.duals.alpha[1] == Approx(1.0 / 16).epsilon(1e-8));
        CHECK(shared.duals.alpha[2] == Approx(1.0 / 16).epsilon(1e-8));
    }
    // From inside: w = 2 (1/10 + 1/10) becomes 1/2, whatever the two alphas.
    const Values equal = {2, 2};
    const MarginSolution half =
        braid::solve_margins({.width = 1, .margins = equal, .cost = 0.2}, {{0.1, 0.1}, {0}});
    CHECK_THAT(half.weights[0], WithinRel(0.5, 1e-12));
    CHECK_THAT(half.duals.alpha[0] + half.duals.alpha[1], WithinRel(0.25, 1e-12));
    // Multiples: w = 1/2 leaves the first row short, so its alpha is C = .3, and .3 + 2 alpha =
    // 1/2.
    const Values multiples = {1, 2};
    const MarginSolution short_row =
        braid::solve_margins({.width = 1, .margins = multiples, .cost = 0.3}, {{0.1, 0.2}, {0}});
    CHECK_THAT(short_row.weights[0], WithinRel(0.5, 1e-12));
    CHECK(short_row.duals.alpha[0] == 0.3);
    CHECK_THAT(short_row.duals.alpha[1], WithinRel(0.1, 1e-12));
}

TEST_CASE("Margin program: dependent rows, against a long projected gradient", "[property]") {
    for (std::uint64_t i = 0; i < 90; ++i) {
        INFO("program " << i);
        const Program program = dependent_program(i);
        const MarginSolution solution = solved(program);
        CHECK(solution.violation <= 1e-9);
        CHECK(breach(program, vector_of(solution.weights), solution.duals) <= 1e-8);
        CHECK(solution.passes <= 1000);
        // M >= I: w is off the best by at most the square root of twice what its value is off.
        const VectorXd found = vector_of(solution.weights).cwiseMax(0.0);
        const double bound = dual_value(program, projected_gradient(program));
        const double value = program.value(found);
        CHECK(value >= bound - 1e-9 * (1 + value));
        CHECK(value <= bound + 1e-4 * (1 + value));
        // Any start leads there.
        braid::Random random(braid::test::seed(), 2000 + i);
        MarginDuals start = solution.duals;
        for (double& alpha : start.alpha) alpha = random.uniform() * program.cost;
        for (double& eta : start.eta) eta = random.uniform();
        const MarginSolution other = solved(program, start);
        CHECK(breach(program, vector_of(other.weights), other.duals) <= 1e-8);
        CHECK((vector_of(other.weights) - vector_of(solution.weights)).norm() <=
              1e-7 * (1 + found.norm()));
    }
}

TEST_CASE("Margin program: no weights where every margin would be below 0") {
    const Values margins = {-0.3, -1.7, -2.1, -0.9, -0.01, -3.3};
    const MarginSolution solution = braid::solve_margins({.width = 3, .margins = margins}, {});
    CHECK(solution.weights == Values(3, 0));
    CHECK(solution.violation <= 1e-9);
    CHECK(solution.passes < 100);
    // Rankers that are all wrong: none is better than another by rounding.
    TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 10});
    for (std::size_t i = 0; i < set.rows(); ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
            set.scores[4 * i + k] = -set.grades[i] - 0.1 * static_cast<double>((i * (k + 3)) % 7);
        }
    }
    const braid::TrainingResult result =
        braid::fit_learner("ser", set, {}, *braid::make_executor(1));
    CHECK(std::get<braid::LinearFunction>(result.function).weights == Values(4, 0.25));
    CHECK(result.stop_reason == "converged");
}

TEST_CASE("Margin program: after any pass the dual is below the program", "[property]") {
    for (std::uint64_t i = 0; i < 60; ++i) {
        const Program program = i < 30 ? random_program(100 + i) : dependent_program(100 + i);
        const Flat flat(program);
        double last = -1e300;
        // Each goes on where the one before ended: ways that part needn't be one above the other.
        MarginDuals duals;
        for (const std::size_t passes : {1U, 1U, 1U, 2U, 4U, 91U}) {
            const MarginSolution solution =
                braid::solve_margins(flat.program, duals, 1e-12, passes);
            duals = solution.duals;
            const double bound = dual_value(program, solution.duals);
            const double value = program.value(vector_of(solution.weights).cwiseMax(0.0));
            const double room = 1e-9 * (1 + std::abs(value));
            CHECK(value >= bound - room);
            CHECK(bound >= last - room);  // Ascent on the dual.
            last = bound;
        }
    }
}

TEST_CASE("SER and SSER: what is learned and served solves the program", "[property]") {
    for (std::uint64_t i = 0; i < 6; ++i) {
        INFO("set " << i);
        const TrainingSet set = braid::test::random_training(
            braid::test::seed() + i,
            {.queries = 4, .documents = 15, .rankers = 3, .highest_grade = 2, .signal = 0.2});
        const braid::TrainingResult result =
            braid::fit_learner("sser", set, {}, *braid::make_executor(1));
        const auto& function = std::get<SemiSupervisedFunction>(result.function);
        using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        Program program{MatrixXd::Identity(3, 3), MatrixXd(), function.cost};
        program.B = Eigen::Map<const Rows>(
            function.margins.data(), static_cast<Eigen::Index>(function.margins.size() / 3), 3);
        // Without candidates: M is the identity, so w is what the duals pull with.
        VectorXd fixed = vector_of(function.eta);
        fixed += program.B.transpose() * vector_of(function.alpha);
        CHECK(breach(program, fixed, {function.alpha, function.eta}) <= 1e-8);
        const VectorXd expected = plain_solution(program);
        CHECK((vector_of(function.base) - expected / expected.sum()).cwiseAbs().maxCoeff() <= 1e-7);
        // For each query's candidates.
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            const Values form =
                braid::neighbour_form(set.query_scores(q), 3, {}, function.neighbours);
            Program own = program;
            own.M += function.gamma * Eigen::Map<const Rows>(form.data(), 3, 3);
            const VectorXd best = plain_solution(own);
            const VectorXd served =
                vector_of(braid::semi_supervised_weights(function, set.query_scores(q)));
            CHECK((served - best / best.sum()).cwiseAbs().maxCoeff() <= 1e-7);
        }
    }
}

TEST_CASE("Convex learners: no step has an objective below the bound", "[property]") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 15, .documents = 25, .highest_grade = 2, .signal = 0.1});
    for (const std::string learner : {"svm-map", "svm-ndcg", "ranksvm", "listnet", "listmle"}) {
        for (const double c : {1.0, 100.0, 1e5}) {
            for (const std::string weights : {"any", "non-negative"}) {
                INFO(learner << " c " << c << " " << weights);
                const braid::TrainingResult result = braid::fit_learner(
                    learner, set,
                    {.parameters = {{"c", c}, {"tolerance", 1e-6}, {"iterations", 300}},
                     .choices = {{"weights", weights}}},
                    *braid::make_executor(1));
                REQUIRE(result.bound);
                double least = 1e300;
                for (const braid::CurvePoint& point : result.curve) {
                    least = std::min(least, point.objective);
                }
                CHECK(least >= *result.bound - 1e-9 * std::abs(least));
                CHECK(result.iterations >= 1);
                if (result.stop_reason != "converged") continue;
                CHECK(least - *result.bound <= 1e-6 * std::abs(least) * (1 + 1e-9));
            }
        }
    }
}
