// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// The number that a value holds: decimal text ("12", "-3.5", "1e6") or what
/// Xapian::sortable_serialise wrote. Nothing for any other value. Text goes first: the few numbers
/// whose serialised form is also text, all of them between -3072 and -300, are read as that text.
BRAID_API std::optional<double> value_number(const std::string& value);

/// The time that a value holds, in seconds since 1970 UTC: a date as text ("2024-02-29" or
/// "20240229", its first second), else value_number.
BRAID_API std::optional<double> value_time(const std::string& value);

/// Where the numbers in a slot lie.
struct NumberRange {
    double lowest = 0;
    double highest = 0;
};

/// The range of a slot's numbers by the bounds that the database keeps on its values: exact where
/// all values are serialised numbers, 0 or more; otherwise everything, since text does not sort by
/// its number. Nothing where no document has a value.
BRAID_API std::optional<NumberRange> number_range(const Xapian::Database& database,
                                                  Xapian::valueno slot);

}  // namespace braid
