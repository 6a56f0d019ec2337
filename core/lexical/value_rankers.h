// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/parameters.h"

namespace braid {

/// A ranker's function of the number in a document's value slot; docs/algorithms/values.md. Each is
/// monotone in the number, non-negative and finite.
enum class ValueFunction : std::uint8_t { kLinear, kLog, kReciprocal, kDecay };

/// One entry of the registry of value rankers.
struct ValueRankerInfo {
    std::string name = {};  ///< "value-log"; from the registry.
    std::string summary;    ///< One line for `braid rankers`.
    std::string formula;    ///< For `explain`.
    ValueFunction function = ValueFunction::kLinear;
    std::vector<ParameterInfo> parameters;
};

/// All value rankers. A new one is a line in core/lexical/value_rankers.cpp.
const LazyRegistry<ValueRankerInfo>& value_rankers();

/// The parameter that gives a value slot's number if the model names no field.
inline constexpr char kSlotParameter[] = "slot";
inline constexpr double kNoSlotParameter = -1;

/// A value ranker with its parameters, ready for documents. Immutable.
class BRAID_API ValueScorer {
  public:
    /// `now` is in seconds since 1970; a non-zero parameter `now` overrides it. Throws
    /// UnknownComponent or InvalidArgument, also for a `now` that is not finite.
    ValueScorer(const std::string& ranker, const ParameterMap& parameters, double now);

    /// >= 0 and finite for any number, even an infinite one; 0 for NaN. Neither allocates nor
    /// throws.
    double score(double number) const noexcept;

    /// At least the score of every number from `lowest` to `highest`, up to rounding (1e-15
    /// relative); attained at one of the two.
    double upper_bound(double lowest, double highest) const noexcept;

    /// Whether numbers are times, in seconds since 1970.
    bool of_time() const noexcept { return function_ == ValueFunction::kDecay; }

    /// The time that others are compared with.
    double now() const noexcept { return now_; }

  private:
    ValueFunction function_;
    double scale_ = 1;    ///< Or half-life, in seconds.
    double maximum_ = 0;  ///< Larger numbers count as this.
    double now_ = 0;
};

}  // namespace braid
