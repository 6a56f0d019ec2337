// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/fusion_model_bytes.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/model/model_rankers.h"

namespace braid {
namespace {

void write_curve(ByteWriter& out, const std::vector<CurvePoint>& curve) {
    out.varint(curve.size());
    for (const CurvePoint& point : curve) {
        out.varint(point.iteration);
        out.real(point.objective);
        out.flag(point.validation.has_value());
        if (point.validation) out.real(*point.validation);
    }
}

std::vector<CurvePoint> read_curve(ByteReader& in) {
    std::vector<CurvePoint> curve(in.count("learning curve", 10));
    for (CurvePoint& point : curve) {
        point.iteration = in.varint("learning curve");
        point.objective = in.finite_real("learning curve");
        if (in.flag("learning curve")) point.validation = in.finite_real("learning curve");
    }
    return curve;
}

void write_learning(ByteWriter& out, const LearningRecord& learning) {
    out.text(learning.measure);
    out.signed_varint(learning.relevant_from);
    out.varint(learning.queries);
    out.varint(learning.documents);
    out.varint(learning.judgements);
    write_numbers(out, learning.measures);
    write_numbers(out, learning.validation);
    out.text(learning.objective_name);
    out.real(learning.objective);
    out.varint(learning.iterations);
    out.text(learning.stop_reason);
    write_reals(out, learning.scales);
    write_curve(out, learning.curve);
    write_lists(out, learning.state);
}

int read_grade(ByteReader& in) {
    const std::int64_t grade = in.signed_varint("least relevant grade");
    if (grade < std::numeric_limits<int>::min() || grade > std::numeric_limits<int>::max()) {
        in.fail("least relevant grade", fmt::format("{}, expected a 32-bit integer", grade));
    }
    return static_cast<int>(grade);
}

LearningRecord read_learning(ByteReader& in) {
    LearningRecord learning;
    learning.measure = in.text("measure");
    learning.relevant_from = read_grade(in);
    learning.queries = in.varint("queries");
    learning.documents = in.varint("documents");
    learning.judgements = in.varint("judgements");
    learning.measures = read_numbers(in, "training measures");
    learning.validation = read_numbers(in, "validation measures");
    learning.objective_name = in.text("objective's name");
    learning.objective = in.finite_real("objective");
    learning.iterations = in.varint("iterations");
    learning.stop_reason = in.text("stop reason");
    learning.scales = read_reals(in, "scales");
    learning.curve = read_curve(in);
    learning.state = read_lists(in, "learner's state");
    return learning;
}

}  // namespace

void write_provenance(ByteWriter& out, const ModelProvenance& provenance) {
    out.text(provenance.learner);
    write_map(out, provenance.options, [&](const std::string& value) { out.text(value); });
    out.varint(provenance.seed);
    write_numbers(out, provenance.measures);
    out.varint(provenance.topic_models.size());
    for (const TopicModelIdentity& model : provenance.topic_models) {
        out.text(model.name);
        out.text(model.id);
    }
    // Most models have none, and weights with their models go to every remote shard.
    const bool has_learning = provenance.learning != LearningRecord{};
    out.flag(has_learning);
    if (has_learning) write_learning(out, provenance.learning);
}

ModelProvenance read_provenance(ByteReader& in, unsigned version) {
    ModelProvenance provenance;
    provenance.learner = in.text("learner");
    provenance.options = read_map<std::string>(in, "learner's options", 2,
                                               [&] { return in.text("learner's options"); });
    provenance.seed = in.varint("seed");
    provenance.measures = read_numbers(in, "measures");
    const std::size_t topic_models = in.count("topic models", 2);
    for (std::size_t i = 0; i < topic_models; ++i) {
        std::string name = in.text("topic model's name");
        provenance.topic_models.push_back({std::move(name), in.text("topic model's id")});
    }
    if (version < 3 || !in.flag("learning")) return provenance;
    provenance.learning = read_learning(in);
    if (provenance.learning == LearningRecord{}) in.fail("learning", "empty, expected none");
    return provenance;
}

namespace {

constexpr StoredFormat kFormat{
    .magic = "BrFM", .version = 5, .kind = "fusion model", .checked_from = 4};
// Of a model without a calibration: a Braid that knows none reads it.
constexpr StoredFormat kUncalibrated{
    .magic = "BrFM", .version = 4, .kind = "fusion model", .checked_from = 4};

void write_ranker(ByteWriter& out, const RankerSpec& spec) {
    out.text(spec.ranker);
    out.text(spec.name);
    out.text(spec.field);
    out.text(spec.topics);
    write_numbers(out, spec.parameters);
    out.real(spec.weight);
}

// Version 1 knew no topic rankers.
RankerSpec read_ranker(ByteReader& in, unsigned version) {
    RankerSpec spec;
    spec.ranker = in.text("ranker");
    spec.name = in.text("ranker's name");
    spec.field = in.text("ranker's field");
    if (version >= 2) spec.topics = in.text("ranker's topic model");
    spec.parameters = read_numbers(in, "ranker's parameters");
    spec.weight = in.finite_real("ranker's weight");
    if (const std::string why = why_no_weight(spec.weight); !why.empty()) {
        in.fail("weight of ranker " + spec.label(), why);
    }
    return spec;
}

void write_scoring(ByteWriter& out, const FusionModel& model) {
    const Normalisation& how = model.normaliser;
    out.text(how.normaliser);
    write_numbers(out, how.parameters);
    out.choice(how.missing);
    const FunctionForm& function = model.function;
    out.text(function.form);
    write_lists(out, function.numbers);
    write_map(out, function.names,
              [&](const std::vector<std::string>& names) { write_texts(out, names); });
}

void read_scoring(ByteReader& in, FusionModel& model) {
    Normalisation& how = model.normaliser;
    how.normaliser = in.text("normaliser");
    how.parameters = read_numbers(in, "normaliser's parameters");
    how.missing = in.choice("missing scores", MissingScore::kAbsent);
    FunctionForm& function = model.function;
    function.form = in.text("function's form");
    function.numbers = read_lists(in, "function's numbers");
    function.names = read_map<std::vector<std::string>>(
        in, "function's names", 2, [&] { return read_texts(in, "function's names"); });
}

Calibration read_calibration(ByteReader& in) {
    Calibration calibration;
    calibration.scores = read_reals(in, "calibration's scores");
    calibration.probabilities = read_reals(in, "calibration's probabilities");
    if (calibration.empty()) in.fail("calibration", "empty, expected none");
    if (const std::string why = why_no_calibration(calibration); !why.empty()) {
        in.fail("calibration", why);
    }
    return calibration;
}

}  // namespace

std::string fusion_model_to_bytes(const FusionModel& model) {
    ByteWriter body;
    body.varint(model.rankers.size());
    for (const RankerSpec& spec : model.rankers) write_ranker(body, spec);
    write_scoring(body, model);
    body.choice(model.candidates);
    write_provenance(body, model.provenance);
    if (model.calibration.empty()) return write_stored(kUncalibrated, body);
    write_reals(body, model.calibration.scores);
    write_reals(body, model.calibration.probabilities);
    return write_stored(kFormat, body);
}

FusionModel fusion_model_from_bytes(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kFormat, bytes, where);
    FusionModel model;
    model.rankers.clear();
    const std::size_t rankers = in.count("rankers", version >= 2 ? 13 : 12);
    model.rankers.reserve(rankers);
    for (std::size_t i = 0; i < rankers; ++i) model.rankers.push_back(read_ranker(in, version));
    if (version >= 3) read_scoring(in, model);
    if (version >= 4) model.candidates = in.choice("candidates", Candidates::kHybrid);
    model.provenance = read_provenance(in, version);
    if (version >= 5) model.calibration = read_calibration(in);
    in.finish();
    return model;
}

}  // namespace braid
