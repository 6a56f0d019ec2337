// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/byte_fields.h"

#include <limits>

#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::ByteReader;
using braid::ByteWriter;
using braid::FieldsReader;
using braid::FieldsWriter;
using braid::FormatError;

namespace {

enum class Colour { kRed, kGreen, kBlue };

struct Part {
    std::string name;
    double size = 0;

    bool operator==(const Part&) const = default;
};

struct Thing {
    std::string name;
    bool is_new = false;
    std::uint16_t count = 0;
    int shift = 0;
    double share = 0;
    double odds = 0;
    std::optional<double> limit;
    Colour colour = Colour::kRed;
    std::vector<std::string> words;
    std::vector<double> steps;
    std::vector<double> trace;
    std::map<std::string, double> numbers;
    std::map<std::string, std::vector<double>> lists;
    std::map<std::string, std::string> options;
    std::vector<Part> parts;

    bool operator==(const Thing&) const = default;
};

std::string why_no_shift(std::int64_t shift) {
    return shift < -9 || shift > 9 ? "found " + std::to_string(shift) : "";
}

constexpr auto kOption = [](auto& fields, auto& value) { fields.text("option", value); };
constexpr auto kPart = [](auto& fields, auto& part) {
    fields.text("part's name", part.name);
    fields.real("part's size", part.size);
};

template <typename Fields>
void walk(Fields fields, braid::RecordOf<Fields, Thing>& thing) {
    fields.text("name", thing.name);
    fields.flag("new", thing.is_new);
    fields.varint("count", thing.count);
    fields.signed_varint("shift", thing.shift, why_no_shift);
    fields.real("share", thing.share);
    fields.any_real("odds", thing.odds);
    fields.optional_real("limit", thing.limit);
    fields.choice("colour", thing.colour, Colour::kBlue);
    fields.texts("words", thing.words);
    fields.reals("steps", thing.steps);
    fields.any_reals("trace", thing.trace);
    fields.numbers("numbers", thing.numbers);
    fields.lists("lists", thing.lists);
    fields.map("options", 2, thing.options, kOption);
    fields.records("parts", 9, thing.parts, kPart);
}

Thing full_thing() {
    return {.name = "thing",
            .is_new = true,
            .count = 65535,
            .shift = -9,
            .share = 0.25,
            .odds = std::numeric_limits<double>::infinity(),
            .limit = 2.5,
            .colour = Colour::kBlue,
            .words = {"a", ""},
            .steps = {1, -2},
            .trace = {std::numeric_limits<double>::infinity()},
            .numbers = {{"k1", 1.2}},
            .lists = {{"x", {1, 2}}, {"y", {}}},
            .options = {{"trees", "no"}},
            .parts = {{"left", 1}, {"right", 2}}};
}

std::string written(const Thing& thing) {
    ByteWriter out;
    walk(FieldsWriter(out), thing);
    return out.bytes();
}

Thing read(std::string_view bytes) {
    ByteReader in(bytes, "thing");
    Thing thing = full_thing();  // Nothing of what was there before may stay.
    walk(FieldsReader(in), thing);
    in.finish();
    return thing;
}

std::string refusal(const Thing& thing) {
    try {
        read(written(thing));
    } catch (const FormatError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Byte fields: what one list wrote, the same list reads") {
    CHECK(read(written(full_thing())) == full_thing());
    CHECK(read(written({})) == Thing{});
}

TEST_CASE("Byte fields: the bytes are those of the writer's calls") {
    ByteWriter out;
    out.text("thing");
    out.flag(true);
    out.varint(65535);
    out.signed_varint(-9);
    out.real(0.25);
    out.real(std::numeric_limits<double>::infinity());
    out.flag(true);
    out.real(2.5);
    out.choice(Colour::kBlue);
    write_texts(out, {"a", ""});
    write_reals(out, {1, -2});
    write_reals(out, {std::numeric_limits<double>::infinity()});
    write_numbers(out, {{"k1", 1.2}});
    write_lists(out, {{"x", {1, 2}}, {"y", {}}});
    out.varint(1);
    out.text("trees");
    out.text("no");
    out.varint(2);
    out.text("left");
    out.real(1);
    out.text("right");
    out.real(2);
    CHECK(written(full_thing()) == out.bytes());
}

TEST_CASE("Byte fields: bytes that were cut or lengthened are refused", "[property]") {
    const std::string bytes = written(full_thing());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(read(bytes.substr(0, size)), FormatError);
    }
    CHECK_THROWS_AS(read(bytes + '\0'), FormatError);
}

TEST_CASE("Byte fields: values out of range are refused by their names") {
    Thing thing = full_thing();
    thing.shift = 10;
    CHECK(refusal(thing) == "thing: shift: found 10");
    thing = full_thing();
    thing.share = std::numeric_limits<double>::infinity();
    CHECK(refusal(thing).find("thing: share: ") == 0);
    thing = full_thing();
    thing.steps[1] = std::numeric_limits<double>::quiet_NaN();
    CHECK(refusal(thing).find("thing: steps: ") == 0);
    thing = full_thing();
    thing.colour = static_cast<Colour>(3);
    CHECK(refusal(thing).find("thing: colour: ") == 0);
    thing = full_thing();
    thing.parts[1].size = std::numeric_limits<double>::infinity();
    CHECK(refusal(thing).find("thing: part's size: ") == 0);
    ByteWriter out;
    out.text("thing");
    out.flag(true);
    out.varint(65536);
    CHECK_THROWS_WITH(read(out.bytes()), "thing: count: 65536, expected 0 to 65535");
}
