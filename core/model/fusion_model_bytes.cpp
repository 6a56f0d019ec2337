// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/fusion_model_bytes.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/byte_fields.h"
#include "braid/core/model/model_rankers.h"

namespace braid {
namespace {

std::string why_no_grade(std::int64_t grade) {
    const bool is_one =
        grade >= std::numeric_limits<int>::min() && grade <= std::numeric_limits<int>::max();
    return is_one ? "" : fmt::format("{}, expected a 32-bit integer", grade);
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, LearningRecord>& learning) {
    fields.text("measure", learning.measure);
    fields.signed_varint("least relevant grade", learning.relevant_from, why_no_grade);
    fields.varint("queries", learning.queries);
    fields.varint("documents", learning.documents);
    fields.varint("judgements", learning.judgements);
    fields.numbers("training measures", learning.measures);
    fields.numbers("validation measures", learning.validation);
    fields.text("objective's name", learning.objective_name);
    fields.real("objective", learning.objective);
    fields.varint("iterations", learning.iterations);
    fields.text("stop reason", learning.stop_reason);
    fields.reals("scales", learning.scales);
    fields.records("learning curve", 10, learning.curve, [](auto& curve, auto& point) {
        curve.varint("learning curve", point.iteration);
        curve.real("learning curve", point.objective);
        curve.optional_real("learning curve", point.validation);
    });
    fields.lists("learner's state", learning.state);
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, ModelProvenance>& provenance) {
    fields.text("learner", provenance.learner);
    fields.map("learner's options", 2, provenance.options,
               [](auto& option, auto& value) { option.text("learner's options", value); });
    fields.varint("seed", provenance.seed);
    fields.numbers("measures", provenance.measures);
    fields.records("topic models", 2, provenance.topic_models, [](auto& each, auto& model) {
        each.text("topic model's name", model.name);
        each.text("topic model's id", model.id);
    });
}

void write_provenance(ByteWriter& out, const ModelProvenance& provenance) {
    walk(FieldsWriter(out), provenance);
    // Most models have none, and weights with their models go to every remote shard.
    const bool has_learning = provenance.learning != LearningRecord{};
    out.flag(has_learning);
    if (has_learning) walk(FieldsWriter(out), provenance.learning);
}

ModelProvenance read_provenance(ByteReader& in, unsigned version) {
    ModelProvenance provenance;
    walk(FieldsReader(in), provenance);
    if (version < 3 || !in.flag("learning")) return provenance;
    walk(FieldsReader(in), provenance.learning);
    if (provenance.learning == LearningRecord{}) in.fail("learning", "empty, expected none");
    return provenance;
}

constexpr StoredFormat kFormat{
    .magic = "BrFM", .version = 5, .kind = "fusion model", .checked_from = 4};
// Of a model without a calibration: a Braid that knows none reads it.
constexpr StoredFormat kUncalibrated{
    .magic = "BrFM", .version = 4, .kind = "fusion model", .checked_from = 4};

// Version 1 knew no topic rankers.
template <typename Fields>
void walk(Fields fields, RecordOf<Fields, RankerSpec>& spec, unsigned version) {
    fields.text("ranker", spec.ranker);
    fields.text("ranker's name", spec.name);
    fields.text("ranker's field", spec.field);
    if (version >= 2) fields.text("ranker's topic model", spec.topics);
    fields.numbers("ranker's parameters", spec.parameters);
    fields.real("ranker's weight", spec.weight);
}

RankerSpec read_ranker(ByteReader& in, unsigned version) {
    RankerSpec spec;
    walk(FieldsReader(in), spec, version);
    if (const std::string why = why_no_weight(spec.weight); !why.empty()) {
        in.fail("weight of ranker " + spec.label(), why);
    }
    return spec;
}

template <typename Fields>
void walk_scoring(Fields fields, RecordOf<Fields, FusionModel>& model) {
    auto& how = model.normaliser;
    fields.text("normaliser", how.normaliser);
    fields.numbers("normaliser's parameters", how.parameters);
    fields.choice("missing scores", how.missing, MissingScore::kAbsent);
    auto& function = model.function;
    fields.text("function's form", function.form);
    fields.lists("function's numbers", function.numbers);
    fields.map("function's names", 2, function.names,
               [](auto& each, auto& names) { each.texts("function's names", names); });
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, Calibration>& calibration) {
    fields.reals("calibration's scores", calibration.scores);
    fields.reals("calibration's probabilities", calibration.probabilities);
}

Calibration read_calibration(ByteReader& in) {
    Calibration calibration;
    walk(FieldsReader(in), calibration);
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
    for (const RankerSpec& spec : model.rankers) walk(FieldsWriter(body), spec, kFormat.version);
    walk_scoring(FieldsWriter(body), model);
    body.choice(model.candidates);
    write_provenance(body, model.provenance);
    if (model.calibration.empty()) return write_stored(kUncalibrated, body);
    walk(FieldsWriter(body), model.calibration);
    return write_stored(kFormat, body);
}

FusionModel fusion_model_from_bytes(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kFormat, bytes, where);
    FusionModel model;
    model.rankers.clear();
    const std::size_t rankers = in.count("rankers", version >= 2 ? 13 : 12);
    model.rankers.reserve(rankers);
    for (std::size_t i = 0; i < rankers; ++i) model.rankers.push_back(read_ranker(in, version));
    if (version >= 3) walk_scoring(FieldsReader(in), model);
    if (version >= 4) model.candidates = in.choice("candidates", Candidates::kHybrid);
    model.provenance = read_provenance(in, version);
    if (version >= 5) model.calibration = read_calibration(in);
    in.finish();
    return model;
}

}  // namespace braid
