// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Lists and maps in stored bytes. A map is written in the order of its keys, and reading asks for
// that order, which makes bytes unique and refuses a key that comes twice.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/bytes.h"

namespace braid {

template <typename Value, typename Write>
void write_map(ByteWriter& out, const std::map<std::string, Value>& values, const Write& write) {
    out.varint(values.size());
    for (const auto& [name, value] : values) {
        out.text(name);
        write(value);
    }
}

template <typename Value, typename Read>
std::map<std::string, Value> read_map(ByteReader& in, std::string_view name, std::size_t bytes_each,
                                      const Read& read) {
    std::map<std::string, Value> result;
    const std::size_t count = in.count(name, bytes_each);
    for (std::size_t i = 0; i < count; ++i) {
        std::string key = in.text(name);
        if (!result.empty() && key <= result.rbegin()->first) {
            in.fail(name, "'" + key + "' is not in order");
        }
        result.emplace_hint(result.end(), std::move(key), read());
    }
    return result;
}

inline void write_numbers(ByteWriter& out, const std::map<std::string, double>& numbers) {
    write_map(out, numbers, [&](double value) { out.real(value); });
}

inline std::map<std::string, double> read_numbers(ByteReader& in, std::string_view name) {
    return read_map<double>(in, name, 9, [&] { return in.finite_real(name); });
}

inline void write_texts(ByteWriter& out, const std::vector<std::string>& texts) {
    out.varint(texts.size());
    for (const std::string& text : texts) out.text(text);
}

inline std::vector<std::string> read_texts(ByteReader& in, std::string_view name) {
    std::vector<std::string> texts(in.count(name));
    for (std::string& text : texts) text = in.text(name);
    return texts;
}

inline void write_reals(ByteWriter& out, const std::vector<double>& values) {
    out.varint(values.size());
    for (const double value : values) out.real(value);
}

/// Refuses NaN and infinities.
inline std::vector<double> read_reals(ByteReader& in, std::string_view name) {
    std::vector<double> values(in.count(name, 8));
    for (double& value : values) value = in.finite_real(name);
    return values;
}

inline void write_lists(ByteWriter& out, const std::map<std::string, std::vector<double>>& lists) {
    write_map(out, lists, [&](const std::vector<double>& values) { write_reals(out, values); });
}

inline std::map<std::string, std::vector<double>> read_lists(ByteReader& in,
                                                             std::string_view name) {
    return read_map<std::vector<double>>(in, name, 2, [&] { return read_reals(in, name); });
}

}  // namespace braid
