// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/name_table.h"

namespace braid {

/// Stores copies of many short texts in a few large blocks. A view from `store` stays valid as long
/// as the pool, even if the pool is moved. Doesn't detect duplicates.
class BRAID_API NamePool {
  public:
    std::string_view store(std::string_view text);

  private:
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
};

/// Finds a query's position by its id. Ids are compared as written. If an id of digits is not
/// found, it is looked up by its number, so "7" finds "007" and "007" finds "7": collections are
/// inconsistent about leading zeros. If both "07" and "007" exist, "7" finds neither. Borrows the
/// ids, which must outlive it.
class BRAID_API QueryIndex {
  public:
    void add(std::string_view id, std::size_t position);  ///< A known id keeps its position.

    std::optional<std::size_t> find_exactly(std::string_view id) const;
    std::optional<std::size_t> find(std::string_view id) const;

  private:
    std::unordered_map<std::string_view, std::size_t> exact_;
    std::unordered_map<std::string_view, std::size_t> padded_;  // Keys without their zeros.
};

/// A relevance grade. 0 and below: not relevant (trec_eval's convention; some collections use
/// negative grades for spam). The measure's `relevant_from` >= 1 decides which grades count as
/// relevant.
using Grade = int;

struct Judgement {
    std::string_view document;
    Grade grade = 0;
};

/// The judgements of one query. Documents keep the order in which they were added.
class BRAID_API QueryJudgements {
  public:
    explicit QueryJudgements(std::string query) : query_(std::move(query)) {}

    const std::string& query() const { return query_; }
    const std::vector<Judgement>& all() const { return judgements_; }

    /// Empty for an unjudged document, which differs from grade 0.
    std::optional<Grade> grade(std::string_view document) const;

    std::size_t count_from(Grade grade) const;  ///< Judged at `grade` or above.

  private:
    friend class Judgements;
    std::uint32_t find(std::string_view document) const;
    void append(const Judgement& judgement);

    std::string query_;
    std::vector<Judgement> judgements_;
    NameTable by_document_;  // Empty while there are few judgements, which are searched in order.
};

/// Judgements of several queries, in order of first appearance. Owns its names; movable, not
/// copyable. Reading is safe from several threads.
class BRAID_API Judgements {
  public:
    enum class Added { kNew, kSame, kConflict };

    /// The first of two judgements of a pair stays; the result says whether they agreed.
    Added add(std::string_view query, std::string_view document, Grade grade);

    /// nullptr for a query without judgements. "01" also finds "1": see QueryIndex.
    const QueryJudgements* find(std::string_view query) const;

    const std::deque<QueryJudgements>& queries() const { return queries_; }
    std::size_t size() const { return size_; }  ///< Pairs, over all queries.

  private:
    NamePool names_;
    std::deque<QueryJudgements> queries_;
    QueryIndex by_query_;
    std::size_t size_ = 0;
};

}  // namespace braid
