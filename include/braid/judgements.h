// SPDX-License-Identifier: GPL-2.0-or-later
// Judgements of a few documents:
//
//     braid::Judgements judgements;
//     judgements.add("1", "apt", 1);
//     judgements.add("1", "vim", 0);
//     const braid::QueryJudgements* judged = judgements.find("1");
//     const bool relevant = judged != nullptr && judged->grade("apt").value_or(0) > 0;
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

class NameTable;

/// A relevance grade. 0 and below: not relevant (trec_eval's convention; some collections use
/// negative grades for spam). The measure's `relevant_from` >= 1 decides which grades count as
/// relevant.
using Grade = int;

/// The grade of a ranked document that nobody judged.
inline constexpr Grade kUnjudged = std::numeric_limits<Grade>::min();

struct Judgement {
    std::string_view document;
    Grade grade = 0;
};

/// The judgements of one query. Documents keep the order in which they were added.
class BRAID_API QueryJudgements {
  public:
    explicit QueryJudgements(std::string query);
    ~QueryJudgements();
    QueryJudgements(QueryJudgements&&) noexcept;
    QueryJudgements& operator=(QueryJudgements&&) noexcept;

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
    // Null while there are few judgements: they are searched in order.
    std::unique_ptr<NameTable> by_document_;
};

/// Judgements of several queries, in order of first appearance. Owns its names; movable, not
/// copyable. Reading is safe from several threads.
class BRAID_API Judgements {
  public:
    Judgements();
    ~Judgements();
    Judgements(Judgements&&) noexcept;
    Judgements& operator=(Judgements&&) noexcept;

    enum class Added { kNew, kSame, kConflict };

    /// The first of two judgements of a pair stays; the result says whether they agreed.
    Added add(std::string_view query, std::string_view document, Grade grade);

    /// nullptr for a query without judgements. Ids are compared as they are
    /// written; a number that is not there is then looked for without its leading zeros ("01" finds
    /// "1"), unless two queries differ in these alone.
    const QueryJudgements* find(std::string_view query) const;

    const std::deque<QueryJudgements>& queries() const;
    std::size_t size() const;  ///< Pairs, over all queries.

  private:
    struct Contents;
    std::unique_ptr<Contents> contents_;
};

}  // namespace braid
