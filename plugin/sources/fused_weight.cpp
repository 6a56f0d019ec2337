// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/fused_weight.h"

#include <utility>

#include "braid/core/model/ensemble.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/serving.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/tables/float_bytes.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {
namespace {

constexpr char kVersion = 1;

const FusionModel& checked(const FusionModel& model) {
    validate(model);
    require_served(Server::kWeight, model);
    return model;
}

}  // namespace

// What all copies of a weight share.
struct FusedWeight::Plan {
    explicit Plan(const FusionModel& the_model) : model(checked(the_model)), ensemble(model) {}

    FusionModel model;
    LexicalEnsemble ensemble;
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
    : FusedWeight(std::make_shared<const Plan>(model)) {}

FusedWeight::FusedWeight(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), state_(std::make_unique<State>()) {
    need_statistics();
}

FusedWeight::~FusedWeight() = default;

const FusionModel& FusedWeight::model() const { return plan_->model; }

FusedWeight* FusedWeight::clone() const { return new FusedWeight(plan_); }

std::string FusedWeight::name() const { return "braid::FusedWeight"; }

std::string FusedWeight::serialise() const {
    ByteWriter out = versioned_bytes(kVersion);
    out.raw(fusion_model_to_bytes(plan_->model));
    return out.bytes();
}

FusedWeight* FusedWeight::unserialise(const std::string& serialised) const {
    return read_versioned(serialised, name(), kVersion, [this](ByteReader& in) {
        return new FusedWeight(fusion_model_from_bytes(in.raw("model", in.remaining()), name()));
    });
}

// Xapian calls this once per term, and once more with a factor of 0 for the extra part.
void FusedWeight::init(double factor) {
    State& state = *state_;
    state.factor = factor == 0 ? 1 : factor;
    state.scorer = factor == 0 ? plan_->ensemble.document_scorer(query_statistics())
                               : plan_->ensemble.term_scorer(term_statistics());
    state.bound = 0;
    if (state.scorer == nullptr) return;
    state.bound = possible_bound(
        kRounding * state.factor * state.scorer->upper_bound(bound_statistics()), name());
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
