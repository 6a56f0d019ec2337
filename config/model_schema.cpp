// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "braid/config/schema.h"
#include "braid/config/settings_schema.h"
#include "braid/core/eval/measure.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/normalisers.h"

namespace braid::yaml {
namespace {

const Entry* find_entry(const Node& node, const std::string& key) {
    for (const Entry& entry : node.entries) {
        if (entry.key == key) return &entry;
    }
    return nullptr;
}

// Says the place of a ranker or parameter that doesn't exist, and what does; `validate` knows no
// places for these.
void check_names(const RankerSpec& spec, const Place& place) {
    const auto& rankers = model_rankers();
    const Entry* ranker = find_entry(place.node(), "ranker");
    if (!rankers.contains(spec.ranker) && ranker != nullptr) {
        const std::vector<std::string> names = rankers.names();
        place.entry(*ranker).fail("one of " + comma_list(names), names);
    }
    std::vector<std::string> known;
    for (const ParameterInfo& info : rankers.find(spec.ranker).parameters) {
        known.push_back(info.name);
    }
    const Entry* parameters = find_entry(place.node(), "parameters");
    if (parameters == nullptr) return;
    for (const Entry& entry : parameters->value.entries) {
        if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
        if (known.empty()) place.entry(*parameters).fail(spec.ranker + " without parameters");
        place.entry(*parameters).fail_unknown(entry, known);
    }
}

Type<RankerSpec> ranker_type() {
    using RankerSchema = Schema<RankerSpec>;
    return RankerSchema(RankerSchema::Writing::kChanged)
        .required("ranker", &RankerSpec::ranker, text("the name of a ranker"),
                  "A ranker; `braid rankers` lists them.")
        .key("name", &RankerSpec::name, text("a name, or \"\""),
             "What reports call it; \"\" is the ranker's name with its field's or topic model's.")
        .key("field", &RankerSpec::field, text("the name of a field, or \"\""),
             "Score this field alone; \"\" is the whole text. For rankers of values: the field "
             "whose value slot they read. For title-exact: the field it compares. For bm25f: "
             "fields with weights (name^5 title^2). For filter: what documents match, as in a "
             "query (section:games).")
        .key("topics", &RankerSpec::topics, text("the name of a topic model, or \"\""),
             "The database's topic model that the ranker uses; \"\" is the one with the ranker's "
             "name, lda for lbdm, and vectors for vector. Only for rankers of topics and vectors.")
        .key("parameters", &RankerSpec::parameters,
             dictionary("a map of a ranker's parameters to numbers", number()),
             "Parameters; others keep the ranker's defaults.")
        .key("weight", &RankerSpec::weight, number(0), "Multiplies the ranker's score.")
        .check(check_names)
        .type();
}

// As each of those words is named in files.
std::vector<std::pair<std::string, MissingScore>> missing_scores() {
    return {{"refuse", MissingScore::kRefuse},
            {"minimum", MissingScore::kMinimum},
            {"zero", MissingScore::kZero},
            {"absent", MissingScore::kAbsent}};
}

Type<Normalisation> normaliser_type() {
    using NormaliserSchema = Schema<Normalisation>;
    return NormaliserSchema(NormaliserSchema::Writing::kChanged)
        .key("name", &Normalisation::normaliser, word(normalisers().names()),
             "The normaliser; `braid normalisers` has formulas.")
        .key("parameters", &Normalisation::parameters,
             dictionary("a map of the normaliser's parameters to numbers", number()),
             "Parameters; others keep the normaliser's defaults.")
        .key("missing", &Normalisation::missing, choice(missing_scores()),
             "What becomes of a score that is not there: an error, the least that the ranker gave "
             "for the query, 0 after normalising, or a list that lacks the document, as it does "
             "one of score 0 (fusion methods only).")
        .type();
}

Type<FunctionForm> function_type() {
    using FunctionSchema = Schema<FunctionForm>;
    return FunctionSchema(FunctionSchema::Writing::kChanged)
        .key("form", &FunctionForm::form, text("the name of a form"),
             "linear is the sum of the rankers' scores times their weights. Other forms have "
             "numbers of their own, which learners write.")
        .key("numbers", &FunctionForm::numbers,
             dictionary("a map of names to lists of numbers", list(number(), "numbers")),
             "The form's numbers by name.")
        .key("names", &FunctionForm::names,
             dictionary("a map of names to lists of names", list(text("a name"), "names")),
             "What the form's numbers belong to, if not to the rankers.")
        .type();
}

Type<TopicModelIdentity> topic_model_type() {
    return Schema<TopicModelIdentity>()
        .required("name", &TopicModelIdentity::name, text("a name"),
                  "What rankers call the topic model.")
        .required("id", &TopicModelIdentity::id, text("an identifier"),
                  "Changes each time the topic model is trained.")
        .type();
}

Type<ModelProvenance> provenance_type() {
    using ProvenanceSchema = Schema<ModelProvenance>;
    return ProvenanceSchema(ProvenanceSchema::Writing::kChanged)
        .key("learner", &ModelProvenance::learner, text("the name of a learner, or \"\""),
             "The learner of the weights; \"\" if they were not learned.")
        .key("options", &ModelProvenance::options,
             dictionary("a map of names to texts", text("a text")), "The learner's options.")
        .key("seed", &ModelProvenance::seed,
             integer(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()),
             "Seed of the learner's random numbers.")
        .key("measures", &ModelProvenance::measures,
             dictionary("a map of measures to numbers", number()), "Means over held-out queries.")
        .key("topic_models", &ModelProvenance::topic_models, list(topic_model_type()),
             "The topic models that the weights belong to; a database with other ones refuses the "
             "weights.")
        .key("learning", &ModelProvenance::learning, learning_type(), "The course of learning.")
        .type();
}

Type<Calibration> calibration_type() {
    using CalibrationSchema = Schema<Calibration>;
    return CalibrationSchema(CalibrationSchema::Writing::kChanged)
        .key("scores", &Calibration::scores, list(number(), "numbers"), "Ascending scores.")
        .key("probabilities", &Calibration::probabilities, list(number(0), "numbers"),
             "The probability of relevance at each of these scores; linear between two.")
        .type();
}

Type<FusionModel> make_model_type() {
    return Schema<FusionModel>()
        .key("rankers", &FusionModel::rankers, list(ranker_type()),
             "The rankers; a result's score is the sum of their scores, each times its weight.")
        .key("normaliser", &FusionModel::normaliser, normaliser_type(),
             "Makes the rankers' scores comparable first. Only a model without one (none) ranks a "
             "database in one pass.")
        .key("function", &FusionModel::function, function_type(),
             "How the scores become one, if not by their weighted sum.")
        .key("candidates", &FusionModel::candidates,
             choice<Candidates>({{"words", Candidates::kWords},
                                 {"all", Candidates::kAll},
                                 {"hybrid", Candidates::kHybrid}}),
             "Which documents a query finds, unless the search says otherwise; as "
             "search.candidates.")
        .key("provenance", &FusionModel::provenance, provenance_type(),
             "Where the weights come from. Written by whatever learned them, shown, and never part "
             "of a score.")
        .key("calibration", &FusionModel::calibration, calibration_type(),
             "The probability of relevance for a score; `braid train` learns it from held-out "
             "queries.")
        .check([](const FusionModel& value, const Place&) { validate(value); })
        .type();
}

}  // namespace

const Type<FusionModel>& model_type() {
    static const Type<FusionModel> type = make_model_type();
    return type;
}

namespace {

constexpr std::size_t kMost = 1000000000000000;

// A number, or ~ for none.
Type<std::optional<double>> optional_number() {
    const Type<double> some = number();
    Type<std::optional<double>> type;
    type.values = some.values + ", or nothing";
    type.read = [some](const Place& place) -> std::optional<double> {
        if (place.node().kind == Node::Kind::kEmpty) return std::nullopt;
        return some.read(place);
    };
    type.write = [some](const std::optional<double>& value) {
        return value ? some.write(*value) : Node{};
    };
    return type;
}

Type<CurvePoint> curve_point_type() {
    using PointSchema = Schema<CurvePoint>;
    return PointSchema(PointSchema::Writing::kChanged)
        .key("iteration", &CurvePoint::iteration, integer(std::size_t{0}, kMost),
             "Number of steps before.")
        .key("objective", &CurvePoint::objective, number(), "What the learner maximises.")
        .key("validation", &CurvePoint::validation, optional_number(),
             "The measure on the validation queries.")
        .type();
}

using Numbers = std::map<std::string, double>;

Type<Numbers> numbers_by_measure() { return dictionary("a map of measures to numbers", number()); }

}  // namespace

Type<LearningRecord> learning_type() {
    using Learning = LearningRecord;
    using LearningSchema = Schema<Learning>;
    return LearningSchema(LearningSchema::Writing::kChanged)
        .key("measure", &Learning::measure, text("a measure, or \"\""),
             "The measure that was optimised.")
        .key("relevant_from", &Learning::relevant_from, integer(-1000000, 1000000),
             "Lowest grade that counted as relevant.")
        .key("queries", &Learning::queries, integer(std::size_t{0}, kMost),
             "Number of queries to learn from.")
        .key("documents", &Learning::documents, integer(std::size_t{0}, kMost),
             "Number of documents in all pools together.")
        .key("judgements", &Learning::judgements, integer(std::size_t{0}, kMost),
             "Number of documents with a grade.")
        .key("measures", &Learning::measures, numbers_by_measure(),
             "Means over the queries learned from.")
        .key("validation", &Learning::validation, numbers_by_measure(),
             "Means over the validation queries.")
        .key("objective_name", &Learning::objective_name, text("a name, or \"\""),
             "What the learner maximises.")
        .key("objective", &Learning::objective, number(), "Its value at the end.")
        .key("iterations", &Learning::iterations, integer(std::size_t{0}, kMost),
             "Number of steps.")
        .key("stop_reason", &Learning::stop_reason, text("a phrase, or \"\""),
             "Why the learner stopped.")
        .key(
            "scales", &Learning::scales, list(number(), "numbers"),
            "What each ranker's scores were divided by. The weights include it, the state doesn't.")
        .key("curve", &Learning::curve, list(curve_point_type()), "The learning curve.")
        .key("state", &Learning::state,
             dictionary("a map of names to lists of numbers", list(number(), "numbers")),
             "What --continue continues from.")
        .type();
}

}  // namespace braid::yaml
