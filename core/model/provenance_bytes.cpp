// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/provenance_bytes.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/byte_lists.h"

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

}  // namespace braid
