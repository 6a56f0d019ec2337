// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include <xapian.h>

namespace braid {

/// Another stemmer with a memory: text repeats its words, and looking one up takes a quarter of the
/// time that stemming it takes. Gives it to Xapian as `Xapian::Stem(new CachingStemmer(stem))`,
/// which then owns it. Forgets everything when kCapacity words are reached, so its memory is
/// bounded (about 8 MB).
class CachingStemmer final : public Xapian::StemImplementation {
  public:
    explicit CachingStemmer(const Xapian::Stem& stem) : stem_(stem) {}
    std::string operator()(const std::string& word) override;
    std::string get_description() const override { return stem_.get_description(); }

  private:
    static constexpr std::size_t kCapacity = 65536;

    Xapian::Stem stem_;
    std::unordered_map<std::string, std::string> stems_;
};

}  // namespace braid
