// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/vector_codes.h"

#include <bit>
#include <cmath>
#include <limits>

#include "braid/core/base/checksum.h"
#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::VectorCoding;
using braid::VectorInfo;

namespace {

constexpr VectorCoding kCodings[] = {VectorCoding::kSigned8, VectorCoding::kUnsigned8,
                                     VectorCoding::kFloat16, VectorCoding::kFloat32};

std::vector<float> random_unit_vector(braid::Random& random, std::size_t dimensions,
                                      bool is_signed) {
    std::vector<float> vector(dimensions);
    double squares = 0;
    for (float& x : vector) {
        x = static_cast<float>(is_signed ? random.normal() : random.uniform());
        squares += double{x} * x;
    }
    for (float& x : vector) x = static_cast<float>(x / std::sqrt(squares));
    return vector;
}

double dot_of(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
    return sum;
}

std::vector<float> round_trip(const VectorInfo& info, const std::vector<float>& vector) {
    const std::string bytes = braid::encode_vector(info, vector);
    const braid::StoredVector stored = braid::open_vector(bytes, vector.size(), "slot 5");
    CHECK(stored.info == info);
    std::vector<float> decoded(vector.size());
    braid::decode_vector(stored, decoded);
    return decoded;
}

}  // namespace

TEST_CASE("Half: agrees with the definition for every value, and rounds to nearest even") {
    for (unsigned half = 0; half < 0x7c00; ++half) {  // every finite positive one
        const unsigned exponent = half >> 10;
        const double fraction = half & 0x3ffU;
        const double expected = exponent == 0 ? std::ldexp(fraction, -24)
                                              : std::ldexp(1 + fraction / 1024, int(exponent) - 15);
        const float value = braid::from_half(static_cast<std::uint16_t>(half));
        REQUIRE(double{value} == expected);
        REQUIRE(braid::to_half(value) == half);
        REQUIRE(braid::to_half(-value) == (half | 0x8000U));
        if (half == 0x7bff) break;
        const float next = braid::from_half(static_cast<std::uint16_t>(half + 1));
        const float middle = value + (next - value) / 2;
        REQUIRE(braid::to_half(middle) == half + (half & 1U));
        REQUIRE(braid::to_half(std::nextafter(middle, 0.0F)) == half);
        REQUIRE(braid::to_half(std::nextafter(middle, next)) == half + 1);
    }
    CHECK(std::isinf(braid::from_half(braid::to_half(1e6F))));
}

TEST_CASE("Vector codes: bytes of a vector worked by hand") {
    // Codes 127 and round(-.75 * 127) = -95; scale 1 / sqrt(127^2 + 95^2) = 1 / sqrt(25154).
    const VectorInfo info = {VectorCoding::kSigned8, 7, 300};
    const std::string bytes = braid::encode_vector(info, std::vector<float>{0.8F, -0.6F});
    REQUIRE(bytes.size() == 12);
    CHECK(bytes.substr(0, 4) == std::string("\xb4\x07\xac\x02"));
    CHECK(bytes.substr(8, 2) == std::string("\x7f\xa1"));
    CHECK(braid::has_short_checksum(bytes));
    const auto stored = braid::open_vector(bytes, 2, "slot");
    CHECK_THAT(stored.scale, Catch::WithinRel(1 / std::sqrt(25154.0), 1e-7));
}

TEST_CASE("Vector codes: what is decoded is near, and 8-bit codes have length 1", "[property]") {
    braid::Random random(braid::test::seed());
    for (const VectorCoding coding : kCodings) {
        for (const std::size_t dimensions : {1U, 2U, 50U, 400U}) {
            const auto vector =
                random_unit_vector(random, dimensions, coding != VectorCoding::kUnsigned8);
            const auto decoded = round_trip({coding, 200, random.below(1'000'000)}, vector);
            CHECK_THAT(dot_of(decoded, decoded), Catch::WithinAbs(1, 1e-3));
            const double cosine = dot_of(vector, decoded) / std::sqrt(dot_of(decoded, decoded));
            CHECK(cosine > (braid::bytes_per_component(coding) == 1 ? 0.9998 : 0.9999999));
            if (braid::bytes_per_component(coding) == 1) {
                CHECK_THAT(dot_of(decoded, decoded), Catch::WithinAbs(1, 1e-6));
            }
            if (coding == VectorCoding::kFloat32) CHECK(decoded == vector);
        }
    }
}

TEST_CASE("Vector codes: a vector of zeros stays one") {
    for (const VectorCoding coding : kCodings) {
        CHECK(round_trip({coding, 0, 0}, std::vector<float>(10)) == std::vector<float>(10));
    }
}

TEST_CASE("Vector codes: values that can't be coded are refused") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(braid::encode_vector({}, std::vector<float>{1, nan}), braid::InvalidArgument);
    CHECK_THROWS_WITH(
        braid::encode_vector({VectorCoding::kUnsigned8, 0, 0}, std::vector<float>{1, -0.5F}),
        "component 1 of a vector is -0.5, expected none below 0 for unsigned codes");
}

TEST_CASE("Vector codes: truncated, longer and foreign bytes are refused", "[property]") {
    braid::Random random(braid::test::seed());
    for (const VectorCoding coding : kCodings) {
        const auto vector = random_unit_vector(random, 20, coding != VectorCoding::kUnsigned8);
        const std::string bytes = braid::encode_vector({coding, 3, 77}, vector);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            CHECK_THROWS_AS(braid::open_vector(bytes.substr(0, size), 20, "slot 1"),
                            braid::FormatError);
        }
        CHECK_THROWS_AS(braid::open_vector(bytes + "x", 20, "slot 1"), braid::FormatError);
        CHECK_THROWS_AS(braid::open_vector(bytes, 21, "slot 1"), braid::FormatError);
    }
    CHECK_THROWS_WITH(braid::open_vector("hello, this is text", 11, "slot 1"),
                      Catch::Contains("slot 1: vector: found a foreign value"));
    CHECK_THROWS_WITH(braid::open_vector("\xb8", 1, "slot 1"),
                      Catch::Contains("found version 2, can read 0 to 1"));
    for (int i = 0; i < 20000; ++i) {
        std::string bytes(random.below(40), '\0');
        for (char& c : bytes) c = static_cast<char>(random.bits());
        try {
            std::vector<float> decoded(random.below(20));
            const bool opens = braid::try_open_vector(bytes, decoded.size()).has_value();
            if (!opens) CHECK_THROWS(braid::open_vector(bytes, decoded.size(), "junk"));
            braid::decode_vector(braid::open_vector(bytes, decoded.size(), "junk"), decoded);
            CHECK(opens);
        } catch (const braid::FormatError&) {
        }
    }
}

namespace {

// The bytes before the checksum with the one that is theirs.
std::string with_checksum(std::string bytes) {
    if (bytes.size() < 2) return bytes;
    bytes.resize(bytes.size() - 2);
    const std::uint16_t checksum = braid::short_checksum(bytes);
    bytes += static_cast<char>(checksum & 0xffU);
    return bytes += static_cast<char>(checksum >> 8);
}

}  // namespace

TEST_CASE("Vector codes: what opens one way opens the other, with the same in it", "[property]") {
    braid::Random random(braid::test::seed(), 1);
    for (int i = 0; i < 20000; ++i) {
        const VectorCoding coding = kCodings[random.below(4)];
        const auto vector = random_unit_vector(random, 6, coding != VectorCoding::kUnsigned8);
        std::string bytes =
            braid::encode_vector({coding, 3, random.bits() >> random.below(64)}, vector);
        for (std::uint64_t j = random.below(3); j > 0; --j) {
            bytes[random.below(std::min<std::size_t>(bytes.size(), 16))] =
                static_cast<char>(random.bits());
        }
        if (random.below(8) == 0) bytes.resize(random.below(bytes.size() + 2));
        if (random.below(2) == 0) bytes = with_checksum(bytes);
        const auto tried = braid::try_open_vector(bytes, 6);
        try {
            const braid::StoredVector opened = braid::open_vector(bytes, 6, "slot 1");
            REQUIRE(tried.has_value());
            CHECK(tried->info == opened.info);
            CHECK(tried->scale == opened.scale);
            CHECK(tried->codes == opened.codes);
        } catch (const braid::FormatError&) {
            CHECK_FALSE(tried.has_value());
        }
    }
}
