// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/checksum.h"

#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using braid::crc32c;
using braid::crc32c_by_tables;

namespace {

std::string random_bytes(braid::Random& random, std::size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random.bits());
    return bytes;
}

// Bit by bit, as RFC 3720 has it.
std::uint32_t naive(const std::string& bytes) {
    std::uint32_t remainder = 0xffffffffU;
    for (const char c : bytes) {
        remainder ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) {
            remainder = (remainder & 1U) != 0 ? remainder >> 1 ^ 0x82f63b78U : remainder >> 1;
        }
    }
    return ~remainder;
}

}  // namespace

TEST_CASE("Checksum: the values of RFC 3720") {
    CHECK(crc32c("123456789") == 0xe3069283U);
    CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aaU);
    CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43U);
    CHECK(crc32c("") == 0);
}

TEST_CASE("Checksum: instruction, tables and the naive one agree", "[property]") {
    braid::Random random(braid::test::seed());
    for (std::size_t size = 0; size < 300; ++size) {
        const std::string bytes = random_bytes(random, size);
        REQUIRE(crc32c(bytes) == naive(bytes));
        REQUIRE(crc32c_by_tables(bytes) == naive(bytes));
        // At any alignment.
        if (size > 0) REQUIRE(crc32c(std::string_view(bytes).substr(1)) == naive(bytes.substr(1)));
    }
}

TEST_CASE("Checksum: the short one sees every change of one byte within its reach") {
    // The checksum is linear: a change shows, or doesn't, whatever the other bytes are.
    const std::string zeros(braid::kShortChecksumReach, '\0');
    const std::uint16_t without = braid::short_checksum(zeros);
    std::string changed = zeros;
    for (std::size_t at = 0; at < changed.size(); ++at) {
        for (int value = 1; value < 256; ++value) {
            changed[at] = static_cast<char>(value);
            if (braid::short_checksum(changed) == without) FAIL("missed " << value << " at " << at);
        }
        changed[at] = '\0';
    }
    // And the reach is said truly: the byte before has a change that passes.
    std::string longer(braid::kShortChecksumReach + 1, '\0');
    const std::uint16_t of_longer = braid::short_checksum(longer);
    int missed = 0;
    for (int value = 1; value < 256; ++value) {
        longer[0] = static_cast<char>(value);
        if (braid::short_checksum(longer) == of_longer) ++missed;
    }
    CHECK(missed > 0);
}

TEST_CASE("Checksum: has_short_checksum takes what ends in it, and nothing shorter") {
    braid::Random random(braid::test::seed(), 1);
    std::string bytes = random_bytes(random, 50);
    const std::uint16_t checksum = braid::short_checksum(bytes);
    bytes += static_cast<char>(checksum & 0xffU);
    bytes += static_cast<char>(checksum >> 8);
    CHECK(braid::has_short_checksum(bytes));
    CHECK_FALSE(braid::has_short_checksum(""));
    CHECK_FALSE(braid::has_short_checksum("x"));
    for (char& c : bytes) {
        c = static_cast<char>(c ^ 1);
        CHECK_FALSE(braid::has_short_checksum(bytes));
        c = static_cast<char>(c ^ 1);
    }
}
