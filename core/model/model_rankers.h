// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/parameters.h"

namespace braid {

/// The kind under which a database keeps vectors brought by the user. They are stored like a topic
/// model without words; topic_models() doesn't list this kind.
inline constexpr char kVectorsModel[] = "vectors";

/// What a ranker reads from a document, which decides how it is served.
enum class RankerFamily : std::uint8_t {
    kLexical,        ///< Its words: core/lexical.
    kTopic,          ///< Its vector in a topic model: max(0, cos) of the query's and its own.
    kTopicLanguage,  ///< Its words and its vector of p(z|d): core/topics/lbdm.h.
    kTopicFeedback,  ///< Its vector, compared with the query's after feedback.
    kTermFeedback,   ///< Its words, compared with the query's and the best results'.
    kFeature,        ///< Nothing: its score comes from a file. No database can compute it.
    kNeighbours,     ///< Its words and those of its nearest neighbours: core/topics/neighbours.h.
    kProximity,      ///< Its words' places: core/lexical/proximity.h.
    kVector,         ///< Its vector, brought by the user like the query's: max(0, cos).
    kValue,          ///< A number in a value slot, the same for every query: core/lexical.
    kTitle,          ///< The words of one field, in their order: core/lexical/title_exact.h.
    kFilter,         ///< Whether it matches a filter that the model names.
    kAllWords,       ///< Its words, where it has all of the query's.
};

/// Whether words fold into the ranker's topic model, so that a query has a vector of its own there.
inline bool has_word_vectors(RankerFamily family) {
    return family != RankerFamily::kVector && family != RankerFamily::kNeighbours &&
           family != RankerFamily::kProximity;
}

/// A ranker of any family as fusion models use it: by name and parameters.
struct ModelRanker {
    std::string name = {};  ///< From the registry.
    std::string summary;    ///< One line.
    std::string formula;    ///< For `explain`.
    std::vector<ParameterInfo> parameters = {};
    RankerFamily family = RankerFamily::kLexical;
    /// The kind of topic model it needs, as in topic_models() or kVectorsModel; "" for rankers of
    /// words and values. Also the name of the database's model if RankerSpec::topics is empty.
    std::string topic_model = {};
};

/// All rankers that a model may name, from the registries of all families. A new family is a line
/// in model_rankers.cpp.
BRAID_API const LazyRegistry<ModelRanker>& model_rankers();

/// The family of a ranker. Throws UnknownComponent.
BRAID_API RankerFamily family_of(const RankerSpec& spec);

/// The name of the database's topic model that a ranker uses; "" for a lexical one. Throws
/// UnknownComponent.
BRAID_API std::string topic_model_of(const RankerSpec& spec);

/// The model with only its lexical rankers, in their order, or with all others, which posting
/// sources serve. The result may have no rankers, or none of positive weight, and then doesn't
/// validate. Throw UnknownComponent.
BRAID_API FusionModel lexical_part(const FusionModel& model);
BRAID_API FusionModel source_part(const FusionModel& model);

/// The model with only the lexical rankers of one field, or of the whole text for "". Likewise.
BRAID_API FusionModel field_part(const FusionModel& model, const std::string& field);

/// The model with only the rankers that weigh these fields together: one of blended_fields.
BRAID_API FusionModel blend_part(const FusionModel& model, const std::string& fields);

/// The fields that lexical rankers of positive weight score, each once, in the model's order.
/// Throws UnknownComponent.
BRAID_API std::vector<std::string> scored_fields(const FusionModel& model);

/// The largest weight of a ranker. Rankers' scores are bounded by their parameters, far below
/// 1e100, so every sum of weighted scores or bounds is finite.
inline constexpr double kMostWeight = 1e100;

/// "1e+308, expected 0 to 1e+100", or "" for a valid weight.
BRAID_API std::string why_no_weight(double weight);

/// "found nan as score 2, expected ..", or "" for a valid calibration or none.
std::string why_no_calibration(const Calibration& calibration);

/// The parameter that makes a ranker of values or a filter multiply the score of all other rankers
/// (docs/algorithms/boosts.md) instead of adding to it; 0: it adds.
inline constexpr char kTimesParameter[] = "times";
inline constexpr double kLeastTimes = 1e-6;
inline constexpr double kMostTimes = 1e6;
inline constexpr double kMostFactorWeight = 10;  ///< The factor's exponent.

/// Whether the ranker is such a factor, and the model without those. Throw UnknownComponent.
BRAID_API bool is_factor(const RankerSpec& spec);
BRAID_API FusionModel without_factors(const FusionModel& model);

/// The fields with which rankers of positive weight weigh words before saturation, each list once
/// as RankerSpec::field has it (core/lexical/field_weights.h). Throws UnknownComponent.
BRAID_API std::vector<std::string> blended_fields(const FusionModel& model);

/// Whether any ranker has a positive weight.
BRAID_API bool has_weight(const FusionModel& model);

}  // namespace braid
