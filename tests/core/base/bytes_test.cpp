// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/bytes.h"

#include <bit>
#include <cmath>
#include <limits>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::ByteReader;
using braid::ByteWriter;
using braid::FormatError;

namespace {

enum class Colour { kRed, kGreen, kBlue };

constexpr braid::StoredFormat kThing{.magic = "BrTs", .version = 3, .kind = "thing"};

std::string encoded(std::uint64_t value) {
    ByteWriter out;
    out.varint(value);
    return out.bytes();
}

// Numbers of every length alike: uniform bits would hardly ever give a short one.
std::uint64_t number_of_random_length(braid::Random& random) {
    return random.bits() >> random.below(64);
}

}  // namespace

TEST_CASE("Bytes: varints have the encoding that is written down") {
    CHECK(encoded(0) == std::string(1, '\0'));
    CHECK(encoded(127) == "\x7f");
    CHECK(encoded(128) == "\x80\x01");
    CHECK(encoded(300) == "\xac\x02");
    CHECK(encoded(std::numeric_limits<std::uint64_t>::max()) == std::string(9, '\xff') + "\x01");
}

TEST_CASE("Bytes: a double is its eight IEEE bytes, lowest first") {
    ByteWriter out;
    out.real(1.5);
    CHECK(out.bytes() == std::string("\0\0\0\0\0\0\xf8\x3f", 8));
}

TEST_CASE("Bytes: what was written comes back", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 2000; ++round) {
        const std::uint64_t number = number_of_random_length(random);
        const auto signed_number =
            static_cast<std::int64_t>(number) * (random.below(2) == 0 ? 1 : -1);
        const double real = std::bit_cast<double>(random.bits());
        std::string text(random.below(300), '\0');
        for (char& c : text) c = static_cast<char>(random.below(256));
        ByteWriter out;
        out.varint(number);
        out.signed_varint(signed_number);
        out.real(real);
        out.text(text);
        out.flag(number % 2 == 0);
        out.choice(Colour::kBlue);

        ByteReader in(out.bytes(), "test");
        CHECK(in.varint("number") == number);
        CHECK(in.signed_varint("signed") == signed_number);
        CHECK(std::bit_cast<std::uint64_t>(in.real("real")) == std::bit_cast<std::uint64_t>(real));
        CHECK(in.text("text") == text);
        CHECK(in.flag("flag") == (number % 2 == 0));
        CHECK(in.choice("colour", Colour::kBlue) == Colour::kBlue);
        in.finish();
    }
}

TEST_CASE("Bytes: the extremes of signed numbers come back") {
    for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}}) {
        ByteWriter out;
        out.signed_varint(value);
        CHECK(ByteReader(out.bytes(), "test").signed_varint("n") == value);
    }
}

TEST_CASE("Bytes: a second encoding of a number is refused") {
    CHECK_THROWS_AS(ByteReader(std::string("\x80\x00", 2), "t").varint("n"), FormatError);
    CHECK_THROWS_AS(ByteReader(std::string(9, '\xff') + "\x02", "t").varint("n"), FormatError);
    CHECK_THROWS_AS(ByteReader(std::string(10, '\xff') + "\x01", "t").varint("n"), FormatError);
}

TEST_CASE("Bytes: values that can't be meant are refused, with their name") {
    CHECK(braid::test::error_of<FormatError>([] {
              ByteReader("\x03", "key k").choice("colour", Colour::kBlue);
          }) == "key k: colour: 3, expected 0 to 2");
    CHECK(braid::test::error_of<FormatError>([] {
              ByteReader("\x02", "key k").flag("positions");
          }) == "key k: positions: 2, expected 0 to 1");
    CHECK(braid::test::error_of<FormatError>([] {
              ByteReader("\x05", "key k").varint_in("weight", 6, 9);
          }) == "key k: weight: 5, expected 6 to 9");
    CHECK(braid::test::error_of<FormatError>([] { ByteReader("abc", "key k").finish(); }) ==
          "key k: end: 3 bytes too many");
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        ByteWriter out;
        out.real(bad);
        CHECK_THROWS_AS(ByteReader(out.bytes(), "t").finite_real("x"), FormatError);
    }
}

TEST_CASE("Bytes: a length or count beyond the end is refused before any room is made") {
    const std::string huge = encoded(std::uint64_t{1} << 60);
    CHECK_THROWS_AS(ByteReader(huge, "t").text("name"), FormatError);
    CHECK_THROWS_AS(ByteReader(huge, "t").count("rankers"), FormatError);
    CHECK_THROWS_AS(ByteReader("\x02"
                               "abcdefghijklmno",
                               "t")
                        .count("reals", 8),
                    FormatError);
    CHECK(ByteReader("\x02"
                     "abcdefghijklmnop",
                     "t")
              .count("reals", 8) == 2);
}

TEST_CASE("Bytes: a stored value is opened by its own format only") {
    ByteWriter body;
    body.text("content");
    const std::string stored = write_stored(kThing, body);
    auto opened = read_stored(kThing, stored, "braid:thing");
    CHECK(opened.version == 3);
    CHECK(opened.body.text("content") == "content");
    opened.body.finish();

    constexpr braid::StoredFormat kOther{.magic = "BrXy", .version = 1, .kind = "other"};
    CHECK(braid::test::error_of<FormatError>([&] { read_stored(kOther, stored, "braid:other"); }) ==
          "braid:other: other: is something else, expected bytes that begin with 'BrXy'");
    constexpr braid::StoredFormat kOlder{.magic = "BrTs", .version = 2, .kind = "thing"};
    CHECK(braid::test::error_of<FormatError>([&] { read_stored(kOlder, stored, "braid:thing"); }) ==
          "braid:thing: thing: version: 3, but this Braid reads 1 to 2; a newer Braid wrote it");
}

TEST_CASE("Bytes: a stored value that was cut, lengthened or emptied is refused", "[property]") {
    ByteWriter body;
    for (int i = 0; i < 100; ++i) body.real(i);
    const std::string stored = write_stored(kThing, body);
    for (std::size_t size = 0; size < stored.size(); ++size) {
        CHECK_THROWS_AS(read_stored(kThing, stored.substr(0, size), "k"), FormatError);
    }
    CHECK_THROWS_AS(read_stored(kThing, stored + '\0', "k"), FormatError);
    CHECK(braid::test::error_of<FormatError>([] { read_stored(kThing, "", "k"); }) ==
          "k: thing: is empty, expected bytes that begin with 'BrTs'");
}

TEST_CASE("Bytes: random bytes are refused or read to some value, never more", "[property]") {
    braid::Random random(braid::test::seed(), 1);
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes(random.below(40), '\0');
        for (char& c : bytes) c = static_cast<char>(random.below(256));
        try {
            ByteReader in(bytes, "junk");
            in.varint("a");
            in.text("b");
            in.finite_real("c");
            in.choice("d", Colour::kBlue);
            in.finish();
        } catch (const FormatError&) {
            ++refused;
        }
    }
    CHECK(refused > 19000);
}
