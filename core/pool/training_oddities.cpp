// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/pool/training_set.h"

namespace braid {
namespace {

// One number a column, such that equal columns have equal numbers.
std::vector<std::uint64_t> column_hashes(const TrainingSet& set) {
    std::vector<std::uint64_t> hashes(set.width(), 0);
    for (std::size_t i = 0; i < set.scores.size(); ++i) {
        std::uint64_t& hash = hashes[i % set.width()];
        hash = (hash ^ std::bit_cast<std::uint64_t>(set.scores[i] + 0.0)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }
    return hashes;
}

bool equal_columns(const TrainingSet& set, std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < set.rows(); ++i) {
        if (set.row(i)[a] != set.row(i)[b]) return false;
    }
    return true;
}

bool is_constant(const TrainingSet& set, std::size_t ranker) {
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const double> scores = set.query_scores(q);
        for (std::size_t i = ranker; i < scores.size(); i += set.width()) {
            if (scores[i] != scores[ranker]) return false;
        }
    }
    return true;
}

void add_copies(const TrainingSet& set, std::vector<std::string>& result) {
    const std::vector<std::uint64_t> hashes = column_hashes(set);
    std::map<std::uint64_t, std::size_t> first;
    for (std::size_t k = 0; k < set.width(); ++k) {
        const auto [found, is_new] = first.emplace(hashes[k], k);
        if (is_new || !equal_columns(set, found->second, k)) continue;
        result.push_back(fmt::format(
            "rankers {} and {} give every document the same score: only their sum is determined",
            shown(set.rankers[found->second]), shown(set.rankers[k])));
    }
}

void add_queries(std::size_t count, std::size_t of, const char* what,
                 std::vector<std::string>& result) {
    if (count > 0) result.push_back(fmt::format("{} of {} queries {}", count, of, what));
}

}  // namespace

std::vector<std::string> oddities(const TrainingSet& set, Grade relevant_from) {
    std::vector<std::string> result;
    const TrainingCounts counts = count(set, relevant_from);
    // Without any, they aren't meant to be: who needs judgements refuses the set.
    if (counts.judged_queries > 0) {
        add_queries(counts.queries - counts.judged_queries, counts.queries, "have no judgements",
                    result);
    }
    add_queries(counts.without_relevant, counts.queries, "have no relevant document", result);
    add_queries(counts.relevant_unpooled, counts.queries,
                "have all relevant documents outside the pool", result);
    add_queries(counts.without_irrelevant, counts.queries, "have only relevant documents", result);
    if (set.width() == 1) {
        result.push_back(fmt::format("there is one ranker only, {}: its weight changes nothing",
                                     shown(set.rankers[0])));
    }
    for (std::size_t k = 0; k < set.width(); ++k) {
        if (set.rows() == 0 || !is_constant(set, k)) continue;
        result.push_back(fmt::format(
            "ranker {} gives all documents of a query the same score: its weight changes nothing",
            shown(set.rankers[k])));
    }
    add_copies(set, result);
    return result;
}

}  // namespace braid
