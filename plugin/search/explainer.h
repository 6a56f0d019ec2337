// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ranker.h"
#include "braid/core/models/fusion_model.h"
#include "braid/plugin/search/search_result.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

/// Tells how the lexical part of the score of a result is made of its rankers' values. Works on
/// queries of terms and boolean operators by evaluating each ranker on the statistics of the
/// database; for any other query (phrases among alternatives, synonyms, wildcards) it runs the
/// query once per ranker, which gives the same values without those of single terms. For debugging
/// and for people: it takes about as long as one search, or as one search per ranker.
class Explainer {
  public:
    /// `query` is what is run, without topic sources; `length` the query length given to Enquire.
    /// The model's rankers of other families are left out.
    Explainer(const Xapian::Database& database, const FusionModel& model,
              const Xapian::Query& query, Xapian::termcount length);

    /// One for each of the results' documents, in their order.
    std::vector<Explanation> explain(const std::vector<Xapian::docid>& results);

  private:
    using Leaf = std::pair<std::string, Xapian::termcount>;  ///< A term with its wqf.
    using Occurrences = std::map<std::string, Xapian::termcount>;
    using Scorers = std::vector<std::unique_ptr<const LexicalScorer>>;  ///< One for each ranker.

    enum class Outcome { kMatches, kDoesNot, kUnknown };
    Outcome collect(const Xapian::Query& query, bool surely, const Occurrences& document,
                    std::vector<Leaf>& leaves) const;
    Outcome collect_parts(const Xapian::Query& query, bool surely, const Occurrences& document,
                          std::vector<Leaf>& leaves) const;

    bool explain_by_terms(Xapian::docid docid, Explanation& explanation);
    void explain_by_runs(const std::vector<Xapian::docid>& results,
                         std::vector<Explanation>& explanations) const;
    Explanation outline() const;
    Occurrences occurrences_in(Xapian::docid docid) const;
    DocumentStatistics document_statistics(Xapian::docid docid) const;
    const Scorers& scorers(const Leaf& leaf);
    void add_bounds(Explanation& explanation, const std::vector<Leaf>& leaves);

    Xapian::Database database_;
    FusionModel model_;
    std::vector<std::unique_ptr<const LexicalRanker>> rankers_;
    Xapian::Query query_;
    Xapian::termcount length_;
    CollectionStatistics collection_;
    double query_norm_ = 0;
    bool has_records_ = false;
    std::map<Leaf, Scorers> scorers_;
    Scorers document_scorers_;
};

}  // namespace braid
