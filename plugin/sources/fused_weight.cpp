// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/model/ensemble.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/weight.h"

namespace braid {
namespace {

constexpr char kFusedWeightVersion = 2;

// No query is so long. The length reaches every weight, on a server too, and also that of the part
// of a score without a term, which no factor does.
constexpr Xapian::termcount kMark = Xapian::termcount{1} << 31;

const FusionModel& checked(const FusionModel& model) {
    validate(model);
    require_served(Server::kWeight, model);
    return model;
}

// The default of Xapian::BM25Weight.
const LexicalEnsemble& xapians_bm25() {
    static const LexicalEnsemble ensemble(FusionModel{
        .rankers = {{.ranker = "bm25",
                     .parameters = {{"k1", 1}, {"b", 0.5}, {"k3", 1}, {"min_length", 0.5}}}}});
    return ensemble;
}

}  // namespace

// What all copies of a weight share.
struct FusedWeight::Plan {
    explicit Plan(const FusionModel& the_model, ModelReader the_reader = {})
        : model(checked(the_model)), ensemble(model), reader(std::move(the_reader)) {}

    FusionModel model;
    LexicalEnsemble ensemble;
    ModelReader reader;
};

// What belongs to one term, or to the part of the score that belongs to none.
struct FusedWeight::State {
    std::unique_ptr<const LexicalScorer> scorer;
    double factor = 1;
    double bound = 0;
    PartMemo memo;

    double score(Xapian::termcount occurrences, Xapian::termcount length) {
        return memo.get(occurrences, length, [&] {
            return factor * scorer->score(
                                {static_cast<double>(occurrences), static_cast<double>(length), 0});
        });
    }
};

FusedWeight::FusedWeight() : FusedWeight(FusionModel{}) {}

FusedWeight::FusedWeight(const FusionModel& model)
    : FusedWeight(std::make_shared<const Plan>(model), false) {}

FusedWeight::FusedWeight(ModelReader reader)
    : FusedWeight(std::make_shared<const Plan>(FusionModel{}, std::move(reader)), false) {}

FusedWeight::FusedWeight(std::shared_ptr<const Plan> plan, bool marked_only)
    : plan_(std::move(plan)), marked_only_(marked_only), state_(std::make_unique<State>()) {
    need_statistics();
}

FusedWeight::~FusedWeight() = default;

const FusionModel& FusedWeight::model() const { return plan_->model; }

FusedWeight FusedWeight::of_marked_queries() const { return {plan_, true}; }

Xapian::termcount FusedWeight::marked(Xapian::termcount length) { return length | kMark; }

FusedWeight* FusedWeight::clone() const { return new FusedWeight(plan_, marked_only_); }

std::string FusedWeight::name() const { return "braid"; }

std::string FusedWeight::serialise() const {
    ByteWriter out = versioned_bytes(kFusedWeightVersion);
    out.flag(marked_only_);
    out.raw(fusion_model_to_bytes(plan_->model));
    return out.bytes();
}

FusedWeight* FusedWeight::unserialise(const std::string& serialised) const {
    return read_versioned(serialised, name(), kFusedWeightVersion, [this](ByteReader& in) {
        const bool marked_only = in.flag("marked queries only");
        const FusionModel model = fusion_model_from_bytes(in.raw("model", in.remaining()), name());
        return new FusedWeight(std::make_shared<const Plan>(model), marked_only);
    });
}

#if XAPIAN_AT_LEAST(1, 5, 0)
FusedWeight* FusedWeight::create_from_parameters(const char* parameters) const {
    const std::string_view text = parameters;
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) {
        throw Xapian::InvalidArgumentError(
            "braid: expected a model's file or preset, as in \"braid words\"; a database's own "
            "model takes braid::Ranking");
    }
    const std::string model(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
    if (!plan_->reader) {
        throw Xapian::InvalidArgumentError(
            "braid: the registry has no reader of models: register_all(registry, "
            "braid::load_model)");
    }
    try {
        return new FusedWeight(plan_->reader(model));
    } catch (const Error& error) {
        throw Xapian::InvalidArgumentError("braid " + model + ": " + error.what());
    }
}
#endif

// Xapian calls this once per term, and once more with a factor of 0 for the extra part.
void FusedWeight::init(double factor) {
    State& state = *state_;
    QueryStatistics query = query_statistics();
    const bool is_marked = marked_only_ && query.length >= kMark;
    if (is_marked) query.length -= kMark;
    const bool is_plain = marked_only_ && !is_marked;
    const LexicalEnsemble& ensemble = is_plain ? xapians_bm25() : plan_->ensemble;
    state.factor = factor == 0 ? 1 : factor;
    state.scorer =
        factor == 0 ? ensemble.document_scorer(query) : ensemble.term_scorer(term_statistics());
    state.bound = 0;
    if (state.scorer == nullptr) return;
    state.bound = possible_bound(
        kBoundRounding * state.factor * state.scorer->upper_bound(bound_statistics()), name());
    state.memo.reset(factor == 0 ? get_collection_size() : get_termfreq());
}

double FusedWeight::get_sumpart(BRAID_SUMPART_PARAMETERS) const {
    return state_->score(occurrences, length);
}

double FusedWeight::get_maxpart() const { return state_->bound; }

double FusedWeight::get_sumextra(BRAID_SUMEXTRA_PARAMETERS) const {
    return state_->scorer == nullptr ? 0 : state_->score(0, length);
}

double FusedWeight::get_maxextra() const { return state_->bound; }

}  // namespace braid
