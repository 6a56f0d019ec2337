// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/vectors/nearest_centroid.h"
#include "braid/error.h"
#include "braid/tests/core/vectors/unit_vectors.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;

Clusters fit(const FloatMatrix& vectors, const ClusterOptions& options, std::size_t threads = 1) {
    return braid::fit_clusters(vectors, options, *braid::make_executor(threads));
}

/// Lloyd's iteration as the book has it, in double precision.
std::vector<double> naive_trace(const FloatMatrix& vectors, const FloatMatrix& seeds,
                                std::size_t iterations) {
    std::vector<std::vector<double>> centroids;
    for (std::size_t c = 0; c < seeds.rows; ++c) {
        centroids.emplace_back(seeds.row(c).begin(), seeds.row(c).end());
    }
    std::vector<double> trace;
    for (std::size_t i = 0; i <= iterations; ++i) {
        double total = 0;
        std::vector<std::vector<double>> sums(seeds.rows, std::vector<double>(seeds.columns, 0));
        for (std::size_t v = 0; v < vectors.rows; ++v) {
            std::size_t best = 0;
            double largest = -2;
            for (std::size_t c = 0; c < seeds.rows; ++c) {
                double dot = 0;
                for (std::size_t k = 0; k < seeds.columns; ++k) {
                    dot += centroids[c][k] * vectors.row(v)[k];
                }
                if (dot > largest) {
                    largest = dot;
                    best = c;
                }
            }
            total += largest;
            for (std::size_t k = 0; k < seeds.columns; ++k) sums[best][k] += vectors.row(v)[k];
        }
        trace.push_back(total / static_cast<double>(vectors.rows));
        for (std::size_t c = 0; c < seeds.rows; ++c) {
            double squares = 0;
            for (const double x : sums[c]) squares += x * x;
            for (double& x : sums[c]) x /= std::sqrt(squares);
            centroids[c] = sums[c];
        }
    }
    return trace;
}

FloatMatrix from_rows(const std::vector<std::vector<float>>& rows) {
    FloatMatrix matrix(rows.size(), rows.front().size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::copy(rows[r].begin(), rows[r].end(), matrix.row(r).begin());
    }
    return matrix;
}

}  // namespace

TEST_CASE("Clusters: the objective goes as in naive Lloyd iterations") {
    for (std::uint64_t round = 0; round < 5; ++round) {
        const FloatMatrix vectors = unit_vectors(braid::test::seed() + round, {.spread = 1.5});
        ClusterOptions options;
        options.clusters = 11;
        options.tolerance = 0;
        options.iterations = 0;
        const Clusters seeds = fit(vectors, options);
        options.iterations = 12;
        const Clusters clusters = fit(vectors, options);
        REQUIRE(seeds.centroids.rows == 11);
        const std::vector<double> expected = naive_trace(vectors, seeds.centroids, 12);
        REQUIRE(clusters.trace.size() > 3);
        for (std::size_t i = 0; i < clusters.trace.size(); ++i) {
            CHECK_THAT(clusters.trace[i], WithinAbs(expected[i], 2e-6));
            if (i > 0) CHECK(clusters.trace[i] > clusters.trace[i - 1] - 1e-6);
        }
    }
}

TEST_CASE("Clusters: planted groups are found") {
    const FloatMatrix vectors = unit_vectors(3, {.count = 800, .groups = 8, .spread = 0.2});
    const Clusters clusters = fit(vectors, {.clusters = 8});
    REQUIRE(clusters.centroids.rows == 8);
    for (std::size_t v = 8; v < vectors.rows; ++v) {
        if (clusters.assignment[v] != clusters.assignment[v % 8]) FAIL("vector " << v);
    }
    CHECK(clusters.sizes == std::vector<std::uint32_t>(8, 100));
    CHECK(clusters.stop_reason == "converged");
    CHECK(clusters.warnings.empty());
}

TEST_CASE("Clusters: every promise of the result holds", "[property]") {
    for (std::uint64_t round = 0; round < 20; ++round) {
        const FloatMatrix vectors =
            unit_vectors(braid::test::seed() + round, {.count = 50 + 60 * round,
                                                       .dimensions = 1 + round,
                                                       .spread = 0.1 + 0.2 * round,
                                                       .zero_share = 0.1});
        const Clusters clusters = fit(vectors, {.clusters = round % 2 == 0 ? 0 : 3 * round});
        std::vector<std::uint32_t> sizes(clusters.centroids.rows, 0);
        std::vector<float> least(clusters.centroids.rows, 1);
        const braid::NearestCentroid search(clusters.centroids);
        for (std::size_t v = 0; v < vectors.rows; ++v) {
            const auto row = std::as_const(vectors).row(v);
            const std::uint32_t cluster = clusters.assignment[v];
            CHECK(search.find(row).cluster == cluster);
            const bool zero = braid::test::dot(row, row) == 0;
            REQUIRE(zero == (cluster == kNoCluster));
            if (zero) continue;
            ++sizes[cluster];
            const double own = braid::test::cosine(row, clusters.centroids.row(cluster));
            REQUIRE(clusters.radius[cluster] <= own);
            least[cluster] = std::min(least[cluster], static_cast<float>(own));
            for (std::size_t c = 0; c < clusters.centroids.rows; ++c) {
                REQUIRE(braid::test::cosine(row, clusters.centroids.row(c)) <= own + 1e-6);
            }
        }
        CHECK(sizes == clusters.sizes);
        CHECK(*std::min_element(sizes.begin(), sizes.end()) > 0);
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            CHECK_THAT(clusters.radius[c], WithinAbs(least[c], 2e-7));
            CHECK_THAT(braid::test::dot(clusters.centroids.row(c), clusters.centroids.row(c)),
                       WithinAbs(1, 1e-6));
        }
    }
}

TEST_CASE("Clusters: radii hold for stored codes, which are elsewhere than the vectors") {
    const FloatMatrix vectors = unit_vectors(5, {.count = 400, .dimensions = 60, .spread = 0.3});
    const Clusters exact = fit(vectors, {.clusters = 6});
    const Clusters coded = fit(vectors, {.clusters = 6, .coding = braid::VectorCoding::kSigned8});
    CHECK(exact.centroids.values == coded.centroids.values);
    CHECK(exact.radius != coded.radius);
}

TEST_CASE("Clusters: the same bits at any number of threads and on every run") {
    const FloatMatrix vectors = unit_vectors(
        7, {.count = 9000, .dimensions = 37, .groups = 40, .spread = 1, .zero_share = 0.01});
    const Clusters one = fit(vectors, {}, 1);
    CHECK(one.centroids.rows == 94);  // sqrt(9000 - 90 or so)
    for (const std::size_t threads : {1U, 2U, 8U}) {
        const Clusters again = fit(vectors, {}, threads);
        CHECK(one.centroids.values == again.centroids.values);
        CHECK(one.assignment == again.assignment);
        CHECK(one.radius == again.radius);
        CHECK(one.trace == again.trace);
    }
    CHECK(fit(vectors, {.seed = 1}).assignment != one.assignment);
}

TEST_CASE("Clusters: kernels of all instruction sets give the same bits") {
    const FloatMatrix vectors = unit_vectors(11, {.count = 4, .dimensions = 101});
    const FloatMatrix panel = unit_vectors(12, {.count = 101, .dimensions = 16});
    const float* rows[4];
    for (std::size_t r = 0; r < 4; ++r) rows[r] = vectors.row(r).data();
    std::vector<float> plain(64);
    std::vector<float> best(64);
    braid::centroid_kernel(braid::InstructionLevel::kPlain)(101, rows, panel.values.data(),
                                                            plain.data());
    braid::centroid_kernel(braid::best_instruction_level())(101, rows, panel.values.data(),
                                                            best.data());
    CHECK(plain == best);
    float expected = 0;
    for (std::size_t i = 0; i < 101; ++i) expected += panel.row(i)[5] * vectors.row(2)[i];
    CHECK(plain[2 * 16 + 5] == expected);
}

TEST_CASE("Clusters: centroids learned from a sample serve all vectors") {
    const FloatMatrix vectors = unit_vectors(13, {.count = 6000, .groups = 5, .spread = 0.2});
    const Clusters clusters = fit(vectors, {.clusters = 5, .sample_per_cluster = 20});
    CHECK(clusters.sizes == std::vector<std::uint32_t>(5, 1200));
    for (std::size_t v = 0; v < vectors.rows; ++v) {
        const std::uint32_t c = clusters.assignment[v];
        REQUIRE(clusters.radius[c] <=
                braid::test::cosine(vectors.row(v), clusters.centroids.row(c)));
    }
}

TEST_CASE("Clusters: fewer directions than clusters") {
    const FloatMatrix vectors =
        from_rows({{1, 0}, {0, 1}, {1, 0}, {0, 0}, {0, 1}, {0.6F, 0.8F}, {1, 0}});
    const Clusters clusters = fit(vectors, {.clusters = 5});
    CHECK(clusters.centroids.rows == 3);
    REQUIRE(clusters.warnings.size() == 1);
    CHECK_THAT(clusters.warnings[0], Contains("lowered from 5 to 3"));
    CHECK(clusters.assignment[3] == kNoCluster);
    CHECK(clusters.assignment[0] == clusters.assignment[6]);
    CHECK(clusters.assignment[0] != clusters.assignment[5]);
}

TEST_CASE("Clusters: opposite vectors, whose sum has no direction") {
    const FloatMatrix vectors = from_rows({{1, 0}, {-1, 0}});
    const Clusters clusters = fit(vectors, {.clusters = 1});
    REQUIRE(clusters.centroids.rows == 1);
    CHECK(clusters.radius[0] == -1);
    CHECK(std::abs(clusters.centroids.row(0)[0]) == 1);
}

TEST_CASE("Clusters: an empty cluster gets the vector that is served worst") {
    const FloatMatrix vectors = from_rows({{1, 0}, {0.8F, 0.6F}, {0.96F, 0.28F}, {0, 1}});
    std::vector<const float*> rows;
    for (std::size_t v = 0; v < vectors.rows; ++v) rows.push_back(vectors.row(v).data());
    // The last two are nobody's nearest; the vector (0, 1) is alone in its cluster and stays there.
    const FloatMatrix seeds = from_rows({{1, 0}, {0, 1}, {-1, 0}, {0, -1}});
    const auto executor = braid::make_executor(1);
    braid::Lloyd lloyd(rows, seeds, *executor);
    lloyd.assign();
    lloyd.update();
    const FloatMatrix& centroids = lloyd.centroids();
    CHECK(std::vector<float>{0.8F, 0.6F} ==
          std::vector<float>(centroids.row(2).begin(), centroids.row(2).end()));
    CHECK_THAT(centroids.row(3)[0], WithinAbs(0.96, 1e-6));
    CHECK_THAT(centroids.row(0)[0], WithinAbs(1, 1e-6));
    CHECK_THAT(centroids.row(1)[1], WithinAbs(1, 1e-6));
    CHECK_THAT(lloyd.assign(), WithinAbs(1, 1e-6));
}

TEST_CASE("Clusters: dropping empty ones renumbers the others") {
    const FloatMatrix vectors = from_rows({{1, 0}, {0, 1}});
    const auto executor = braid::make_executor(1);
    braid::Lloyd lloyd({vectors.row(0).data(), vectors.row(1).data()},
                       from_rows({{-1, 0}, {0, 1}, {0, -1}, {1, 0}}), *executor);
    lloyd.assign();
    lloyd.drop_empty();
    CHECK(lloyd.centroids().values == std::vector<float>{0, 1, 1, 0});
    CHECK(lloyd.nearest()[0].cluster == 1);
    CHECK(lloyd.nearest()[1].cluster == 0);
}

TEST_CASE("Clusters: nothing to cluster") {
    for (const std::size_t rows : {0U, 4U}) {
        const Clusters clusters = fit(FloatMatrix(rows, 3), {});
        CHECK(clusters.centroids.rows == 0);
        CHECK(clusters.assignment == std::vector<std::uint32_t>(rows, kNoCluster));
        CHECK(clusters.radius.empty());
    }
}

TEST_CASE("Clusters: wrong input is refused") {
    const FloatMatrix good = unit_vectors(1, {.count = 10, .dimensions = 3});
    CHECK_THROWS_WITH(fit(from_rows({{1, 0}, {2, 0}}), {}), Contains("vector 1 has length 2"));
    CHECK_THROWS_AS(fit(from_rows({{std::numeric_limits<float>::quiet_NaN(), 0}}), {}),
                    InvalidArgument);
    CHECK_THROWS_WITH(fit(from_rows({{0, -1}}), {.coding = braid::VectorCoding::kUnsigned8}),
                      Contains("unsigned"));
    CHECK_THROWS_WITH(fit(good, {.tolerance = 1}), Contains("tolerance"));
    CHECK_THROWS_AS(fit(good, {.tolerance = -0.1}), InvalidArgument);
    CHECK_THROWS_AS(fit(good, {.clusters = kNoCluster}), InvalidArgument);
    CHECK_THROWS_AS(braid::NearestCentroid(FloatMatrix(0, 3)), InvalidArgument);
    CHECK_THROWS_WITH(braid::NearestCentroid(good).find(std::vector<float>{1, 0}),
                      Contains("2 components, expected 3"));
}

TEST_CASE("Clusters: progress is told and can stop the work") {
    const FloatMatrix vectors = unit_vectors(2, {});
    const auto executor = braid::make_executor(1);
    std::size_t calls = 0;
    const Clusters clusters = braid::fit_clusters(vectors, {}, *executor, [&](const auto& report) {
        CHECK(report.phase == "clustering documents");
        ++calls;
        return true;
    });
    CHECK(calls == clusters.trace.size());
    CHECK_THROWS_AS(braid::fit_clusters(vectors, {}, *executor, [](const auto&) { return false; }),
                    braid::Cancelled);
}

TEST_CASE("Clusters: a later document may widen its cluster") {
    const FloatMatrix vectors = unit_vectors(4, {.spread = 0.2});
    Clusters clusters = fit(vectors, {.clusters = 8});
    const braid::NearestCentroid search(clusters.centroids);
    const FloatMatrix later = unit_vectors(40, {.count = 50, .spread = 3});
    std::size_t widened = 0;
    for (std::size_t v = 0; v < later.rows; ++v) {
        const auto row = std::as_const(later).row(v);
        const std::uint32_t c = search.find(row).cluster;
        const auto centroid = std::as_const(clusters.centroids).row(c);
        const float before = clusters.radius[c];
        const bool grew = braid::widen_radius(centroid, row, clusters.radius[c]);
        CHECK(grew == (clusters.radius[c] < before));
        CHECK(clusters.radius[c] <= braid::test::cosine(row, centroid));
        CHECK_FALSE(braid::widen_radius(centroid, row, clusters.radius[c]));
        widened += grew ? 1 : 0;
    }
    CHECK(widened > 5);
}

TEST_CASE("Clusters: a cosine rounds down, never up", "[property]") {
    const FloatMatrix vectors = unit_vectors(braid::test::seed(), {.count = 400, .spread = 0.01});
    for (std::size_t v = 0; v + 8 < vectors.rows; ++v) {
        const float rounded = braid::cosine_rounded_down(vectors.row(v), vectors.row(v + 8));
        const double exact = braid::test::cosine(vectors.row(v), vectors.row(v + 8));
        CHECK(rounded <= exact);
        CHECK(rounded > exact - 1.3e-7);
    }
    CHECK(braid::cosine_rounded_down(vectors.row(0), vectors.row(0)) < 1);
    CHECK(braid::cosine_rounded_down(vectors.row(0), std::vector<float>(20, 0)) == -1);
}
