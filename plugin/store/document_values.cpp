// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_values.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

namespace braid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> decimal(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (!std::isfinite(number)) return std::nullopt;  // The words "inf" and "nan".
    return number;
}

std::optional<double> serialised(const std::string& value) {
    if (value.empty()) return std::nullopt;
    const double number = Xapian::sortable_unserialise(value);
    if (Xapian::sortable_serialise(number) != value) return std::nullopt;
    return number;
}

std::optional<unsigned> digits(std::string_view text) {
    unsigned number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + static_cast<unsigned>(c - '0');
    }
    return number;
}

std::optional<double> date(std::string_view text) {
    const bool dashes = text.size() == 10 && text[4] == '-' && text[7] == '-';
    if (!dashes && text.size() != 8) return std::nullopt;
    const auto year = digits(text.substr(0, 4));
    const auto month = digits(text.substr(dashes ? 5 : 4, 2));
    const auto day = digits(text.substr(dashes ? 8 : 6, 2));
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day calendar{std::chrono::year(static_cast<int>(*year)),
                                               std::chrono::month(*month), std::chrono::day(*day)};
    if (!calendar.ok()) return std::nullopt;
    const std::chrono::sys_seconds seconds = std::chrono::sys_days(calendar);
    return static_cast<double>(seconds.time_since_epoch().count());
}

// The first byte of every serialised number from 0 up, and of nothing that is text.
bool is_high(const std::string& value) { return !value.empty() && (value[0] & 0x80) != 0; }

}  // namespace

std::optional<double> value_number(const std::string& value) {
    const std::optional<double> text = decimal(value);
    return text ? text : serialised(value);
}

std::optional<double> value_time(const std::string& value) {
    const std::optional<double> day = date(value);
    return day ? day : value_number(value);
}

std::optional<NumberRange> number_range(const Xapian::Database& database, Xapian::valueno slot) {
    if (database.get_value_freq(slot) == 0) return std::nullopt;
    NumberRange range{-kInfinity, kInfinity};
    const std::string least = database.get_value_lower_bound(slot);
    if (!is_high(least)) return range;
    range.lowest = serialised(least).value_or(-kInfinity);
    range.highest = serialised(database.get_value_upper_bound(slot)).value_or(kInfinity);
    return range;
}

}  // namespace braid
