// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/base/registry.h"

namespace braid {

/// What a ranker makes of the number in a document's value slot; docs/algorithms/values.md. Every
/// one is monotone in the number, never negative and never more than finite.
enum class ValueFunction : std::uint8_t { kLinear, kLog, kReciprocal, kDecay };

/// One entry of the registry of rankers of values.
struct ValueRankerInfo {
    std::string name;     ///< "value-log"
    std::string summary;  ///< One line for `braid rankers`.
    std::string formula;  ///< In words and symbols, for `explain`.
    ValueFunction function = ValueFunction::kLinear;
    std::vector<ParameterInfo> parameters;
};

/// Every ranker of values there is. A new one is a line in core/lexical/value_rankers.cpp.
BRAID_API const Registry<ValueRankerInfo>& value_rankers();

/// The parameter that names a value slot by its number, where the model names no field.
inline constexpr char kSlotParameter[] = "slot";
inline constexpr double kNoSlotParameter = -1;

/// A ranker of values with its parameters, ready for documents. Immutable.
class BRAID_API ValueScorer {
  public:
    /// `now` is in seconds since 1970; a parameter of that name, where it is not 0, goes before it.
    /// Throws UnknownComponent or InvalidArgument, also for a `now` that is not finite.
    ValueScorer(const std::string& ranker, const ParameterMap& parameters, double now);

    /// 0 or more, and finite, for any number, infinite ones too; 0 for NaN. Neither allocates nor
    /// throws.
    double score(double number) const noexcept;

    /// At least the score of every number from `lowest` to `highest`, up to rounding (1e-15
    /// relative); attained at one of them.
    double upper_bound(double lowest, double highest) const noexcept;

    /// Whether numbers are times, in seconds since 1970.
    bool of_time() const noexcept { return function_ == ValueFunction::kDecay; }

    /// What times are compared with.
    double now() const noexcept { return now_; }

  private:
    ValueFunction function_;
    double scale_ = 1;    ///< Or half-life, in seconds.
    double maximum_ = 0;  ///< Larger numbers count as this.
    double now_ = 0;
};

}  // namespace braid
