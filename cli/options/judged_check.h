// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/judgements.h"
#include "braid/progress.h"

namespace braid::cli {

/// Throws Error, with two examples of each side, because none of the queries `asked` in `found` is
/// judged.
[[noreturn]] void refuse_unjudged(const std::string& found, const std::vector<std::string>& asked,
                                  const Judgements& judgements, const std::string& judged);

/// Detects results and judgements that don't fit: if queries are numbered or documents named
/// differently, all measures are small and nothing else shows it.
class JudgedCheck {
  public:
    /// Borrows the judgements.
    explicit JudgedCheck(const Judgements& judgements) : judgements_(judgements) {}

    /// Adds a query's documents with their scores in each list, row-major: documents x lists.
    void add(const std::string& query, const std::vector<std::string_view>& documents,
             std::span<const double> scores);

    /// Warns if no document is judged, or no list of 50 or more has clearly more judged documents
    /// in its top ten than chance gives. `found` and `judged` name the sources in the message.
    void warn(const std::string& found, const std::string& judged, const WarningSink& sink) const;

  private:
    bool is_chance() const;

    const Judgements& judgements_;
    std::vector<std::string> queries_;       ///< The first two,
    std::vector<std::string> documents_;     ///< and of all documents.
    std::size_t count_ = 0;                  ///< Queries with a judgement.
    std::size_t longest_ = 0;                ///< Most documents of a query.
    std::size_t shown_ = 0;                  ///< In the first ten of a list, all queries together;
    std::size_t attainable_ = 0;             ///< Judged documents that could be there.
    std::vector<std::size_t> shown_judged_;  ///< by list.
    double chance_ = 0;                      ///< Sum over those of their queries' judgements.
    bool any_judged_ = false;
};

}  // namespace braid::cli
