// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/model.h"
#include "braid/plugin/store/document_records.h"

namespace braid::test {

/// Documents of words "w0", "w1" ... with a title (prefix S) and a text whose words are the whole
/// text's, too, and an author (prefix A) whose words aren't. Every tenth document has no record.
class FieldedCorpus {
  public:
    static constexpr unsigned kSlot = 1000;

    FieldedCorpus(Random& random, std::size_t documents, std::size_t vocabulary);

    /// In memory, dealt out to `shards` databases so that docids are the same for any number.
    Xapian::Database database(std::size_t shards = 1) const;
    /// One shard of those.
    void write_shard(Xapian::WritableDatabase& part, std::size_t shard, std::size_t shards) const;
    /// Without records.
    Xapian::Database bare_database() const;

    std::vector<std::string> random_words(Random& random, std::size_t most) const;

    /// What one ranker gives the documents that have one of `words`, by core's formulas over what
    /// the documents say.
    std::map<Xapian::docid, double> naive(const RankerSpec& ranker,
                                          const std::vector<std::string>& words) const;

  private:
    using Counts = std::map<std::string, double>;
    struct Text {
        Counts whole, title, author;
        const Counts& of(const std::string& field) const;
    };
    Xapian::Document document(std::size_t index) const;
    bool has_record(std::size_t index) const { return index % 10 != 9; }

    std::vector<Text> texts_;
    std::size_t vocabulary_;
};

}  // namespace braid::test
