// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/core/lexical/statistics.h"
#include "braid/error.h"
#include "braid/parameters.h"

namespace braid {

/// The parameter of lexical rankers whose formula uses the average document length. Training writes
/// down a field's average, so scores stay those that the weights were learned from.
inline constexpr const char* kAverageLength = "average_length";

/// One part of a ranker's score, with all that is constant over documents precomputed, so a
/// document costs a few operations. Immutable; neither allocates nor throws.
class BRAID_API LexicalScorer {
  public:
    virtual ~LexicalScorer() = default;

    virtual double score(const DocumentStatistics& document) const = 0;

    /// At least `score` of every document within `bounds`, up to rounding (1e-12 relative). Costs
    /// up to a few microseconds: call it once per term and query, never per document.
    virtual double upper_bound(const BoundStatistics& bounds) const = 0;
};

/// A lexical ranker: a document's score is the sum of its term scorers over the query terms it has,
/// plus its document scorer if it has one; or `finish` of that sum. A pure function of statistics,
/// immutable, safe to share between threads.
///
/// Every implementation guarantees, and the conformance test checks over random statistics:
/// * all values are finite and never negative, for any statistics;
/// * a term that does not occur (occurrences 0) and an empty document (length 0) score 0;
/// * no document within the bounds scores more than the bound.
class BRAID_API LexicalRanker {
  public:
    virtual ~LexicalRanker() = default;

    /// The scorer of one query term. Replaces impossible statistics (more documents with the term
    /// than documents, as Xapian may estimate for synonyms) by the nearest possible ones.
    virtual std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const = 0;

    /// The scorer of the part that doesn't depend on which query terms a document has, or nullptr,
    /// as for most rankers. It ignores `occurrences` and `occurrences_max`.
    virtual std::unique_ptr<const LexicalScorer> document_scorer(
        const QueryStatistics& query) const;

    /// The score of a document with this sum: rises with it, and is 0 for 0.
    virtual double finish(double sum) const { return sum; }
};

/// What a ranker asks of its caller beyond the postings' counts and lengths, whatever its
/// parameters. core/model/serving.h says who can serve a ranker with these traits.
struct LexicalTraits {
    bool is_sum = true;               ///< LexicalRanker::finish returns the sum as it is.
    bool needs_unique_terms = false;  ///< DocumentStatistics::unique_terms must be filled.
    /// DocumentStatistics::norm must be filled, and TermStatistics::query_norm.
    bool needs_norm = false;
    bool has_document_part = false;  ///< LexicalRanker::document_scorer gives a scorer.
    /// DocumentStatistics::occurrences are weighted sums over fields: core/lexical/field_weights.h.
    bool blends_fields = false;

    /// Whether the database must keep a record of each document.
    bool needs_record() const { return needs_unique_terms || needs_norm; }
};

/// One entry of the ranker registry.
struct LexicalRankerInfo {
    std::string name = {};  ///< "lm-dirichlet"; from the registry.
    std::string summary;    ///< One line for `braid rankers`.
    std::string formula;    ///< For `explain`; docs/algorithms/lexical.md.
    std::vector<ParameterInfo> parameters = {};
    LexicalTraits traits = {};
    /// Takes the parameters' values in the order of `parameters`.
    std::function<std::unique_ptr<const LexicalRanker>(const std::vector<double>&)> make;
};

/// All lexical rankers. A new one is a line in core/lexical/registry.cpp.
BRAID_API const LazyRegistry<LexicalRankerInfo>& lexical_rankers();

/// A term's component in the query's tf-idf vector: docs/algorithms/lexical.md (7b).
BRAID_API double tfidf_component(const TermStatistics& term);

/// Throws UnknownComponent or InvalidArgument.
BRAID_API std::unique_ptr<const LexicalRanker> make_lexical_ranker(const std::string& name,
                                                                   const ParameterMap& parameters);

}  // namespace braid
