// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/judgements.h"

namespace braid {

/// The grade of a ranked document that nobody judged.
inline constexpr Grade kUnjudged = std::numeric_limits<Grade>::min();

/// What the judgements of one query say, whatever was ranked.
struct BRAID_API JudgedPool {
    std::vector<Grade> grades;  ///< All judged documents' grades, highest first.

    /// Sorts `grades`.
    static JudgedPool of(std::vector<Grade> grades);
    static JudgedPool of(const QueryJudgements& judgements);

    /// Documents of `grade` and above; O(log n).
    std::size_t count_from(Grade grade) const;
    std::size_t size() const { return grades.size(); }
};

}  // namespace braid
