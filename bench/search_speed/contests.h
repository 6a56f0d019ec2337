// SPDX-License-Identifier: GPL-2.0-or-later
// Several ways to search that answer the same queries in the same run.
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "braid/core/base/random.h"

namespace braid::bench {

/// Calls `ask(contender, query, round)` for everyone in each round. Turns are shuffled for each
/// query: who comes behind one that reads the same finds it in the processor's caches.
template <typename Contender, typename Ask>
void in_turns(std::vector<Contender>& contenders, std::size_t queries, std::size_t rounds,
              const Ask& ask) {
    std::vector<std::size_t> turns(contenders.size());
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    Random random(1);
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t query = 0; query < queries; ++query) {
            random.shuffle(turns);
            for (const std::size_t turn : turns) ask(contenders[turn], query, round);
        }
    }
}

/// The mean of the queries' medians, each over the query's rounds.
double mean_of_medians(const std::vector<std::vector<double>>& rounds);

/// A contender's two costs, in milliseconds.
struct TwoCosts {
    std::string name;
    double first = 0;
    double second = 0;
};

/// Prints a table of the costs, each beside that of the first contender, which is Xapian itself.
void print_costs(const std::string& first, const std::string& second,
                 const std::vector<TwoCosts>& contenders);

}  // namespace braid::bench
