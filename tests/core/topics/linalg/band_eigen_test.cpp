// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/band_eigen.h"

#include <algorithm>

#include <Eigen/Dense>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

namespace {

using braid::Eigenpairs;
using braid::SymmetricBand;

Eigen::MatrixXd dense(const SymmetricBand& band) {
    const auto size = static_cast<Eigen::Index>(band.size());
    Eigen::MatrixXd matrix(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index j = 0; j < size; ++j) {
            matrix(i, j) = band.get(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
        }
    }
    return matrix;
}

/// Values as a dense solver's, vectors with V'V = I and AV = VL.
void check(const SymmetricBand& band, std::size_t count) {
    const Eigenpairs pairs = braid::leading_eigenpairs(band, count, 1e-6);
    const Eigen::MatrixXd matrix = dense(band);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> exact(matrix);
    const auto size = matrix.rows();
    const double largest = exact.eigenvalues()(size - 1);
    std::size_t expected = 0;
    while (expected < std::min(count, band.size()) &&
           exact.eigenvalues()(size - 1 - static_cast<Eigen::Index>(expected)) > 1e-6 * largest) {
        ++expected;
    }
    REQUIRE(pairs.values.size() == expected);
    if (expected == 0) return;
    const auto kept = static_cast<Eigen::Index>(expected);
    const Eigen::Map<const Eigen::VectorXd> values(pairs.values.data(), kept);
    const Eigen::Map<const Eigen::MatrixXd> vectors(pairs.vectors.data(), size, kept);
    const double norm = exact.eigenvalues().cwiseAbs().maxCoeff();
    CHECK((values - exact.eigenvalues().tail(kept).reverse()).cwiseAbs().maxCoeff() < 1e-12 * norm);
    CHECK((matrix * vectors - vectors * values.asDiagonal()).cwiseAbs().maxCoeff() < 1e-11 * norm);
    CHECK((vectors.transpose() * vectors - Eigen::MatrixXd::Identity(kept, kept))
              .cwiseAbs()
              .maxCoeff() < 1e-8);
}

}  // namespace

TEST_CASE("band_eigen: agrees with a dense solver on random matrices", "[property]") {
    braid::Random random(braid::test::seed());
    for (const std::size_t size : {1U, 2U, 3U, 17U, 60U, 150U}) {
        for (const std::size_t width : {0U, 1U, 2U, 5U, 16U}) {
            SymmetricBand band(size, width);
            for (std::size_t j = 0; j < size; ++j) {
                for (std::size_t i = j; i < std::min(size, j + width + 1); ++i) {
                    band.at(i, j) = random.normal();
                }
            }
            INFO("size " << size << " width " << width);
            check(band, size / 2 + 1);
        }
    }
}

TEST_CASE("band_eigen: equal eigenvalues get orthogonal vectors") {
    // Five copies of one block that don't touch each other, with a sixth of zeros.
    constexpr std::size_t kSize = 60;
    SymmetricBand band(kSize, 3);
    for (std::size_t j = 0; j < 50; ++j) {
        band.at(j, j) = 2 + static_cast<double>(j % 10);
        for (std::size_t i = j + 1; i < j + 4; ++i) {
            if (i / 10 == j / 10) band.at(i, j) = 0.5;
        }
    }
    check(band, kSize);

    SymmetricBand identity(20, 2);
    for (std::size_t j = 0; j < 20; ++j) identity.at(j, j) = 1;
    check(identity, 20);
}

TEST_CASE("band_eigen: nearly equal eigenvalues get orthogonal vectors") {
    SymmetricBand band(40, 2);
    for (std::size_t j = 0; j < 40; ++j) band.at(j, j) = 1 + 1e-10 * static_cast<double>(j);
    for (std::size_t j = 0; j + 2 < 40; ++j) band.at(j + 2, j) = 1e-9;
    check(band, 40);
}

TEST_CASE("band_eigen: nothing positive gives nothing") {
    SymmetricBand band(5, 1);
    CHECK(braid::leading_eigenpairs(band, 3, 1e-6).values.empty());
    for (std::size_t j = 0; j < 5; ++j) band.at(j, j) = -1;
    CHECK(braid::leading_eigenpairs(band, 3, 1e-6).values.empty());
    CHECK(braid::leading_eigenpairs(SymmetricBand(0, 1), 3, 1e-6).values.empty());
}
