// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// Weights that follow from what is known of a query before its documents are scored;
/// docs/algorithms/list-loss.md (10) and (11). Plain numbers. The rankers' embeddings are row by
/// row in `rankers`, rankers x dimensions; `matrix` is dimensions x features.
struct AttentionFunction {
    std::vector<double> base;           ///< The part of the weights that is the same for all.
    std::size_t dimensions = 0;         ///< Of the embeddings.
    std::vector<double> rankers;        ///< p
    std::vector<std::string> features;  ///< Names of what describes a query.
    std::vector<double> means;          ///< Of each feature over the queries learned from.
    std::vector<double> deviations;     ///< 1 where a feature was the same for all.
    std::vector<double> matrix;         ///< J
    std::vector<double> offset;         ///< Of the embedding, one a dimension.
    bool softmax = false;  ///< Whether weights are the softmax of (11), and so from 0 up of sum 1.
    /// Whether weights below 0 become 0, and where none is left above, those of `base`: what one
    /// pass of a search can serve for every query.
    bool non_negative = false;
    double limit = 3;  ///< A feature is as far from its mean as so many deviations at most.
    /// Embeddings of queries that recur, instead of those their features give.
    std::map<std::string, std::vector<double>, std::less<>> known;

    bool operator==(const AttentionFunction&) const = default;
};

/// The weights for a query, one a ranker, finite whatever the features: O(dimensions (features +
/// rankers)), once a query and before matching. Where `known` has the query its features are not
/// read. Throws InvalidArgument for another number of features and for one that is not finite.
BRAID_API std::vector<double> attention_weights(const AttentionFunction& function,
                                                std::string_view query,
                                                std::span<const double> features);

/// The weights of a query that is like the mean of those learned from.
BRAID_API std::vector<double> mean_weights(const AttentionFunction& function);

/// Fills in names, means and deviations of the set's query features.
BRAID_API void describe_queries(const TrainingSet& set, AttentionFunction& function);

/// z of (10). Throws as attention_weights does, without the query's name.
BRAID_API std::vector<double> standard_features(const AttentionFunction& function,
                                                std::span<const double> features);

/// e^value / sum of the same, by the largest first: finite for any finite values.
BRAID_API void to_softmax(std::span<double> values);

/// Makes weights below 0 0; where none is left above, they become those of `base`, cut likewise.
BRAID_API void cut_below_zero(std::span<double> weights, std::span<const double> base);

/// Throws InvalidArgument where the parts don't fit together or a number is not finite.
BRAID_API void validate(const AttentionFunction& function);

}  // namespace braid
