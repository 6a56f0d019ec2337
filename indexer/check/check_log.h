// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "braid/indexer/check/database_check.h"
#include "braid/progress.h"

namespace braid {

/// Collects the findings of a check's parts in one database. Borrows report and progress.
class CheckLog {
  public:
    using Kind = CheckFinding::Kind;

    CheckLog(std::string spec, const Progress& progress, CheckReport& report)
        : spec_(std::move(spec)), progress_(progress), report_(report) {}

    CheckReport& report() { return report_; }

    void add(Kind kind, std::string where, std::string problem, std::string cure = "");
    /// Adds "{count} {what}" if count > 0.
    void note(std::uint64_t count, const std::string& where, const std::string& what);

    /// Turns exceptions of `work` into findings; returns false for damaged Braid data. Lets
    /// Cancelled and Xapian::DatabaseModifiedError through.
    bool read(const std::string& where, const std::function<void()>& work, std::string cure = "");

    /// Reports progress; throws Cancelled to stop.
    void tick(const char* phase, std::uint64_t done, std::uint64_t total) const;

    /// Whether Xapian failed to read something.
    bool database_damaged() const { return database_damaged_; }

  private:
    std::string spec_;
    const Progress& progress_;
    CheckReport& report_;
    bool database_damaged_ = false;
};

}  // namespace braid
