// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/caching_stemmer.h"

namespace braid {

std::string CachingStemmer::operator()(const std::string& word) {
    const auto found = stems_.find(word);
    if (found != stems_.end()) return found->second;
    if (stems_.size() >= kCapacity) stems_.clear();
    return stems_.emplace(word, stem_(word)).first->second;
}

}  // namespace braid
