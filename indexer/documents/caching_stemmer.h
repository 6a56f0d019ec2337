// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// Another stemmer with a memory, since text repeats its words. Give it to Xapian as
/// `Xapian::Stem(new CachingStemmer(stem))`, which then owns it. Each word has one place, which it
/// shares with others and where the last one stays: small enough for the processor's cache, where
/// a table of all words costs more time in misses than stemming does.
class BRAID_API CachingStemmer final : public Xapian::StemImplementation {
  public:
    explicit CachingStemmer(const Xapian::Stem& stem) : stem_(stem), entries_(kPlaces) {}
    std::string operator()(const std::string& word) override;
    std::string get_description() const override { return stem_.get_description(); }

  private:
    static constexpr std::size_t kPlaces = 4096;

    struct Entry {
        std::string word;
        std::string stem;
    };

    Xapian::Stem stem_;
    std::vector<Entry> entries_;
};

}  // namespace braid
