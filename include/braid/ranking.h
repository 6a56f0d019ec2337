// SPDX-License-Identifier: GPL-2.0-or-later
// A database's own model in a program that has an Enquire of its own:
//
//     const Xapian::Database database("packages");
//     Xapian::Enquire enquire(database);
//     braid::Ranking ranking(database);
//     ranking.apply(enquire, Xapian::Query("chess"));
//     const Xapian::MSet results = enquire.get_mset(0, 10);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/model.h"
#include "braid/search_request.h"
#include "braid/search_result.h"
#include "braid/searcher.h"
#include "braid/settings.h"

namespace braid {

/// Thrown from Enquire::get_mset where the database is no longer the one, or on the state, that
/// Ranking::apply saw: call `apply` again. A server's reaches its client as
/// Xapian::InvalidOperationError with the same message.
class BRAID_API RankingOutdated : public Xapian::InvalidOperationError {
  public:
    explicit RankingOutdated(const std::string& message);
};

struct RankingSetup {
    /// Databases that hold the topic models and vectors instead, one for each shard.
    std::vector<Xapian::Database> sidecars = {};
    /// kWords: the query's matches. kAll: also documents of similar topics, whatever their words,
    /// within the filters and exclusions around the query. Not kHybrid, which takes Searcher. A
    /// model's own `candidates` isn't looked at.
    Candidates candidates = Candidates::kWords;
    /// How words were made; empty: as the database was indexed.
    std::optional<IndexSettings> index = {};
    /// As SearcherOptions has them. Rankings of other threads over the same database may share
    /// them. A Ranking made of a WritableDatabase uses none, since it may have changes that aren't
    /// committed.
    std::shared_ptr<VectorTables> vectors = new_vector_tables();
    std::shared_ptr<PostingTables> postings = new_posting_tables();
    Limits limits = {};  ///< Those of words and nesting hold.
};

/// What a search brings besides its query.
struct QueryUse {
    QueryInputs inputs = {};  ///< Vectors and embeddings of the query, the time.
    /// Whether get_mset will be given a relevance set that isn't empty. Xapian works one into
    /// BM25's scores, and no model has a place for it: the query is then ranked by BM25.
    bool relevance_set = false;
};

/// What Ranking::apply chose for a query.
struct RankedQuery {
    Xapian::Query query;  ///< What the Enquire has.
    /// Empty where the model ranks; else why BM25 does, as a sentence.
    std::string why_not_fused;
    /// How the query runs, in words (`path`); whether by one pass that prunes (`pruned`), and if
    /// not why (`why_not_pruned`); what first passes for feedback (`feedback_passes`,
    /// `feedback_milliseconds`) and the query's own weights took before it.
    SearchRun run;
    /// The probability of relevance of this query's scores: empty if the model has no calibration
    /// of the scores that one pass gives. Where `pruned`, `enquire.set_cutoff(0,
    /// calibration.least_score(0.5))` shows only documents that are more likely relevant than not;
    /// Enquire takes no score below 0.
    Calibration calibration = {};
    /// Third argument of Enquire::get_mset with which Xapian 1.4 loses no result: 0 where `pruned`;
    /// the number of documents for an OR or AND_MAYBE that it may lose one of (whole_match.h), as
    /// with its own weighting schemes.
    Xapian::doccount check_at_least = 0;
};

/// A fusion model for a caller's own Enquire: `apply` sets a query that ranks by all of it, by
/// words, topics, vectors, values, feedback, fields and weights that follow from the query, over
/// one database, several, remote ones, with vectors in the database or in sidecars.
///
/// What it promises:
/// * The query's matches stay, unless RankingSetup::candidates asks for others: facets and
/// counts,
///   AND, NOT and filters mean what they meant. Sorting by value or key, collapsing, spies,
///   deciders, cut-offs, paging, matching terms and snippets are Enquire's and work as ever, set
///   before or after `apply`.
/// * Scores equal Searcher's for the same model and query: to the bit where the answer says
///   `pruned`, over any shards and pages; elsewhere to 1e-12 relative.
/// * The Enquire keeps BM25, or a scheme that is BM25 for every query but that of `apply`: a later
///   set_query ranks as by default.
/// * Where the answer says `pruned`, a percentage is the score relative to the best result's, and
///   Enquire::set_cutoff cuts by that score. Elsewhere Xapian also counts matching parts, as
///   always. Xapian refuses a percentage to cut off at under a primary sort by value, whatever
///   ranks.
/// * Where no pass serves this query by this model, or there is a relevance set
///   (QueryUse::relevance_set), BM25 ranks and RankedQuery::why_not_fused says why.
/// * It never reopens the database, whose copies share their state. Once its owner has, or has
///   changed it (a WritableDatabase counts changes that aren't committed by the number and the
///   lengths of documents), get_mset throws RankingOutdated instead of scoring by old statistics,
///   and so it does over another database; the next `apply` is on the new state. Of several
///   databases behind one server only their identity is checked.
/// * All shards must hold the model's topic models: if one lacks them, get_mset throws
///   Xapian::InvalidOperationError, which names the database.
/// * First passes for feedback run under the query's filters, and are counted.
///
/// For one thread, with its database and Enquires; other threads have Rankings of their own, which
/// may share tables. Cost of `apply`: some look-ups for each word, folding it into topics, and
/// first passes for feedback.
class BRAID_API Ranking {
  public:
    /// Ranks by the model that is installed in the database, or in its first sidecar: that of the
    /// state that `apply` finds. Throws ModelMismatch, with the command to run, where there is
    /// none; with the reason, for a model of two passes whose first can't rank alone, as where its
    /// weights are of normalised scores: Searcher serves it. Of others the first pass ranks. Throws
    /// Error, with what to do, for a server that doesn't know Braid's classes.
    explicit Ranking(const Xapian::Database& database);
    Ranking(const Xapian::Database& database, const RankingSetup& options);
    /// Ranks by `model`. load_model("fast") of braid/config.h reads a preset or a file. Throws as
    /// `validate(model)` does, and ModelMismatch as above.
    Ranking(const Xapian::Database& database, const FusionModel& model);
    Ranking(const Xapian::Database& database, const FusionModel& model,
            const RankingSetup& options);
    ~Ranking();
    Ranking(Ranking&&) noexcept;
    Ranking& operator=(Ranking&&) noexcept;

    /// Sets the query and the weighting scheme of `enquire`, which must be over the same database.
    /// One `apply` serves any number of get_mset. Throws InvalidArgument for a query beyond the
    /// limits and for vectors that are missing or don't fit, and ModelMismatch where the database
    /// lacks what the model needs.
    RankedQuery apply(Xapian::Enquire& enquire, const Xapian::Query& query,
                      const QueryUse& use = {});

    /// The fused query alone, for a part of a larger query: its scores are the same below any
    /// operator, and it prunes nothing by itself. Throws as `apply`, and InvalidArgument with the
    /// reason for a query that `apply` can't prune.
    Xapian::Query query(const Xapian::Query& query, const QueryInputs& inputs = {});

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid
