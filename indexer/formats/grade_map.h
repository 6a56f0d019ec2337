// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/judgements.h"

namespace braid {

/// What the grades of a judgement file mean, where they don't already mean "more is better, 1 and
/// above is relevant". An empty map keeps whole numbers as they are.
class BRAID_API GradeMap {
  public:
    GradeMap() = default;

    /// Reads "1=4,2=3,-1=4": grade in the file = grade from here on. "all" on the left stands for
    /// every grade not named, "same" on the right keeps it: "all=1", "-2=0,all=same". Throws
    /// InvalidArgument.
    explicit GradeMap(const std::string& text);

    /// Nothing for a grade the map does not name, and for one kept that is no whole number.
    std::optional<Grade> map(double grade) const;

    bool empty() const { return entries_.empty() && !others_; }

  private:
    struct Entry {
        double from = 0;
        std::optional<Grade> to;  ///< Nothing: the same.
    };
    std::optional<Entry> others_;
    std::vector<Entry> entries_;
};

}  // namespace braid
