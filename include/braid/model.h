// SPDX-License-Identifier: GPL-2.0-or-later
// A model of two rankers, written by hand:
//
//     braid::FusionModel model;
//     model.rankers = {{.ranker = "bm25", .weight = 0.7},
//                      {.ranker = "lm-dirichlet", .parameters = {{"mu", 1500}}, .weight = 0.3}};
//     braid::validate(model);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/parameters.h"

namespace braid {

/// Which documents a query ranked by topics finds.
enum class Candidates {
    kWords,  ///< Documents that match its words.
    kAll,    ///< Also documents of similar topics, whatever their words.
    /// The best of kAll, found through clusters of vectors instead of reading all.
    kHybrid,
};

/// How a missing score (NaN: the ranker did not return the document) is replaced.
enum class MissingScore {
    kRefuse,   ///< An error.
    kMinimum,  ///< The pool's lowest score before normalising; 0 if all are missing.
    kZero,     ///< 0 after normalising.
    /// Stays missing, and so does a score of 0, for which a ranker found nothing. Fusion methods
    /// only: see MethodFunction.
    kAbsent,
};

/// How rankers' scores are made comparable before they are combined; see core/pool/normalisers.h.
struct Normalisation {
    std::string normaliser = "none";
    ParameterMap parameters = {};
    MissingScore missing = MissingScore::kRefuse;

    bool operator==(const Normalisation&) const = default;
};

/// How a model's rankers become one score, as files and databases store it: the name of a form,
/// with numbers and names that the form interprets. model_function.h converts it to a function and
/// back, so a new form changes neither files nor bytes.
struct FunctionForm {
    /// "linear", the sum of scores times RankerSpec::weight, has no numbers of its own. Other forms
    /// don't read these weights; only the first pass of a two-pass search does. They are 1 except
    /// for "fusion".
    std::string form = "linear";
    std::map<std::string, std::vector<double>> numbers = {};
    std::map<std::string, std::vector<std::string>> names = {};

    bool operator==(const FunctionForm&) const = default;
};

/// One step of a learning curve.
struct CurvePoint {
    std::size_t iteration = 0;
    double objective = 0;  ///< The learner's objective.
    std::optional<double> validation = {};
    /// The measure on each set of LearnerOptions::watched; not stored in model files.
    std::vector<double> watched = {};
    /// From adarank where something is watched: a lower bound of the training measure by theorem 4
    /// of its paper; not stored in model files.
    std::optional<double> bound = {};

    bool operator==(const CurvePoint&) const = default;
};

/// How a model was learned.
struct LearningRecord {
    std::string measure = {};  ///< The measure optimised: "map".
    int relevant_from = 1;     ///< The lowest grade that counted as relevant.
    std::size_t queries = 0;
    std::size_t documents = 0;   ///< Summed over the queries' pools.
    std::size_t judgements = 0;  ///< Documents with a grade.
    /// Means over the training queries and over the validation queries.
    std::map<std::string, double> measures = {};
    std::map<std::string, double> validation = {};
    std::string objective_name = {};  ///< "smooth map"
    double objective = 0;
    std::size_t iterations = 0;
    std::string stop_reason = {};  ///< "converged"
    /// Divisors of each ranker's scores during learning, one a ranker. The model's weights include
    /// them, `state` does not. Empty: scores were not divided.
    std::vector<double> scales = {};
    std::vector<CurvePoint> curve = {};
    /// The state from which the learner can resume; empty if it can't.
    std::map<std::string, std::vector<double>> state = {};

    bool operator==(const LearningRecord&) const = default;
};

/// A topic model that a fusion model's ranker needs, as the database identifies it.
struct TopicModelIdentity {
    std::string name;  ///< The ranker's name for it: "lsa".
    std::string id;    ///< Changes with every training of the topic model.

    bool operator==(const TopicModelIdentity&) const = default;
};

/// Where a fusion model comes from. Stored with it and shown, never part of a score. The trainer
/// fills it; it is empty for weights written by hand. Holds no date and no path, so the same
/// training gives the same bytes.
struct ModelProvenance {
    std::string learner = {};                         ///< "genm-bat"
    std::map<std::string, std::string> options = {};  ///< The learner's, as a user writes them.
    std::uint64_t seed = 0;
    /// Means over held-out queries, by measure: "map", "ndcg@10".
    std::map<std::string, double> measures = {};
    /// A database whose topic models of these names differ refuses the fusion model.
    std::vector<TopicModelIdentity> topic_models = {};
    LearningRecord learning = {};

    bool operator==(const ModelProvenance&) const = default;
};

/// One ranker of a fusion model, with its weight.
struct RankerSpec {
    std::string ranker = {};  ///< A name from the ranker registry: "bm25".
    std::string name = {};    ///< Its name in reports; "": that of `label`.
    /// Lexical rankers: the field to score; "": the whole text. Value rankers: the field whose slot
    /// is read; "": the parameter `slot` names it.
    std::string field = {};
    /// Topic and vector rankers only: the database's topic model or vectors; "":
    /// ModelRanker::topic_model.
    std::string topics = {};
    ParameterMap parameters = {};
    double weight = 1;  ///< >= 0. 0 keeps the ranker in reports but out of the score.

    /// `name`; if empty, the ranker's name, then ":" and the field or topic model if one is given.
    BRAID_API std::string label() const;

    bool operator==(const RankerSpec&) const = default;
};

/// How a score becomes the probability that its document is relevant, for all queries alike: linear
/// between points, constant beyond them. docs/algorithms/calibration.md says how it is learned, and
/// when scores are divided by the query's bound before (2).
struct Calibration {
    std::vector<double> scores = {};         ///< Ascending, no two equal. Empty: not calibrated.
    std::vector<double> probabilities = {};  ///< One a score, from 0 to 1, not descending.

    bool empty() const { return scores.empty(); }
    /// Must not be empty.
    BRAID_API double probability(double score) const;
    /// The least score of at least that probability; minus infinity if all have it, infinity if
    /// none has. Must not be empty.
    BRAID_API double least_score(double probability) const;

    bool operator==(const Calibration&) const = default;
};

/// The rankers of a score and their weights: a plain value, independent of any database.
struct FusionModel {
    std::vector<RankerSpec> rankers = {{.ranker = "bm25"}};
    Normalisation normaliser = {};  ///< Applied to each ranker's scores before the function.
    FunctionForm function = {};
    Candidates candidates = Candidates::kWords;  ///< Used unless the search says otherwise.
    ModelProvenance provenance = {};
    Calibration calibration = {};  ///< Of the scores that the rest gives.

    bool operator==(const FusionModel&) const = default;
};

/// Throws InvalidSetting (an InvalidArgument) if the model can't rank: no rankers, two of one
/// label, a weight that is negative or not finite, all weights 0, an invalid parameter of a ranker
/// or normaliser, a field or topic model for a ranker that doesn't use one, or a feature without a
/// name. Throws UnknownComponent for an unregistered ranker or normaliser.
BRAID_API void validate(const FusionModel& model);

/// Reads the model of a name: load_model of braid/config.h, which takes files and presets.
using ModelReader = std::function<FusionModel(const std::string& name)>;

}  // namespace braid
