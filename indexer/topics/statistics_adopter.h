// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

struct AdoptStatisticsOptions {
    std::size_t batch = 10'000;  ///< Documents per commit.
    Progress progress = {};      ///< May be empty.
};

struct AdoptedStatistics {
    DocumentRecords records;
    std::uint64_t written = 0;  ///< Missing or stale records.
};

/// Gives every document of a database, whichever program wrote it, the record that tfidf-cosine and
/// lm-absdiscount need, with the lengths of its fields for rankers of one field: a value of 8 to 12
/// bytes, plus 1 or 6 to 8 for each field with a prefix, in the first free slot from 1000 on.
/// Changes nothing else. Call it again after other programs add or change documents; Braid's
/// indexer updates records itself. Publishes the slot to searchers when all documents have
/// records. `databases` and errors as for adopt_topics.
BRAID_API AdoptedStatistics adopt_statistics(const std::vector<std::string>& databases,
                                             const AdoptStatisticsOptions& options = {});

}  // namespace braid
