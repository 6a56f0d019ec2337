// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <limits>

#include "braid/core/base/random.h"
#include "braid/plugin/store/document_values.h"
#include "braid/tests/support/support.h"

using namespace braid;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Xapian::WritableDatabase with_values(const std::vector<std::string>& values) {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    for (const std::string& value : values) {
        Xapian::Document document;
        document.add_value(3, value);
        database.add_document(document);
    }
    return database;
}

}  // namespace

TEST_CASE("Value numbers: text and serialised numbers are read") {
    CHECK(value_number("12") == 12);
    CHECK(value_number("-3.5") == -3.5);
    CHECK(value_number("1e6") == 1e6);
    CHECK(value_number("0") == 0);
    for (const char* text : {"", "twelve", "12 ", " 12", "12kg", "inf", "nan", "1e999", "--1"}) {
        INFO(text);
        const auto number = value_number(text);
        CHECK((!number || *number < 0));  // Some are the bytes of a negative number.
    }
    CHECK_FALSE(value_number("").has_value());
    Random random(test::seed());
    for (int i = 0; i < 10000; ++i) {
        const double size = std::exp(400 * random.uniform() - 200);
        const double number = random.below(3) == 0 ? -size : size;
        if (number > -3072 && number < -300) continue;
        REQUIRE(value_number(Xapian::sortable_serialise(number)) == number);
    }
    CHECK(value_number(Xapian::sortable_serialise(0)) == 0);
    CHECK(value_number(Xapian::sortable_serialise(kInfinity)) == kInfinity);
}

TEST_CASE("Value numbers: text that is a serialised number too is one of the known few",
          "[property]") {
    Random random(test::seed(), 1);
    std::size_t both = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text(1 + random.below(9), '0');
        for (char& c : text) c = "0123456789.-e"[random.below(13)];
        const double other = Xapian::sortable_unserialise(text);
        if (value_number(text) == other || Xapian::sortable_serialise(other) != text) continue;
        ++both;
        REQUIRE((other > -3072 && other < -300));
    }
    CHECK(both > 1000);
}

TEST_CASE("Value numbers: dates are their first second") {
    CHECK(value_time("1970-01-02") == 86400);
    CHECK(value_time("19700102") == 86400);
    CHECK(value_time("2024-02-29") == 1709164800);
    CHECK(value_time("1969-12-31") == -86400);
    CHECK(value_time("1709164800") == 1709164800);
    CHECK(value_time(Xapian::sortable_serialise(1709164800)) == 1709164800);
    CHECK(value_time("20230229") == 20230229);  // No such day: a number.
    const auto no_day = value_time("2023-02-29");
    CHECK((!no_day || *no_day < 0));
    CHECK(value_number("20240229") == 20240229);
}

TEST_CASE("Value numbers: the range is exact for serialised numbers, everything for text") {
    CHECK_FALSE(number_range(with_values({}), 3).has_value());
    const auto text = number_range(with_values({"10", "9"}), 3);
    CHECK(text->lowest == -kInfinity);
    CHECK(text->highest == kInfinity);
    const auto exact = number_range(
        with_values({Xapian::sortable_serialise(7), Xapian::sortable_serialise(1000)}), 3);
    CHECK(exact->lowest == 7);
    CHECK(exact->highest == 1000);
    const auto mixed = number_range(with_values({"99999", Xapian::sortable_serialise(10)}), 3);
    CHECK(mixed->highest == kInfinity);
    const auto negative = number_range(
        with_values({Xapian::sortable_serialise(-5), Xapian::sortable_serialise(10)}), 3);
    CHECK(negative->lowest == -kInfinity);
    const auto junk = number_range(with_values({Xapian::sortable_serialise(10), "\xff\x01"}), 3);
    CHECK(junk->lowest == 10);
    CHECK(junk->highest == kInfinity);
}
