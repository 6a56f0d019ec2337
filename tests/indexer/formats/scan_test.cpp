// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/scan.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// scan_decimal's value, where it reads all of the text.
std::optional<double> scanned(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    if (braid::scan_decimal(text.data(), end, value) != end) return std::nullopt;
    return value;
}

bool same_bits(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

}  // namespace

TEST_CASE("Scan: numbers are read without regard to how they are written") {
    CHECK(braid::parse_number("12.5") == 12.5);
    CHECK(braid::parse_number("-.5e1") == -5.0);
    CHECK(braid::parse_number("+3") == 3.0);
    CHECK(braid::parse_number("5.") == 5.0);
    CHECK(braid::parse_number("1e400") == kInfinity);
    CHECK(braid::parse_number("-1e400") == -kInfinity);
    CHECK(braid::parse_number(std::string(400, '9')) == kInfinity);
    CHECK(braid::parse_number("1e-400") == 0.0);
    CHECK(braid::parse_number("0." + std::string(400, '0') + "1") == 0.0);
    CHECK(braid::parse_number("4.9e-324") == 4.9e-324);
    CHECK(braid::parse_number("inf") == kInfinity);
    CHECK(std::isnan(braid::parse_number("nan").value_or(0)));
    for (const char* text :
         {"", "+", "-", ".", "e5", "1e", "1 ", " 1", "1x", "0x1", "+-1", "1,5"}) {
        CAPTURE(text);
        CHECK_FALSE(braid::parse_number(text));
    }
}

TEST_CASE("Scan: a plain decimal is read to the nearest double or not at all", "[property]") {
    braid::Random random(braid::test::seed());
    std::size_t read = 0;
    for (int i = 0; i < 100'000; ++i) {
        std::string text = random.below(3) == 0 ? "-" : "";
        for (std::uint64_t digits = random.below(13); digits-- > 0;) {
            text += static_cast<char>('0' + random.below(10));
        }
        if (random.below(4) != 0) text += '.';
        for (std::uint64_t digits = random.below(13); digits-- > 0;) {
            text += static_cast<char>('0' + random.below(10));
        }
        const auto value = scanned(text);
        if (!value) continue;
        ++read;
        if (!same_bits(*value, std::strtod(text.c_str(), nullptr))) FAIL(text);
    }
    CHECK(read > 50'000);
    CHECK(scanned("9007199254740992") == 9007199254740992.0);
    CHECK_FALSE(scanned("9007199254740993"));      // No double: 2^53 + 1.
    CHECK_FALSE(scanned("18446744073709551617"));  // 2^64 + 1 has come round to 1.
    CHECK_FALSE(scanned("00000000000000000000.5"));
    CHECK_FALSE(scanned("."));
    CHECK_FALSE(scanned("-"));
    CHECK_FALSE(scanned("1e5"));
    CHECK_FALSE(scanned("--1"));
}

TEST_CASE("Scan: what is quoted in a message is short and can be printed") {
    CHECK(braid::in_quotes("a\tb\xC3\x01'") == "'a\\tb\\xc3\\x01''");
    CHECK(braid::in_quotes(std::string(100, 'x')) == "'" + std::string(60, 'x') + "...'");
    CHECK(braid::counted(1, "column") == "1 column");
    CHECK(braid::counted(0, "column") == "0 columns");
}
