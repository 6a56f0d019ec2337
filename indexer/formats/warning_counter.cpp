// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/warning_counter.h"

#include <algorithm>
#include <utility>

namespace braid {

void WarningCounter::warn(const SourceLocation& where, std::string_view problem,
                          std::string_view detail) {
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&](const Kind& known) { return known.problem == problem; });
    if (kind == kinds_.end()) kind = kinds_.insert(kind, {std::string(problem), 0});
    if (++kind->count > kPassedOn || !sink_) return;
    std::string message = where.to_string() + ": " + kind->problem;
    if (!detail.empty()) message.append(" (").append(detail).append(")");
    sink_(message);
}

void WarningCounter::report_totals() {
    const std::vector<Kind> kinds = std::exchange(kinds_, {});
    for (const Kind& kind : kinds) {
        if (kind.count <= kPassedOn || !sink_) continue;
        sink_(std::to_string(kind.count) + " times in all: " + kind.problem);
    }
}

}  // namespace braid
