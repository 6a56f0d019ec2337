// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"

namespace braid::test {

/// One database of `count` parts in memory, each filled by `write` with its number.
Xapian::Database in_memory_shards(
    std::size_t count, const std::function<void(Xapian::WritableDatabase&, std::size_t)>& write);

/// Documents of words "w0", "w1" ... whose frequencies fall like 1/rank, for tests of matching.
/// Every document has a boolean term XEVEN or XODD by its number (wdf 0), and values: slot 1 its
/// number modulo 7, for collapsing and sorting. Some have no words at all.
class RandomCorpus {
  public:
    RandomCorpus(Random& random, std::size_t documents, std::size_t vocabulary,
                 std::size_t longest);

    /// In memory, dealt out to `shards` databases so that docids are the same for any number.
    Xapian::Database database(std::size_t shards = 1) const;
    /// The same on disk, in `folder`/0, /1 ...
    Xapian::Database stored_database(const std::string& folder, std::size_t shards = 1) const;

    std::size_t size() const { return documents_.size(); }
    std::size_t vocabulary() const { return vocabulary_; }
    /// The words of a document in their order; `docid` counts from 1.
    const std::vector<std::string>& words(Xapian::docid docid) const {
        return documents_[docid - 1];
    }

    /// An OR of 1 to `most` random words, some of them twice, some of them unknown.
    std::vector<std::string> random_words(Random& random, std::size_t most) const;

  private:
    Xapian::Document document(std::size_t index) const;

    std::vector<std::vector<std::string>> documents_;
    std::size_t vocabulary_;
};

/// Terms with their wqf, as one OR of terms.
Xapian::Query bag_of_words(const std::vector<std::string>& words);

}  // namespace braid::test
