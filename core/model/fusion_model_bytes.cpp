// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/fusion_model_bytes.h"

#include <utility>

#include <fmt/format.h>

#include "braid/core/base/byte_lists.h"
#include "braid/core/base/bytes.h"
#include "braid/core/model/model_parts.h"
#include "braid/core/model/provenance_bytes.h"

namespace braid {
namespace {

constexpr StoredFormat kFormat{
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

}  // namespace

std::string fusion_model_to_bytes(const FusionModel& model) {
    ByteWriter body;
    body.varint(model.rankers.size());
    for (const RankerSpec& spec : model.rankers) write_ranker(body, spec);
    write_scoring(body, model);
    body.choice(model.candidates);
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
    if (version >= 3) read_scoring(in, model);
    if (version >= 4) model.candidates = in.choice("candidates", Candidates::kHybrid);
    model.provenance = read_provenance(in, version);
    in.finish();
    return model;
}

}  // namespace braid
