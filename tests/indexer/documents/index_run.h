// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "braid/index.h"
#include "braid/tests/indexer/documents/plain_loop.h"
#include "braid/tests/support/support.h"

namespace braid::test {

using Documents = std::vector<SourceDocument>;

/// One whole run of an Indexer over documents in memory.
inline IndexCounts index(const std::string& path, const Documents& documents,
                         const IndexSettings& settings = {}, IndexerOptions options = {}) {
    Indexer indexer(path, settings, std::move(options));
    MemoryReader reader(documents);
    indexer.add(reader);
    indexer.finish();
    return indexer.counts();
}

/// Checks that the database is what one run over the documents makes.
inline void check_as_at_once(const std::string& path, const Documents& documents) {
    const TemporaryFolder folder;
    index(folder / "at once", documents);
    CHECK(dump(path) == dump(folder / "at once"));
}

inline Documents random_documents(std::size_t count) {
    Random random(seed());
    return random_documents(random, count);
}

}  // namespace braid::test
