// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace braid::lexical {

/// log(1 + x) for x >= 0, to 2e-13 relative: std::log1p takes twice as long as std::log, and is
/// only needed where 1 + x would lose what x has.
inline double log_one_plus(double x) { return x > 1e-3 ? std::log(1 + x) : std::log1p(x); }

/// Binary logarithms of counts: looked up for the small ones, which are nearly all there are. A
/// copy is a pointer to the one table of the program.
class CountLogarithms {
  public:
    /// `count` is a non-negative integer.
    double log2(double count) const {
        return count < kSize ? (*table_)[static_cast<std::size_t>(count)] : std::log2(count);
    }

  private:
    static constexpr std::size_t kSize = 1024;
    using Table = std::array<double, kSize>;

    static const Table& table() {
        static const Table values = [] {
            Table result;
            for (std::size_t i = 0; i < kSize; ++i) result[i] = std::log2(static_cast<double>(i));
            return result;
        }();
        return values;
    }

    const Table* table_ = &table();
};

}  // namespace braid::lexical
