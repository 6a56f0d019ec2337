// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/documents/caching_stemmer.h"

#include <functional>

namespace braid {

std::string CachingStemmer::operator()(const std::string& word) {
    Entry& entry = entries_[std::hash<std::string>()(word) % kPlaces];
    if (entry.word != word) {
        entry.stem = stem_(word);
        entry.word = word;
    }
    return entry.stem;
}

}  // namespace braid
