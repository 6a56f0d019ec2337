// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/core/base/random.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

FloatMatrix random_vectors(Random& random, std::size_t rows, std::size_t columns) {
    FloatMatrix vectors(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
        if (i % 17 == 3) continue;  // All zero.
        double squares = 0;
        for (float& x : vectors.row(i)) {
            x = static_cast<float>(random.uniform() - 0.3);
            squares += static_cast<double>(x) * x;
        }
        for (float& x : vectors.row(i)) x = static_cast<float>(x / std::sqrt(squares));
    }
    return vectors;
}

std::vector<std::uint32_t> all_rows(const FloatMatrix& vectors) {
    std::vector<std::uint32_t> rows(vectors.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

// Every other row's product, sorted.
std::vector<std::uint32_t> naive_neighbours(const FloatMatrix& vectors, std::size_t count) {
    std::vector<std::uint32_t> result(vectors.rows * count, kNoNeighbour);
    std::vector<std::string> codes;
    for (std::size_t i = 0; i < vectors.rows; ++i) {
        codes.push_back(encode_vector({}, vectors.row(i)));
    }
    for (std::uint32_t i = 0; i < vectors.rows; ++i) {
        const QueryVector query(vectors.row(i));
        std::vector<std::pair<double, std::uint32_t>> found;
        for (std::uint32_t j = 0; j < vectors.rows; ++j) {
            const double dot = query.dot(open_vector(codes[j], vectors.columns, "test"));
            if (j != i && dot > 0) found.emplace_back(-dot, j);
        }
        std::sort(found.begin(), found.end());
        for (std::size_t k = 0; k < std::min(count, found.size()); ++k) {
            result[i * count + k] = found[k].second;
        }
    }
    return result;
}

}  // namespace

TEST_CASE("Neighbours: an example worked by hand") {
    // Length 20, share .15, p .001, mu 1000: (20 * .15 + 1) / 1 * (1000 + 3000) / (1000 + 20).
    CHECK_THAT(expanded_gain({0.5, 1000}, 0.15, 0.001, 20, 3000),
               WithinRel(std::log(4 * 4000.0 / 1020), 1e-12));
    CHECK_THAT(expanded_gain({0.5, 1000}, 0, 0.001, 3000, 3000), WithinRel(0.0, 1e-12));
}

TEST_CASE("Neighbours: no word gains more than the bound", "[property]") {
    Random random(seed());
    for (int i = 0; i < 20000; ++i) {
        const NeighbourSettings settings{0.5, 1 + 2000 * random.uniform()};
        const double p = std::pow(10, -6 * random.uniform());
        const double most = 2 * random.uniform();
        const double shortest = 0.1 + 10 * random.uniform();
        const double longest_found = shortest + 5000 * random.uniform();
        const double longest = random.below(2) == 0 ? 1e7 : 100;
        const double share = most * random.uniform();
        const double length =
            std::min(longest, shortest + (longest_found - shortest) * random.uniform());
        const double gain = expanded_gain(settings, share, p, length, longest);
        REQUIRE(gain >= -1e-12);
        REQUIRE(gain <= 1e-12 + (1 + 1e-12) * expanded_bound(settings, most, p, shortest,
                                                             longest_found, longest));
    }
}

TEST_CASE("Neighbours: the nearest are those of a naive search, at any number of threads",
          "[property]") {
    Random random(seed(), 1);
    const FloatMatrix vectors = random_vectors(random, 400, 12);
    const auto naive = naive_neighbours(vectors, 7);
    const std::vector<std::uint32_t> rows = all_rows(vectors);
    for (const std::size_t threads : {1U, 2U, 8U}) {
        const auto executor = make_executor(threads);
        CHECK(nearest_rows(vectors, rows, {.count = 7}, *executor) == naive);
    }
    const std::vector<std::uint32_t> some = {5, 3, 399};
    const auto found = nearest_rows(vectors, some, {.count = 7}, *make_executor(1));
    for (std::size_t i = 0; i < some.size(); ++i) {
        CHECK(std::equal(found.begin() + 7 * i, found.begin() + 7 * (i + 1),
                         naive.begin() + 7 * some[i]));
    }
    CHECK(std::all_of(found.begin() + 7, found.begin() + 14,
                      [](std::uint32_t row) { return row == kNoNeighbour; }));
}

TEST_CASE("Neighbours: by clusters most are found, and all if every cluster is visited") {
    Random random(seed(), 2);
    const FloatMatrix vectors = random_vectors(random, 900, 10);
    const auto naive = naive_neighbours(vectors, 5);
    const std::vector<std::uint32_t> rows = all_rows(vectors);
    const auto executor = make_executor(2);
    CHECK(nearest_rows(vectors, rows, {.count = 5, .most_exact = 100, .probes = 100}, *executor) ==
          naive);
    const auto found =
        nearest_rows(vectors, rows, {.count = 5, .most_exact = 100, .probes = 10}, *executor);
    CHECK(found == nearest_rows(vectors, rows, {.count = 5, .most_exact = 100, .probes = 10},
                                *make_executor(1)));
    std::size_t same = 0;
    for (std::size_t i = 0; i < vectors.rows; ++i) {
        for (std::size_t k = 0; k < 5; ++k) {
            const auto begin = found.begin() + 5 * i;
            same += std::find(begin, begin + 5, naive[5 * i + k]) != begin + 5 ? 1 : 0;
        }
    }
    CHECK(same > 0.8 * 5 * vectors.rows);
}

TEST_CASE("Neighbours: looking for them can be stopped") {
    Random random(seed(), 3);
    const FloatMatrix vectors = random_vectors(random, 50, 4);
    CHECK_THROWS_AS(nearest_rows(vectors, all_rows(vectors), {}, *make_executor(1),
                                 [](const ProgressReport&) { return false; }),
                    Cancelled);
}

TEST_CASE("Neighbours: whole numbers are stored and read") {
    const std::vector<std::int32_t> numbers = {-1, 7, -2147483647, 2147483647, 0};
    const VectorInfo info{VectorCoding::kFloat32, 9, 300};
    const std::string bytes = encode_numbers(info, numbers);
    const StoredVector stored = open_vector(bytes, 5, "test");
    CHECK(stored.info == info);
    for (std::size_t i = 0; i < 5; ++i) CHECK(number_at(stored, i) == numbers[i]);
    CHECK(number_at(stored, 5) == 0);
    CHECK_THROWS_AS(encode_numbers({}, numbers), InvalidArgument);
}
