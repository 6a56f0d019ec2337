// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "braid/core/base/progress.h"
#include "braid/indexer/check/database_check.h"

namespace braid {

/// Where the parts of a check put what they find in one database. Borrows report and progress.
class CheckLog {
  public:
    using Kind = CheckFinding::Kind;

    CheckLog(std::string spec, const Progress& progress, CheckReport& report)
        : spec_(std::move(spec)), progress_(progress), report_(report) {}

    CheckReport& report() { return report_; }

    void add(Kind kind, std::string where, std::string problem, std::string cure = "");
    /// Adds "{count} {what}", where there are any.
    void note(std::uint64_t count, const std::string& where, const std::string& what);

    /// What `work` throws becomes a finding; false where that is damage of Braid's own. Lets
    /// Cancelled and Xapian::DatabaseModifiedError through.
    bool read(const std::string& where, const std::function<void()>& work, std::string cure = "");

    /// Asks now and then whether to go on; throws Cancelled.
    void tick(const char* phase, std::uint64_t done, std::uint64_t total) const;

    /// Whether Xapian could not read something.
    bool database_damaged() const { return database_damaged_; }

  private:
    std::string spec_;
    const Progress& progress_;
    CheckReport& report_;
    bool database_damaged_ = false;
};

}  // namespace braid
