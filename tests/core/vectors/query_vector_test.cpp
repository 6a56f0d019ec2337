// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/query_vector.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::InstructionLevel;
using braid::QueryVector;
using braid::StoredVector;
using braid::VectorCoding;

namespace {

constexpr VectorCoding kCodings[] = {VectorCoding::kSigned8, VectorCoding::kUnsigned8,
                                     VectorCoding::kFloat16, VectorCoding::kFloat32};

std::vector<InstructionLevel> levels() {
    std::vector<InstructionLevel> result;
    for (const auto level : braid::kInstructionLevels) {
        if (braid::is_supported(level)) result.push_back(level);
    }
    return result;
}

/// Normal, or with few large components; of length 1.
std::vector<float> random_vector(braid::Random& random, std::size_t dimensions, bool is_signed) {
    std::vector<float> vector(dimensions);
    const double power = 1 + static_cast<double>(random.below(4));
    double squares = 0;
    for (float& x : vector) {
        const double normal = random.normal();
        x = static_cast<float>(std::pow(std::fabs(normal), power));
        if (is_signed && normal < 0) x = -x;
        squares += double{x} * x;
    }
    for (float& x : vector) x = static_cast<float>(x / std::sqrt(squares));
    return vector;
}

double naive_dot(const std::vector<float>& query, const StoredVector& stored) {
    std::vector<float> decoded(query.size());
    braid::decode_vector(stored, decoded);
    double sum = 0;
    for (std::size_t i = 0; i < query.size(); ++i) sum += double{query[i]} * decoded[i];
    return sum;
}

/// The length of the codes after QueryVector's head, of 8-bit codes.
double rest_of(const StoredVector& stored, std::size_t head) {
    double squares = 0;
    for (std::size_t i = head; i < stored.codes.size(); ++i) {
        const int code = stored.info.coding == VectorCoding::kSigned8
                             ? static_cast<signed char>(stored.codes[i])
                             : static_cast<unsigned char>(stored.codes[i]);
        squares += code * code;
    }
    return std::sqrt(squares);
}

/// The same bits on every level, from every address; returns them.
double dot_everywhere(const std::vector<float>& query, const StoredVector& stored) {
    const double expected = QueryVector(query, InstructionLevel::kPlain).dot(stored);
    for (const InstructionLevel level : levels()) {
        const QueryVector prepared(query, level);
        for (const std::size_t offset : {0U, 1U, 7U}) {
            // Nothing follows the codes, so that a read beyond them is seen by a sanitizer.
            std::vector<char> moved(offset + stored.codes.size());
            std::memcpy(moved.data() + offset, stored.codes.data(), stored.codes.size());
            StoredVector copy = stored;
            copy.codes = std::string_view(moved.data() + offset, stored.codes.size());
            const double found = prepared.dot(copy);
            INFO(braid::to_string(level) << ", offset " << offset);
            REQUIRE(std::bit_cast<std::uint64_t>(found) == std::bit_cast<std::uint64_t>(expected));
        }
    }
    return expected;
}

StoredVector with_codes(VectorCoding coding, float scale, const std::string& codes) {
    return {{coding, 0, 0}, scale, codes};
}

}  // namespace

TEST_CASE("Query vector: near a naive product for every number of dimensions", "[property]") {
    braid::Random random(braid::test::seed());
    for (std::size_t dimensions = 1; dimensions <= 130; ++dimensions) {
        for (const VectorCoding coding : kCodings) {
            const auto query = random_vector(random, dimensions, true);
            const std::string bytes = braid::encode_vector(
                {coding, 1, 2},
                random_vector(random, dimensions, coding != VectorCoding::kUnsigned8));
            const StoredVector stored = braid::open_vector(bytes, dimensions, "slot");
            const double bound = QueryVector(query).error_bound(coding);
            INFO(dimensions << " dimensions, coding " << static_cast<int>(coding));
            // 2e-7: decode_vector rounds scale * code to a float, the product doesn't.
            REQUIRE_THAT(dot_everywhere(query, stored),
                         Catch::WithinAbs(naive_dot(query, stored), bound * 1.001 + 2e-7));
            REQUIRE(bound < 3e-4);
        }
    }
}

TEST_CASE("Query vector: worked by hand") {
    // Largest 1, so whole numbers 32767 and round(.5 * 32767) = 16384: 16383.5 is a tie, to even.
    const QueryVector query(std::vector<float>{1, -0.5F});
    const std::string codes = {'\x64', '\x0a'};
    CHECK_THAT(query.dot(with_codes(VectorCoding::kUnsigned8, 0.01F, codes)),
               Catch::WithinRel((100 * 32767.0 - 10 * 16384.0) / 32767 * double{0.01F}, 1e-14));
    CHECK_THAT(query.error_bound(VectorCoding::kSigned8), Catch::WithinRel(0.5 / 32767, 1e-9));
    CHECK(query.dimensions() == 2);
    CHECK(query.values()[1] == -0.5F);
}

TEST_CASE("Query vector: no sum of 8-bit codes overflows, whatever their number") {
    for (const std::size_t dimensions : {257U, 258U, 400U, 1000U, 100'000U}) {
        for (const float sign : {1.0F, -1.0F}) {
            const std::vector<float> query(dimensions, sign);
            const double exact = sign * static_cast<double>(dimensions);
            const double bound = QueryVector(query).error_bound(VectorCoding::kUnsigned8) *
                                 std::sqrt(static_cast<double>(dimensions)) * 255;
            INFO(dimensions << " dimensions");
            CHECK_THAT(dot_everywhere(query, with_codes(VectorCoding::kUnsigned8, 1,
                                                        std::string(dimensions, '\xff'))),
                       Catch::WithinAbs(255 * exact, bound * 1.001));
            CHECK_THAT(dot_everywhere(query, with_codes(VectorCoding::kSigned8, 1,
                                                        std::string(dimensions, '\x80'))),
                       Catch::WithinAbs(-128 * exact, bound * 1.001));
        }
    }
}

TEST_CASE("Query vector: any codes give the same finite bits on every level", "[property]") {
    braid::Random random(braid::test::seed());
    for (int run = 0; run < 2000; ++run) {
        const std::size_t dimensions = 1 + random.below(100);
        const auto query = random_vector(random, dimensions, true);
        for (const VectorCoding coding : kCodings) {
            std::string codes(dimensions * braid::bytes_per_component(coding), '\0');
            for (char& c : codes) c = static_cast<char>(random.bits());
            REQUIRE(std::isfinite(dot_everywhere(query, with_codes(coding, 1, codes))));
        }
    }
}

TEST_CASE("Query vector: every half on every level") {
    std::vector<float> query(32);
    for (const std::size_t place : {0U, 1U, 31U}) {
        query.assign(32, 0);
        query[place] = 1;
        for (unsigned half = 0; half <= 0xffff; half += place == 1 ? 1 : 97) {
            std::string codes(64, '\0');
            codes[2 * place] = static_cast<char>(half & 0xffU);
            codes[2 * place + 1] = static_cast<char>(half >> 8);
            const StoredVector stored = with_codes(VectorCoding::kFloat16, 1, codes);
            const double naive = naive_dot(query, stored);
            for (const InstructionLevel level : levels()) {
                const double found = QueryVector(query, level).dot(stored);
                if (found != (std::isfinite(naive) ? naive : 0)) {
                    FAIL(braid::to_string(level) << ": half " << half << " gives " << found);
                }
            }
        }
    }
}

TEST_CASE("Query vector: none, zeros, tiny and large ones") {
    CHECK(QueryVector(std::vector<float>{}).dot(with_codes(VectorCoding::kSigned8, 1, "")) == 0);
    const std::string bytes =
        braid::encode_vector({VectorCoding::kSigned8, 0, 0}, std::vector<float>{0.6F, -0.8F});
    const StoredVector stored = braid::open_vector(bytes, 2, "slot");
    CHECK(QueryVector(std::vector<float>(2)).dot(stored) == 0);
    for (const float x : {1e-44F, 1e-20F, 1e20F, 2e38F}) {
        const std::vector<float> query = {x, x};
        CHECK_THAT(dot_everywhere(query, stored), Catch::WithinRel(naive_dot(query, stored), 1e-4));
    }
}

TEST_CASE("Query vector: components that are not finite and lengths too large are refused") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_WITH(QueryVector(std::vector<float>{1, nan}),
                      "component 1 of a query's vector is nan, expected a finite number");
    CHECK_THROWS_AS(QueryVector(std::vector<float>{3e38F, 3e38F}), braid::InvalidArgument);
}

TEST_CASE("QueryVector: a bound by the first components holds, and tells vectors apart",
          "[property]") {
    braid::Random random(braid::test::seed(), 9);
    std::size_t below = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::size_t dimensions = 80 + random.below(330);
        const std::size_t head = QueryVector::head_components(dimensions);
        REQUIRE(head > 0);
        REQUIRE((head + 16) % 64 == 0);
        REQUIRE(head < dimensions);
        const bool is_signed = round % 2 == 0;
        const std::vector<float> query = random_vector(random, dimensions, is_signed);
        // Every third is the query itself, in the components beyond the head or in all: the bound
        // is attained.
        std::vector<float> vector = random_vector(random, dimensions, is_signed);
        if (round % 3 == 0) vector = query;
        if (round % 6 == 0) std::fill_n(vector.begin(), head, 0.0F);
        const std::string bytes = braid::encode_vector(
            {is_signed ? VectorCoding::kSigned8 : VectorCoding::kUnsigned8, 0, 1}, vector);
        const StoredVector stored = braid::open_vector(bytes, dimensions, "test");
        const double rest = rest_of(stored, head);
        double bound = 0;
        for (const InstructionLevel level : levels()) {
            const QueryVector prepared(query, level);
            const double got = prepared.dot_bound(stored, rest);
            REQUIRE(got >= prepared.dot(stored));
            if (level == InstructionLevel::kPlain) bound = got;
            REQUIRE(got == bound);
        }
        if (round % 6 == 0) {
            REQUIRE(bound < QueryVector(query).dot(stored) + 1e-3);
        } else if (round % 3 != 0) {
            below += bound < 0.9 ? 1U : 0U;
        }
    }
    CHECK(below > 500);
    CHECK(QueryVector::head_components(64) == 0);
    const std::vector<float> few = random_vector(random, 20, true);
    const std::string bytes = braid::encode_vector({}, few);
    CHECK(std::isinf(QueryVector(few).dot_bound(braid::open_vector(bytes, 20, "test"), 0)));
    const std::vector<float> many = random_vector(random, 100, true);
    const std::string halves = braid::encode_vector({VectorCoding::kFloat16, 0, 1}, many);
    CHECK(std::isinf(QueryVector(many).dot_bound(braid::open_vector(halves, 100, "test"), 0)));
}
