// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/core/export.h"
#include "braid/core/lexical/statistics.h"
#include "braid/core/parameters.h"
#include "braid/core/registry.h"

namespace braid {

/// A lexical ranker: a document's score is the sum of `score` over the query terms it has, plus
/// `document_score` once. Pure functions of statistics, immutable, safe to share between threads;
/// they neither allocate nor throw.
///
/// Every implementation promises, and the conformance test checks over random statistics:
/// * all values are finite, and never negative where the term occurs (occurrences >= 1);
/// * `score(t, d) <= upper_bound(t, b)` for every d within b, and likewise for the document part;
/// * for a fixed document length `score` does not fall as occurrences rise, if `monotone()`.
class BRAID_API LexicalRanker {
  public:
    virtual ~LexicalRanker() = default;

    /// What `document` gains from one query term that it has.
    virtual double score(const TermStatistics& term, const DocumentStatistics& document) const = 0;
    virtual double upper_bound(const TermStatistics& term, const BoundStatistics& bounds) const = 0;

    /// What a document scores whichever of the query's terms it has; 0 for most rankers.
    virtual double document_score(const QueryStatistics& query,
                                  const DocumentStatistics& document) const;
    virtual double document_upper_bound(const QueryStatistics& query,
                                        const BoundStatistics& bounds) const;
    virtual bool has_document_score() const { return false; }

    virtual bool needs_unique_terms() const { return false; }
};

/// One entry of the ranker registry.
struct LexicalRankerInfo {
    std::string name;     ///< "lm-dirichlet"
    std::string summary;  ///< One line for `braid rankers`.
    std::string formula;  ///< In words and symbols, for `explain`.
    std::vector<ParameterInfo> parameters;
    /// Takes the parameters' values in the order of `parameters`.
    std::function<std::unique_ptr<const LexicalRanker>(const std::vector<double>&)> make;
};

/// Every lexical ranker there is. A new one is a line in core/lexical/registry.cpp.
BRAID_API const Registry<LexicalRankerInfo>& lexical_rankers();

/// Throws UnknownComponent or InvalidArgument.
BRAID_API std::unique_ptr<const LexicalRanker> make_lexical_ranker(const std::string& name,
                                                                   const ParameterMap& parameters);

}  // namespace braid
