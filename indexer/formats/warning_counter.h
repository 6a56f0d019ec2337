// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/error.h"
#include "braid/core/base/progress.h"

namespace braid {

/// Passes on the first warnings of a kind and counts the others, so that a file that is wrong in
/// every line says so in a few. The sink may throw, which ends the reading.
class WarningCounter {
  public:
    explicit WarningCounter(WarningSink sink) : sink_(std::move(sink)) {}

    /// `problem` is the kind, `detail` what is particular to this case: "file:7: problem (detail)".
    void warn(const SourceLocation& where, std::string_view problem, std::string_view detail = {});

    /// Tells how often the kinds occurred that were not all passed on, and forgets them.
    void report_totals();

    static constexpr std::size_t kPassedOn = 5;

  private:
    struct Kind {
        std::string problem;
        std::size_t count = 0;
    };

    WarningSink sink_;
    std::vector<Kind> kinds_;
};

}  // namespace braid
