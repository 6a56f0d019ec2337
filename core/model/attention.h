// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/training_set.h"

namespace braid {

/// Weights computed from a query's features before its documents are scored;
/// docs/algorithms/list-loss.md (10) and (11). Plain numbers, row by row: `rankers` holds the
/// rankers' embeddings (rankers x dimensions), `matrix` is dimensions x features.
struct AttentionFunction {
    std::vector<double> base;           ///< The part of the weights that all queries share.
    std::size_t dimensions = 0;         ///< Length of an embedding.
    std::vector<double> rankers;        ///< p
    std::vector<std::string> features;  ///< Names of the query features.
    std::vector<double> means;          ///< Mean of each feature over the training queries.
    std::vector<double> deviations;     ///< Likewise; 1 for a constant feature.
    std::vector<double> matrix;         ///< J
    std::vector<double> offset;         ///< Added to a query's embedding: one a dimension.
    bool softmax = false;               ///< Weights are the softmax of (11): >= 0, of sum 1.
    /// Sets negative weights to 0, and uses those of `base` if no positive weight is left: one pass
    /// of a search can then serve every query.
    bool non_negative = false;
    double limit = 3;  ///< Features are clamped to this many deviations from their mean.
    /// Embeddings of recurring queries, used instead of those computed from features.
    std::map<std::string, std::vector<double>, std::less<>> known;

    bool operator==(const AttentionFunction&) const = default;
};

/// The weights for a query, one a ranker, finite for any finite features: O(dimensions (features +
/// rankers)), computed once a query before matching. The features of a query in `known` are not
/// read. Throws InvalidArgument for a wrong number of features and for one that is not finite.
BRAID_API std::vector<double> attention_weights(const AttentionFunction& function,
                                                std::string_view query,
                                                std::span<const double> features);

/// The weights of a query whose features equal the training means.
BRAID_API std::vector<double> mean_weights(const AttentionFunction& function);

/// Sets the names, means and deviations of the set's query features.
void describe_queries(const TrainingSet& set, AttentionFunction& function);

/// z of (10). Throws as attention_weights does; takes no query name.
std::vector<double> standard_features(const AttentionFunction& function,
                                      std::span<const double> features);

/// Replaces each value by e^value / sum of e^value. Subtracts the largest first, so the result is
/// finite for finite values.
void to_softmax(std::span<double> values);

/// Sets negative weights to 0. If no positive weight is left, copies `base`, cut likewise.
void cut_below_zero(std::span<double> weights, std::span<const double> base);

/// Throws InvalidArgument for sizes that don't match or a number that is not finite.
BRAID_API void validate(const AttentionFunction& function);

}  // namespace braid
