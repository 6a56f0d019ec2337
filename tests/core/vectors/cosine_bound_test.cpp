// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "braid/core/vectors/clusters.h"
#include "braid/core/vectors/nearest_centroid.h"
#include "braid/tests/core/vectors/unit_vectors.h"
#include "braid/tests/support/support.h"

namespace {

using braid::cosine_bound;
using braid::FloatMatrix;
using braid::VectorCoding;
using namespace braid::test;

FloatMatrix stored(const FloatMatrix& vectors, VectorCoding coding) {
    FloatMatrix decoded(vectors.rows, vectors.columns);
    for (std::size_t v = 0; v < vectors.rows; ++v) {
        const std::string bytes = braid::encode_vector({coding, 0, 0}, vectors.row(v));
        braid::decode_vector(braid::open_vector(bytes, vectors.columns, "test"), decoded.row(v));
    }
    return decoded;
}

/// Queries of every kind: at random, near a centroid, a document itself, opposite to one.
FloatMatrix queries_for(const FloatMatrix& vectors, const braid::Clusters& clusters,
                        std::uint64_t seed) {
    braid::Random random(seed);
    FloatMatrix queries(120, vectors.columns);
    for (std::size_t q = 0; q < queries.rows; ++q) {
        const std::span<float> query = queries.row(q);
        const auto document = std::as_const(vectors).row(random.below(vectors.rows));
        const auto centroid =
            std::as_const(clusters.centroids).row(random.below(clusters.centroids.rows));
        const double noise = q % 4 == 0 ? 1 : q % 4 == 3 ? 0 : 0.05;
        for (std::size_t i = 0; i < query.size(); ++i) {
            const double base = q % 4 == 1 ? centroid[i] : q % 8 == 3 ? -document[i] : document[i];
            query[i] = static_cast<float>(base + noise * random.normal());
        }
        braid::test::make_unit(query);
    }
    return queries;
}

}  // namespace

TEST_CASE("Cosine bound: angles by hand") {
    const auto cosine = [](double degrees) { return std::cos(degrees * std::numbers::pi / 180); };
    CHECK_THAT(cosine_bound(cosine(60), cosine(20), 0), WithinAbs(cosine(40), 1e-12));
    CHECK_THAT(cosine_bound(cosine(150), cosine(30), 0), WithinAbs(cosine(120), 1e-12));
    CHECK_THAT(cosine_bound(cosine(20), cosine(20), 0), WithinAbs(1, 1e-12));
    CHECK(cosine_bound(cosine(10), cosine(20), 0) == 1);
    CHECK(cosine_bound(0.3, 1, 0) == 0.3);
    CHECK(cosine_bound(-0.5, -1, 0) == 1);
}

TEST_CASE("Cosine bound: the error of the query's cosine makes it too low nowhere", "[property]") {
    braid::Random random(braid::test::seed());
    for (int i = 0; i < 20'000; ++i) {
        const bool is_opposite = i % 2 == 0;
        const double query_angle =
            std::numbers::pi - random.uniform() * (is_opposite ? 2e-3 : std::numbers::pi);
        const double member_angle = random.uniform() * std::numbers::pi;
        const double error = (2 * random.uniform() - 1) * 1e-6;
        const double bound = cosine_bound(std::cos(query_angle) + error, std::cos(member_angle));
        const double best = std::cos(std::fmax(0, query_angle - member_angle));
        if (best > bound) FAIL(best << " over " << bound << " at angles " << query_angle);
    }
}

TEST_CASE("Cosine bound: rounding beyond -1 and 1 gives no NaN") {
    for (const double a : {-1.0000001, -1.0, 0.0, 1.0, 1.0000001}) {
        for (const double b : {-1.0, 0.0, 1.0}) {
            CHECK(std::isfinite(cosine_bound(a, b)));
        }
    }
}

TEST_CASE("Cosine bound: no member of a cluster exceeds it, in any coding", "[property]") {
    const std::vector<VectorCoding> codings = {VectorCoding::kSigned8, VectorCoding::kUnsigned8,
                                               VectorCoding::kFloat16, VectorCoding::kFloat32};
    const auto executor = braid::make_executor(2);
    for (std::uint64_t round = 0; round < 24; ++round) {
        const VectorCoding coding = codings[round % 4];
        braid::test::UnitVectorsOptions data;
        data.dimensions = 2 + round * round / 4;
        data.spread = round % 3 == 0 ? 0.02 : round % 3 == 1 ? 0.4 : 3;
        data.positive = coding == VectorCoding::kUnsigned8;
        const FloatMatrix vectors = braid::test::unit_vectors(braid::test::seed() + round, data);
        braid::ClusterOptions options;
        options.coding = coding;
        const braid::Clusters clusters = braid::fit_clusters(vectors, options, *executor);
        const FloatMatrix members = stored(vectors, coding);
        const FloatMatrix queries = queries_for(vectors, clusters, round);
        const double margin = braid::cosine_margin(coding);
        for (std::size_t q = 0; q < queries.rows; ++q) {
            std::vector<double> bounds;
            for (std::size_t c = 0; c < clusters.centroids.rows; ++c) {
                const double to_centroid =
                    braid::test::dot(queries.row(q), clusters.centroids.row(c));
                bounds.push_back(cosine_bound(to_centroid, clusters.radius[c], margin));
            }
            for (std::size_t v = 0; v < members.rows; ++v) {
                const double dot = braid::test::dot(queries.row(q), members.row(v));
                const double bound = bounds[clusters.assignment[v]];
                if (dot > bound) FAIL("document " << v << ": " << dot << " over " << bound);
            }
        }
    }
}

TEST_CASE("Cosine bound: tight where member, centroid and query lie on one great circle") {
    const double query_angle = 1.2;
    const double member_angle = 0.5;
    const double bound = cosine_bound(std::cos(query_angle), std::cos(member_angle));
    CHECK(bound >= std::cos(query_angle - member_angle));
    CHECK(bound <= std::cos(query_angle - member_angle) + 5e-6);
}
