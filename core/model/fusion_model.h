// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/pool/normalisation.h"

namespace braid {

/// Which documents a query finds that is ranked by topics.
enum class Candidates {
    kWords,  ///< Those that match its words.
    kAll,    ///< Those of similar topics, too, whatever their words.
    /// The best of these, found through clusters of vectors rather than by reading all.
    kHybrid,
};

/// How a model's rankers become one score, as files and databases hold it: the name of a form and
/// plain numbers and names, whatever the form makes of them. core/learn turns
/// it into a function and back, so a new form changes neither files nor bytes.
struct FunctionForm {
    /// "linear", the sum of scores times RankerSpec::weight, has no numbers of its own. Other
    /// forms read no such weights; what they say is what rankers count in the first pass of a
    /// search that takes two, 1 but for "fusion".
    std::string form = "linear";
    std::map<std::string, std::vector<double>> numbers = {};
    std::map<std::string, std::vector<std::string>> names = {};

    bool operator==(const FunctionForm&) const = default;
};

/// One step of a learning curve.
struct CurvePoint {
    std::size_t iteration = 0;
    double objective = 0;  ///< What the learner optimises.
    std::optional<double> validation = {};
    /// The measure on each of LearnerOptions::watched; a model file has none.
    std::vector<double> watched = {};

    bool operator==(const CurvePoint&) const = default;
};

/// How the learning went that a model comes from.
struct LearningRecord {
    std::string measure = {};  ///< What was to be good: "map".
    int relevant_from = 1;     ///< The least grade that counted as relevant.
    std::size_t queries = 0;
    std::size_t documents = 0;   ///< In all queries' pools together.
    std::size_t judgements = 0;  ///< Those of them that have a grade.
    /// Means over the queries learned from, and over those that chose among the learner's steps.
    std::map<std::string, double> measures = {};
    std::map<std::string, double> validation = {};
    std::string objective_name = {};  ///< "smooth map"
    double objective = 0;
    std::size_t iterations = 0;
    std::string stop_reason = {};  ///< "converged"
    /// One number a ranker that its scores were divided by while learning; the model's weights
    /// have that taken in already, the state has not. Empty: none were.
    std::vector<double> scales = {};
    std::vector<CurvePoint> curve = {};
    /// What the learner goes on from; empty where it can't.
    std::map<std::string, std::vector<double>> state = {};

    bool operator==(const LearningRecord&) const = default;
};

/// A topic model that a ranker of a fusion model needs, as the database names it.
struct TopicModelIdentity {
    std::string name;  ///< The ranker's name for it: "lsa".
    std::string id;    ///< Changes with every training of the topic model.

    bool operator==(const TopicModelIdentity&) const = default;
};

/// Where a fusion model comes from. Kept with it and shown, never part of a score. Whoever trains
/// fills it; all of it is empty for weights that were written by hand. Holds no date and no path,
/// so that the same training gives the same bytes.
struct ModelProvenance {
    std::string learner = {};                         ///< "genm-bat"
    std::map<std::string, std::string> options = {};  ///< The learner's, as one would write them.
    std::uint64_t seed = 0;
    /// Means over queries the weights were not trained on, by measure: "map", "ndcg@10".
    std::map<std::string, double> measures = {};
    /// A database with other topic models under these names refuses the fusion model.
    std::vector<TopicModelIdentity> topic_models = {};
    LearningRecord learning = {};

    bool operator==(const ModelProvenance&) const = default;
};

/// One ranker of a fusion model, with its share.
struct RankerSpec {
    std::string ranker = {};  ///< A name from the ranker registry: "bm25".
    std::string name = {};    ///< What reports call it; "" means what `label` says.
    /// Of lexical rankers: the field it scores; "" is the whole text. Of rankers of values: the
    /// field whose slot it reads; "" where its parameter `slot` says which.
    std::string field = {};
    /// The database's topic model, or vectors, it uses; "" is ModelRanker::topic_model. Rankers of
    /// those only.
    std::string topics = {};
    ParameterMap parameters = {};
    double weight = 1;  ///< Not negative. 0 keeps the ranker in reports and out of the score.

    /// `name`; without one the ranker's name, and ":" and the field or the topic model where one is
    /// given.
    BRAID_API std::string label() const;

    bool operator==(const RankerSpec&) const = default;
};

/// Which rankers make a score, and how much each counts: a plain value, without a database.
struct FusionModel {
    std::vector<RankerSpec> rankers = {{.ranker = "bm25"}};
    Normalisation normaliser = {};  ///< Of every ranker's scores, before the function.
    FunctionForm function = {};
    Candidates candidates = Candidates::kWords;  ///< Where a search says nothing else.
    ModelProvenance provenance = {};

    bool operator==(const FusionModel&) const = default;
};

/// Throws InvalidSetting (an InvalidArgument) where the model can't rank anything: no rankers, two
/// of one label, a weight that is negative or not finite, all weights 0, a parameter that is
/// wrong for its ranker, a field or topic model given to a ranker that has no use for it, a feature
/// without a name, or a normaliser's parameter that is wrong; UnknownComponent for a ranker or
/// normaliser that is not registered.
BRAID_API void validate(const FusionModel& model);

}  // namespace braid
