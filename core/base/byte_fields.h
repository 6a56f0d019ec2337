// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "braid/core/base/bytes.h"

namespace braid {

// A record's fields in one list, which writes them as well as reads them:
//
//     template <typename Fields>
//     void walk(Fields fields, RecordOf<Fields, TopicUse>& use) {
//         fields.varint("folded documents", use.folded_documents);
//         fields.real("words", use.words);
//     }
//     walk(FieldsWriter(out), use);
//     walk(FieldsReader(in), use);
//
// Names, ranges and checks are for reading alone.

class FieldsWriter {
  public:
    static constexpr bool kReads = false;
    explicit FieldsWriter(ByteWriter& out) : out_(out) {}

    void text(std::string_view, const std::string& value) { out_.text(value); }
    void flag(std::string_view, bool value) { out_.flag(value); }
    void varint(std::string_view, std::uint64_t value, std::uint64_t = 0, std::uint64_t = 0) {
        out_.varint(value);
    }
    template <typename Check>
    void signed_varint(std::string_view, int value, const Check&) {
        out_.signed_varint(value);
    }
    void real(std::string_view, double value) { out_.real(value); }
    void any_real(std::string_view, double value) { out_.real(value); }
    void optional_real(std::string_view, const std::optional<double>& value) {
        out_.flag(value.has_value());
        if (value) out_.real(*value);
    }
    template <typename Enum>
    void choice(std::string_view, Enum value, Enum) {
        out_.choice(value);
    }
    void texts(std::string_view, const std::vector<std::string>& values) {
        write_texts(out_, values);
    }
    void reals(std::string_view, const std::vector<double>& values) { write_reals(out_, values); }
    void any_reals(std::string_view, const std::vector<double>& values) {
        write_reals(out_, values);
    }
    void numbers(std::string_view, const std::map<std::string, double>& values) {
        write_numbers(out_, values);
    }
    void lists(std::string_view, const std::map<std::string, std::vector<double>>& values) {
        write_lists(out_, values);
    }
    /// `each(fields, value)` walks a value of a map, or a record.
    template <typename Value, typename Each>
    void map(std::string_view, std::size_t, const std::map<std::string, Value>& values,
             const Each& each) {
        write_map(out_, values, [&](const Value& value) { each(*this, value); });
    }
    template <typename Item, typename Each>
    void records(std::string_view, std::size_t, const std::vector<Item>& items, const Each& each) {
        out_.varint(items.size());
        for (const Item& item : items) each(*this, item);
    }

  private:
    ByteWriter& out_;
};

class FieldsReader {
  public:
    static constexpr bool kReads = true;
    explicit FieldsReader(ByteReader& in) : in_(in) {}

    void text(std::string_view name, std::string& value) { value = in_.text(name); }
    void flag(std::string_view name, bool& value) { value = in_.flag(name); }
    template <typename Whole>
    void varint(std::string_view name, Whole& value, std::uint64_t minimum = 0,
                std::uint64_t maximum = std::numeric_limits<Whole>::max()) {
        value = static_cast<Whole>(in_.varint_in(name, minimum, maximum));
    }
    /// `check` returns what is wrong with a number, or "".
    template <typename Check>
    void signed_varint(std::string_view name, int& value, const Check& check) {
        const std::int64_t number = in_.signed_varint(name);
        if (const std::string wrong = check(number); !wrong.empty()) in_.fail(name, wrong);
        value = static_cast<int>(number);
    }
    void real(std::string_view name, double& value) { value = in_.finite_real(name); }
    /// Accepts NaN, as any_reals does.
    void any_real(std::string_view name, double& value) { value = in_.real(name); }
    void optional_real(std::string_view name, std::optional<double>& value) {
        value.reset();
        if (in_.flag(name)) value = in_.finite_real(name);
    }
    template <typename Enum>
    void choice(std::string_view name, Enum& value, Enum last) {
        value = in_.choice(name, last);
    }
    void texts(std::string_view name, std::vector<std::string>& values) {
        values = read_texts(in_, name);
    }
    void reals(std::string_view name, std::vector<double>& values) {
        values = read_reals(in_, name);
    }
    void any_reals(std::string_view name, std::vector<double>& values) {
        values.resize(in_.count(name, 8));
        for (double& value : values) value = in_.real(name);
    }
    void numbers(std::string_view name, std::map<std::string, double>& values) {
        values = read_numbers(in_, name);
    }
    void lists(std::string_view name, std::map<std::string, std::vector<double>>& values) {
        values = read_lists(in_, name);
    }
    template <typename Value, typename Each>
    void map(std::string_view name, std::size_t bytes_each, std::map<std::string, Value>& values,
             const Each& each) {
        values = read_map<Value>(in_, name, bytes_each, [&] {
            Value value;
            each(*this, value);
            return value;
        });
    }
    template <typename Item, typename Each>
    void records(std::string_view name, std::size_t bytes_each, std::vector<Item>& items,
                 const Each& each) {
        items = std::vector<Item>(in_.count(name, bytes_each));
        for (Item& item : items) each(*this, item);
    }

  private:
    ByteReader& in_;
};

/// The record's type in a walk: constant to write, mutable to read into.
template <typename Fields, typename Value>
using RecordOf = std::conditional_t<Fields::kReads, Value, const Value>;

}  // namespace braid
