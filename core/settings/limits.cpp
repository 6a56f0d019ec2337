// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/limits.h"

namespace braid {

const Registry<LimitInfo>& limit_infos() {
    constexpr std::size_t kMostBytes = std::size_t{1} << 40;
    constexpr std::size_t kMostCount = 1'000'000'000;
    constexpr std::size_t kDay = std::size_t{24} * 3600 * 1000;
    static const Registry<LimitInfo> infos(
        "limit",
        {{"line", "Bytes in a line of queries, judgements, runs, features, clicks or vectors.",
          &Limits::line, 1, kMostBytes},
         {"record", "Bytes in a document to index; a longer one is skipped with a warning.",
          &Limits::record, 1, kMostBytes},
         {"words", "Words in a query.", &Limits::words, 1, kMostCount},
         {"nesting", "Operators in a query, one below another.", &Limits::nesting, 1, 10'000},
         {"expansion", "Terms that a wildcard in a query stands for: the most frequent ones.",
          &Limits::expansion, 1, kMostCount},
         {"dimensions", "Components of a vector that is read.", &Limits::dimensions, 1, 65'536},
         {"topics", "Dimensions of a topic model that is learned.", &Limits::topics, 1, 10'000},
         {"memory",
          "Bytes of tables that searches keep in memory: half for vectors and lengths, half for "
          "postings.",
          &Limits::memory, 0, kMostBytes},
         {"time", "Milliseconds of a search, which then gives what it has found; 0 for no limit.",
          &Limits::time, 0, kDay}});
    return infos;
}

}  // namespace braid
