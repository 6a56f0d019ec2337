// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/base/registry.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// The kind of what a database keeps of vectors that something else made: as a topic model without
/// words, which is no kind in topic_models().
inline constexpr char kVectorsModel[] = "vectors";

/// What a ranker reads of a document, which decides how it is served.
enum class RankerFamily : std::uint8_t {
    kLexical,        ///< Its words: core/lexical.
    kTopic,          ///< Its vector in a topic model: max(0, cos) of the query's and its own.
    kTopicLanguage,  ///< Its words and its vector of p(z|d): core/topics/lbdm.h.
    kTopicFeedback,  ///< Its vector, against the query's as the best results have moved it.
    kTermFeedback,   ///< Its words, against the query's and those of the best results.
    kFeature,        ///< Nothing: a file has its score. No database can compute it.
    kVector,         ///< Its vector, which something else made, as the query's: max(0, cos).
    kValue,          ///< A number in a value slot, whatever the query: core/lexical.
};

/// A ranker as fusion models know it: by name and parameters, whatever family it is of.
struct ModelRanker {
    std::string name;
    std::string summary;  ///< One line.
    std::string formula;  ///< In words and symbols, for `explain`.
    std::vector<ParameterInfo> parameters;
    RankerFamily family = RankerFamily::kLexical;
    /// What kind of topic model it needs, by the name in topic_models() or kVectorsModel; "" for
    /// rankers of words and values.
    /// Without RankerSpec::topics it is also the name of the database's model.
    std::string topic_model = {};
};

/// Every ranker that a model may name. Takes in the registries of the families; a new family is a
/// line in model_rankers.cpp.
BRAID_API const Registry<ModelRanker>& model_rankers();

/// The family of a ranker. Throws UnknownComponent.
BRAID_API RankerFamily family_of(const RankerSpec& spec);

/// The name of the database's topic model that a ranker uses; "" for a lexical one. Throws
/// UnknownComponent.
BRAID_API std::string topic_model_of(const RankerSpec& spec);

/// The model with its lexical rankers only, in their order, or with all others, which posting
/// sources beside the words serve. What is left may
/// have no rankers, or none of a weight above 0, and so not validate. Throw UnknownComponent.
BRAID_API FusionModel lexical_part(const FusionModel& model);
BRAID_API FusionModel source_part(const FusionModel& model);

/// Of the lexical rankers those that score one field, or with "" the whole text. The same holds.
BRAID_API FusionModel field_part(const FusionModel& model, const std::string& field);

/// The fields that lexical rankers of a weight above 0 score by themselves, each once, in the
/// model's order. Throws UnknownComponent.
BRAID_API std::vector<std::string> scored_fields(const FusionModel& model);

/// The largest weight that a ranker may have. Scores of rankers are bounded by their parameters,
/// far below 1e100, so that every sum of weighted scores and of their bounds is finite.
inline constexpr double kMostWeight = 1e100;

/// "1e+308, expected 0 to 1e+100", or "" where the weight is that.
BRAID_API std::string why_no_weight(double weight);

/// Whether any ranker counts.
BRAID_API bool has_weight(const FusionModel& model);

}  // namespace braid
