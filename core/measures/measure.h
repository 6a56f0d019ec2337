// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/evaluation/judgements.h"
#include "braid/core/export.h"
#include "braid/core/registry.h"

namespace braid {

/// The grade of a ranked document that nobody judged.
inline constexpr Grade kUnjudged = std::numeric_limits<Grade>::min();

/// What the judgements of one query say, whatever was ranked.
struct BRAID_API JudgedPool {
    std::vector<Grade> grades;  ///< All judged documents' grades, highest first.

    std::size_t count_from(Grade grade) const;
    std::size_t size() const { return grades.size(); }
};

/// One query's ranking as a measure sees it: the grade at each rank, best first, kUnjudged where
/// there is none. Borrows both; made per query, never stored.
struct JudgedRanking {
    std::span<const Grade> grades;
    const JudgedPool& pool;
};

/// A measure of one ranking, in [0, 1], larger is better. Immutable; safe to share.
class BRAID_API Measure {
  public:
    virtual ~Measure() = default;
    virtual double evaluate(const JudgedRanking& ranking) const = 0;
    /// As it is written: "ndcg@10", "map".
    virtual std::string name() const = 0;
};

/// Options that the name of a measure does not carry.
struct MeasureOptions {
    Grade relevant_from = 1;  ///< The least grade that counts as relevant (`--rel`).
};

struct MeasureInfo {
    std::string name;     ///< Without a cut-off: "ndcg".
    std::string summary;  ///< One line, with the formula in words.
    enum class Cutoff { kNone, kOptional, kRequired };
    Cutoff cutoff = Cutoff::kNone;
    /// `cutoff` is 0 where none was given.
    std::function<std::unique_ptr<const Measure>(std::size_t cutoff, const MeasureOptions&)> make;
};

/// Every measure there is. A new one is a line in core/measures/registry.cpp.
BRAID_API const Registry<MeasureInfo>& measures();

/// Makes the measure that `text` names ("map", "p@5", "ndcg@10"). Throws UnknownComponent, or
/// InvalidArgument for a cut-off that is missing, not allowed or not a number from 1 up.
BRAID_API std::unique_ptr<const Measure> make_measure(std::string_view text,
                                                      const MeasureOptions& options = {});

}  // namespace braid
