// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/search_request.h"

namespace braid {

// What a query's weights follow from, in training as in a search. docs/algorithms/features.md (1).

/// The features of those groups. `topics` is of `model`.
BRAID_API std::vector<std::string> query_feature_names(const FusionModel& model,
                                                       const QueryFeatureGroups& groups,
                                                       SourceRanking& topics);

/// The feature that is one coordinate, from 0, of a query's embedding.
std::string embedding_feature(const std::string& name, std::size_t place);

/// What a query is known by when it comes again: its words as they are searched for, each once and
/// sorted, without filters and exclusions.
BRAID_API std::string query_key(const Xapian::Query& query);

/// Throws InvalidArgument, with the embedding's name, for one that has no numbers, has one that is
/// not finite, or is all zero.
void check_embeddings(const QueryInputs& inputs);

/// Features by their names, over one state of a database. For one thread.
class QueryFeatures {
  public:
    /// Throws ModelMismatch for a name that stands for nothing, or for a topic model that no ranker
    /// uses.
    BRAID_API QueryFeatures(const Xapian::Database& database, const FusionModel& model,
                            PoolScorerOptions options, const std::vector<std::string>& names);

    struct Values {
        std::vector<double> values;  ///< In the order of the names.
        std::size_t first_pass = 0;  ///< Documents that were looked at for them.
    };
    /// `query` may have filters, which change nothing. `topics` is of the same model and database.
    /// Throws InvalidArgument where the query lacks an embedding, or brings one of another
    /// dimension or as check_embeddings says; ModelMismatch where a topic model has fewer
    /// dimensions than the names tell.
    BRAID_API Values of(const Xapian::Query& query, const QueryInputs& inputs,
                        SourceRanking& topics);

    /// Call it after the database was reopened.
    void reopened() { scorer_.reset(); }

    /// As SourceRanking::stop_at. Features of result lists are those of a pass that found nothing
    /// where it stops before the documents are scored.
    void stop_at(std::shared_ptr<TimeLimit> limit) { limit_ = std::move(limit); }

  private:
    enum class Kind : std::uint8_t { kWords, kKnown, kTopic, kEmbedding, kList };
    struct Feature {
        Kind kind;
        std::string name = {};  ///< Name of the topic model or embedding.
        std::size_t place = 0;
    };

    Feature read(const std::string& name) const;
    bool has(Kind kind) const;
    std::vector<double> words_of(const std::map<std::string, double>& words) const;
    std::vector<double> lists_of(const Xapian::Query& query, const QueryInputs& inputs,
                                 std::size_t& first_pass);
    const std::vector<float>& embedding_of(const Feature& feature, const QueryInputs& inputs) const;

    Xapian::Database database_;
    FusionModel model_;
    PoolScorerOptions options_;
    std::vector<Feature> features_;
    std::map<std::string, std::size_t> embeddings_;  ///< Dimensions by name.
    std::optional<PoolScorer> scorer_;               ///< Once needed.
    std::shared_ptr<TimeLimit> limit_;
};

}  // namespace braid
