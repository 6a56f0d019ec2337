// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/learning_schema.h"

#include <cstdint>
#include <limits>

#include "braid/config/schema.h"

namespace braid::yaml {
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
             "How many steps came before.")
        .key("objective", &CurvePoint::objective, number(), "What the learner made larger.")
        .key("validation", &CurvePoint::validation, optional_number(),
             "The measure on the validation queries.")
        .type();
}

using Numbers = std::map<std::string, double>;

Type<Numbers> measures() { return dictionary("a map of measures to numbers", number()); }

}  // namespace

Type<LearningRecord> learning_type() {
    using Learning = LearningRecord;
    using LearningSchema = Schema<Learning>;
    return LearningSchema(LearningSchema::Writing::kChanged)
        .key("measure", &Learning::measure, text("a measure, or \"\""), "What was to be good.")
        .key("relevant_from", &Learning::relevant_from, integer(-1000000, 1000000),
             "The least grade that counted as relevant.")
        .key("queries", &Learning::queries, integer(std::size_t{0}, kMost),
             "How many there were to learn from.")
        .key("documents", &Learning::documents, integer(std::size_t{0}, kMost),
             "In the pools of all queries together.")
        .key("judgements", &Learning::judgements, integer(std::size_t{0}, kMost),
             "How many of the documents had a grade.")
        .key("measures", &Learning::measures, measures(), "Means over the queries learned from.")
        .key("validation", &Learning::validation, measures(),
             "Means over the queries that chose among the learner's steps.")
        .key("objective_name", &Learning::objective_name, text("a name, or \"\""),
             "What the learner made larger.")
        .key("objective", &Learning::objective, number(), "How large it became.")
        .key("iterations", &Learning::iterations, integer(std::size_t{0}, kMost),
             "Steps that were made.")
        .key("stop_reason", &Learning::stop_reason, text("a phrase, or \"\""),
             "Why there were no more.")
        .key("scales", &Learning::scales, list(number(), "numbers"),
             "What each ranker's scores were divided by; the weights have it taken in, the state "
             "has not.")
        .key("curve", &Learning::curve, list(curve_point_type()), "The learning curve.")
        .key("state", &Learning::state,
             dictionary("a map of names to lists of numbers", list(number(), "numbers")),
             "What the learner goes on from.")
        .type();
}

}  // namespace braid::yaml
