// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/model.h"

namespace braid::with {

/// The most frequent terms, the most frequent first, as many as have room for their postings in
/// memory. Walks all terms, but keeps no more than those and one: a term takes 1 kB and more.
std::vector<std::string> most_frequent_terms(const Xapian::Database& shard, std::size_t room);

/// Registers Braid's classes for a server of the databases in `folders`. Vectors, lengths and the
/// postings of the most frequent terms are read into memory now, as far as 1 GiB each has room, and
/// what the server forks later shares them. They serve the state that the databases have now; a
/// later one is read from its files. Throws as Xapian does.
void register_with_tables(Xapian::Registry& registry, const std::vector<std::string>& folders,
                          const ModelReader& reader);

}  // namespace braid::with
