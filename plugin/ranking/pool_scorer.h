// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/settings/limits.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/search_request.h"
#include "braid/training_set.h"

namespace braid {

/// Scores of a model's single rankers for the documents of a pool, for one query.
struct PoolScores {
    /// One query, named "query", with a row for each document: scores without the model's
    /// weights, bounds over the database, no judgements. Places are the documents' vectors in the
    /// topic model of the first ranker that uses one; empty unless PoolScorerOptions::places.
    TrainingSet rows;
    /// By ranker: the share of the query's words that its topic model knows; 1 for a lexical one.
    std::vector<double> known;
    /// Documents with a damaged vector or record, which counts as missing.
    std::set<Xapian::docid> damaged = {};
};

struct PoolScorerOptions {
    Xapian::Stem query_stemmer = {};              ///< Stemmer of the query's words, if any.
    std::vector<Xapian::Database> sidecars = {};  ///< As for Searcher.
    std::shared_ptr<VectorTables> tables = {};    ///< Keeps topic vectors in memory, if given.
    bool places = false;                          ///< Whether places are wanted.
    Limits limits = {};                           ///< Limits of queries: words and nesting.
};

/// Scores given documents by every ranker of a model, outside Xapian's matcher and by the functions
/// that serve inside it: the model's weighted sum of a row is the score of that document as
/// Searcher finds it, to 1e-9. In a document that the query doesn't match, one that lacks a word of
/// an AND or is excluded, words give 0; it keeps its topics and what rankers give a document for
/// itself, as where candidates are all documents (docs/algorithms/features.md). Also serves what
/// one pass can't: rankers that need unique terms.
///
/// Cost: one pass over the pool for each term of the query, skipping through its postings, and one
/// vector read for each document and topic model: about 1 ms for 1,000 documents out of 100,000 and
/// six rankers; docs/benchmarks.md. A remote database sends a term's postings whole: slow.
///
/// One object belongs to one thread and to one state of its database: after a reopen, make another.
class PoolScorer {
  public:
    /// Rankers of weight 0 are scored like all others; the model's normaliser and function are
    /// passed over, too. Throws as validate(model) does, and ModelMismatch for a ranker of a field
    /// whose lengths the database doesn't hold, for a feature that only files have, and where
    /// places are wanted and no ranker uses a topic model.
    BRAID_API PoolScorer(const Xapian::Database& database, const FusionModel& model,
                         PoolScorerOptions options = {});
    BRAID_API ~PoolScorer();
    BRAID_API PoolScorer(PoolScorer&&) noexcept;
    PoolScorer& operator=(PoolScorer&&) noexcept;

    /// `documents` ascend. Terms under boolean operators are walked through as said above; the
    /// matcher is asked about phrases, NEAR, ranges, synonyms and wildcards, once for each, and
    /// about queries that have operators beyond these or posting sources, once for each ranker, in
    /// as long as a search takes. Throws InvalidArgument where such a search can't serve a ranker
    /// and for a query beyond PoolScorerOptions::limits (check_query),
    /// ModelMismatch where the database lacks a topic model, and Xapian::DocNotFoundError for a
    /// document that isn't there.
    BRAID_API PoolScores score(const Xapian::Query& query, std::span<const Xapian::docid> documents,
                               const QueryInputs& inputs = {});

    /// From now on `score` throws TimeIsOver once the limit is over. Null: none.
    void stop_at(const std::shared_ptr<TimeLimit>& limit);

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid
