// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/tests/support/support.h"

namespace braid::test {

/// A corpus as one database on disk: one in memory has no revisions. `writer` may change it.
class StoredCorpus {
  public:
    template <typename Corpus>
    explicit StoredCorpus(const Corpus& corpus)
        : writer(folder_.path().string(), Xapian::DB_CREATE_OR_OVERWRITE) {
        corpus.write_shard(writer, 0, 1);
        writer.commit();
    }

    Xapian::Database open() const { return Xapian::Database(folder_.path().string()); }

  private:
    TemporaryFolder folder_;

  public:
    Xapian::WritableDatabase writer;
};

}  // namespace braid::test
