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
    std::size_t batch = 10'000;  ///< Documents between two commits.
    Progress progress = {};      ///< May be empty.
};

struct AdoptedStatistics {
    DocumentRecords records;
    std::uint64_t written = 0;  ///< Records that were missing, or of a document since changed.
};

/// Gives every document of a database, whichever program wrote it, the record that tfidf-cosine and
/// lm-absdiscount need of it, with the lengths of its fields, which rankers of one field need: a
/// value of 8 to 12 bytes, and 1 or 6 to 8 for each field whose words have a prefix, in the first
/// free slot from 1000 on, and nothing else. Call it again after documents were added or changed by
/// other programs; Braid's indexer keeps up by itself. The slot is named, for searchers to use,
/// when all documents have their record. `databases` and errors as for adopt_topics.
BRAID_API AdoptedStatistics adopt_statistics(const std::vector<std::string>& databases,
                                             const AdoptStatisticsOptions& options = {});

}  // namespace braid
