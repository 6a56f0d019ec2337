// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/truncated_svd.h"

#include <Eigen/Dense>

#include "braid/error.h"
#include "braid/tests/core/topics/random_counts.h"
#include "braid/tests/support/support.h"

namespace {

using braid::SparseMatrix;
using braid::SvdOptions;
using braid::TermDocumentCounts;
using braid::TruncatedSvd;

SparseMatrix matrix_of(const TermDocumentCounts& counts) {
    return braid::make_sparse_matrix(counts, counts.counts);
}

TruncatedSvd solve(const SparseMatrix& matrix, const SvdOptions& options, std::size_t threads = 1) {
    return braid::truncated_svd(matrix, options, *braid::make_executor(threads),
                                [](std::size_t, double) {});
}

Eigen::MatrixXd dense(const braid::SparseRows& rows) {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.rows()),
                                                   static_cast<Eigen::Index>(rows.columns_total));
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (std::uint64_t i = rows.begin[r]; i < rows.begin[r + 1]; ++i) {
            result(static_cast<Eigen::Index>(r), rows.columns[i]) = rows.values[i];
        }
    }
    return result;
}

Eigen::MatrixXd dense(const braid::FloatMatrix& matrix) {
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
                                      static_cast<Eigen::Index>(matrix.columns))
        .cast<double>();
}

double largest(const Eigen::MatrixXd& matrix) { return matrix.cwiseAbs().maxCoeff(); }

/// Every defining property of the decomposition against Eigen's exact one. `error` is relative.
void check_against_exact(const SparseMatrix& matrix, const TruncatedSvd& svd, double error) {
    const Eigen::MatrixXd a = dense(matrix.by_document);
#if EIGEN_VERSION_AT_LEAST(3, 4, 90)
    const Eigen::BDCSVD<Eigen::MatrixXd, Eigen::ComputeThinU | Eigen::ComputeThinV> exact(a);
#else
    const Eigen::BDCSVD<Eigen::MatrixXd> exact(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
#endif
    const auto rank = static_cast<Eigen::Index>(svd.singular_values.size());
    const Eigen::Map<const Eigen::VectorXd> s(svd.singular_values.data(), rank);
    const Eigen::MatrixXd v = dense(svd.right);
    const Eigen::MatrixXd us = dense(svd.left_scaled);
    const double norm = exact.singularValues()(0);
    CHECK(largest(s - exact.singularValues().head(rank)) < error * norm);
    CHECK(largest(v.transpose() * v - Eigen::MatrixXd::Identity(rank, rank)) < 2e-5);
    CHECK(largest(a * v - us) < 1e-5 * norm);
    // U is orthonormal, and A'U = V S.
    CHECK(largest(us.transpose() * us - Eigen::MatrixXd(s.cwiseAbs2().asDiagonal())) <
          4 * error * norm * norm);
    CHECK((a.transpose() * us - v * s.cwiseAbs2().asDiagonal()).norm() <
          20 * std::sqrt(error) * norm * norm);
    // The sine of the largest angle between both spaces, where a gap defines the exact one.
    const double gap = rank < exact.singularValues().size()
                           ? s(rank - 1) - exact.singularValues()(rank)
                           : s(rank - 1);
    if (gap > 0.02 * norm) {
        const Eigen::MatrixXd other = exact.matrixV().leftCols(rank);
        const Eigen::MatrixXd outside = v - other * (other.transpose() * v);
        CHECK(outside.norm() < 0.02);
    }
}

}  // namespace

TEST_CASE("truncated_svd: agrees with an exact decomposition, both ways round", "[property]") {
    for (const auto& [documents, words] : {std::pair{400U, 150U}, {150U, 400U}, {260U, 260U}}) {
        for (const std::size_t rank : {1U, 5U, 12U, 16U, 17U, 30U}) {
            const TermDocumentCounts counts = braid::test::random_counts(
                braid::test::seed() + rank, {.documents = documents, .words = words});
            const SparseMatrix matrix = matrix_of(counts);
            INFO(documents << " x " << words << ", rank " << rank);
            const TruncatedSvd svd = solve(matrix, {.rank = rank, .tolerance = 1e-9});
            REQUIRE(svd.singular_values.size() == rank);
            CHECK(svd.converged);
            CHECK(svd.basis > 0);
            check_against_exact(matrix, svd, 1e-5);
        }
    }
}

TEST_CASE("truncated_svd: small matrices are solved exactly") {
    for (const auto& [documents, words] : {std::pair{60U, 25U}, {25U, 60U}, {70U, 1U}, {1U, 9U}}) {
        const TermDocumentCounts counts = braid::test::random_counts(
            braid::test::seed(), {.documents = documents, .words = words, .topics = 1});
        const SparseMatrix matrix = matrix_of(counts);
        const TruncatedSvd svd = solve(matrix, {.rank = 20});
        CHECK(svd.basis == 0);
        check_against_exact(matrix, svd, 1e-6);
    }
}

TEST_CASE("truncated_svd: a worked example") {
    // A = [[3, 0], [4, 5]]: A'A = [[25, 20], [20, 25]] has the values 45 and 5, with the vectors
    // (1, 1) and (1, -1) over sqrt(2).
    const TermDocumentCounts counts = {{"a", "b"}, {0, 1, 3}, {0, 0, 1}, {3, 4, 5}};
    const TruncatedSvd svd = solve(matrix_of(counts), {.rank = 2});
    REQUIRE(svd.singular_values.size() == 2);
    CHECK(svd.singular_values[0] == Approx(std::sqrt(45)).epsilon(1e-6));
    CHECK(svd.singular_values[1] == Approx(std::sqrt(5)).epsilon(1e-6));
    const float half = std::sqrt(0.5F);
    CHECK(std::abs(svd.right.row(0)[0]) == Approx(half));
    CHECK(svd.right.row(0)[0] == Approx(svd.right.row(1)[0]));
    CHECK(svd.right.row(0)[1] == Approx(-svd.right.row(1)[1]));
    CHECK(std::abs(svd.left_scaled.row(0)[0]) == Approx(3 * half));
    CHECK(std::abs(svd.left_scaled.row(1)[0]) == Approx(9 * half));
    CHECK(std::abs(svd.left_scaled.row(1)[1]) == Approx(half));
}

TEST_CASE("truncated_svd: a looser tolerance keeps nearly all of the exact energy") {
    const TermDocumentCounts counts = braid::test::random_counts(
        braid::test::seed(), {.documents = 1500, .words = 1200, .topics = 60});
    const SparseMatrix matrix = matrix_of(counts);
    const Eigen::BDCSVD<Eigen::MatrixXd> exact(dense(matrix.by_document));
    const double energy = exact.singularValues().head(50).squaredNorm();
    for (const double tolerance : {1e-2, 5e-4}) {
        const TruncatedSvd svd = solve(matrix, {.rank = 50, .tolerance = tolerance});
        double kept = 0;
        for (const double s : svd.singular_values) kept += s * s;
        CHECK(svd.missing <= tolerance);
        CHECK(kept < energy * (1 + 1e-6));
        // The estimate is one; twice of it covers what was seen.
        CHECK(kept > energy * (1 - 2 * tolerance));
    }
}

TEST_CASE("truncated_svd: the same bits at any number of threads and on every instruction set") {
    const TermDocumentCounts counts = braid::test::random_counts(
        braid::test::seed(), {.documents = 5000, .words = 3000, .topics = 40});
    const SparseMatrix matrix = matrix_of(counts);
    REQUIRE(matrix.by_document.chunk_count() > 1);
    const TruncatedSvd one = solve(matrix, {.rank = 20});
    REQUIRE(one.basis > 0);
    for (const std::size_t threads : {2U, 8U}) {
        const TruncatedSvd other = solve(matrix, {.rank = 20}, threads);
        CHECK(other.right.values == one.right.values);
        CHECK(other.left_scaled.values == one.left_scaled.values);
        CHECK(other.singular_values == one.singular_values);
    }
    const TruncatedSvd baseline =
        solve(matrix, {.rank = 20, .instruction_level = braid::InstructionLevel::kPlain});
    CHECK(baseline.right.values == one.right.values);
    CHECK(baseline.left_scaled.values == one.left_scaled.values);
    const TruncatedSvd other_seed = solve(matrix, {.rank = 20, .seed = 1});
    CHECK(other_seed.right.values != one.right.values);
}

// Without a second projection the basis stays orthogonal to 1e-7 at first, to .01 after 60 blocks
// and not at all after 110: leading values come twice, and what is missing seems to grow.
TEST_CASE("truncated_svd: a basis of many blocks stays orthonormal") {
    const TermDocumentCounts counts = braid::test::random_counts(
        3, {.documents = 1900, .words = 1800, .topics = 40, .mean_length = 25});
    const SparseMatrix matrix = matrix_of(counts);
    const std::size_t rank = 800;
    const TruncatedSvd svd = solve(matrix, {.rank = rank});
    REQUIRE(svd.basis >= 100 * braid::kPanelWidth);
    CHECK(svd.converged);
    CHECK(svd.missing <= 5e-4);
    REQUIRE(svd.singular_values.size() == rank);
    const Eigen::MatrixXd v = dense(svd.right);
    const auto size = static_cast<Eigen::Index>(rank);
    CHECK(largest(v.transpose() * v - Eigen::MatrixXd::Identity(size, size)) < 2e-5);
    // The kept energy is that of the projection on the kept space.
    const double norm = svd.singular_values[0];
    const Eigen::MatrixXd us = dense(svd.left_scaled);
    for (const Eigen::Index k : {Eigen::Index{0}, size / 2, size - 1}) {
        CHECK(us.col(k).norm() ==
              Approx(svd.singular_values[static_cast<std::size_t>(k)]).margin(1e-5 * norm));
    }
}

TEST_CASE("truncated_svd: what is solved exactly is missing nothing") {
    const TermDocumentCounts counts =
        braid::test::random_counts(4, {.documents = 300, .words = 280, .empty_share = 0});
    const TruncatedSvd svd = solve(matrix_of(counts), {.rank = 250});
    CHECK(svd.basis == 0);
    CHECK(svd.missing == 0);
    CHECK(svd.trace.empty());
}

TEST_CASE("truncated_svd: a matrix of lower rank gives as many dimensions as there are") {
    // 600 documents, each a multiple of one of five with words of their own: the Krylov space is
    // used up at once.
    braid::TermDocumentCountsBuilder builder;
    for (int d = 0; d < 600; ++d) {
        builder.begin_document();
        for (int w = 0; w < 30 + d % 5; ++w) {
            builder.add("w" + std::to_string(d % 5) + "." + std::to_string(w), 1 + d % 3);
        }
    }
    const SparseMatrix matrix = matrix_of(builder.build());
    const TruncatedSvd svd = solve(matrix, {.rank = 20});
    CHECK(svd.basis > 0);
    CHECK(svd.converged);
    REQUIRE(svd.singular_values.size() == 5);
    check_against_exact(matrix, svd, 1e-5);
}

TEST_CASE("truncated_svd: equal singular values are all found") {
    // 150 pairs of documents with two words that no other pair has.
    braid::TermDocumentCountsBuilder builder;
    for (int d = 0; d < 300; ++d) {
        builder.begin_document();
        builder.add("a" + std::to_string(d / 2));
        builder.add("b" + std::to_string(d / 2));
    }
    const SparseMatrix matrix = matrix_of(builder.build());
    const TruncatedSvd svd = solve(matrix, {.rank = 40, .tolerance = 1e-6});
    REQUIRE(svd.singular_values.size() == 40);
    for (const double s : svd.singular_values) CHECK(s == Approx(2).epsilon(1e-5));
    check_against_exact(matrix, svd, 1e-5);
}

TEST_CASE("truncated_svd: the caller sees the basis grow and can stop it") {
    const TermDocumentCounts counts = braid::test::random_counts(braid::test::seed(), {});
    const auto executor = braid::make_executor(1);
    std::vector<std::size_t> steps;
    const auto stop = [&](std::size_t basis, double) {
        steps.push_back(basis);
        if (steps.size() == 2) throw braid::Cancelled("enough");
    };
    CHECK_THROWS_AS(braid::truncated_svd(matrix_of(counts), {.rank = 20}, *executor, stop),
                    braid::Cancelled);
    CHECK(steps == std::vector<std::size_t>{16, 32});
}
