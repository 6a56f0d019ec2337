// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/models/fusion_model_bytes.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "braid/core/bytes.h"

namespace braid {
namespace {

constexpr StoredFormat kFormat{.magic = "BrFM", .version = 2, .kind = "fusion model"};

// A map is written in the order of its keys; reading asks for that order, which makes the bytes of
// a model unique and refuses a key that comes twice.
template <typename Value, typename Read>
std::map<std::string, Value> read_map(ByteReader& in, std::string_view name, std::size_t bytes_each,
                                      const Read& read) {
    std::map<std::string, Value> result;
    const std::size_t count = in.count(name, bytes_each);
    for (std::size_t i = 0; i < count; ++i) {
        std::string key = in.text(name);
        if (!result.empty() && key <= result.rbegin()->first) {
            in.fail(name, fmt::format("'{}' is not in order", key));
        }
        result.emplace_hint(result.end(), std::move(key), read());
    }
    return result;
}

void write_numbers(ByteWriter& out, const std::map<std::string, double>& numbers) {
    out.varint(numbers.size());
    for (const auto& [name, value] : numbers) {
        out.text(name);
        out.real(value);
    }
}

std::map<std::string, double> read_numbers(ByteReader& in, std::string_view name) {
    return read_map<double>(in, name, 9, [&] { return in.finite_real(name); });
}

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
    if (spec.weight < 0) {
        in.fail("ranker's weight", fmt::format("{}, expected 0 or more", spec.weight));
    }
    return spec;
}

void write_provenance(ByteWriter& out, const ModelProvenance& provenance) {
    out.text(provenance.learner);
    out.varint(provenance.options.size());
    for (const auto& [name, value] : provenance.options) {
        out.text(name);
        out.text(value);
    }
    out.varint(provenance.seed);
    write_numbers(out, provenance.measures);
    out.varint(provenance.topic_models.size());
    for (const TopicModelIdentity& model : provenance.topic_models) {
        out.text(model.name);
        out.text(model.id);
    }
}

ModelProvenance read_provenance(ByteReader& in) {
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
    return provenance;
}

}  // namespace

std::string fusion_model_to_bytes(const FusionModel& model) {
    ByteWriter body;
    body.varint(model.rankers.size());
    for (const RankerSpec& spec : model.rankers) write_ranker(body, spec);
    write_provenance(body, model.provenance);
    return write_stored(kFormat, body);
}

FusionModel fusion_model_from_bytes(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kFormat, bytes, where);
    FusionModel model;
    model.rankers.clear();
    const std::size_t rankers = in.count("rankers", version >= 2 ? 13 : 12);
    model.rankers.reserve(rankers);
    for (std::size_t i = 0; i < rankers; ++i) model.rankers.push_back(read_ranker(in, version));
    model.provenance = read_provenance(in);
    in.finish();
    return model;
}

}  // namespace braid
