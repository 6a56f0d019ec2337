// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/one_pass.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "braid/core/model/model_function.h"

namespace braid {
namespace {

bool can_rank(const std::vector<double>& weights) {
    return std::none_of(weights.begin(), weights.end(), [](double w) { return w < 0; }) &&
           std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; });
}

// Weights of a function that are weights of raw scores once `preparation` is taken in.
const std::vector<double>* own_weights(const RankingFunction& function,
                                       const Preparation& preparation) {
    if (preparation.normaliser.normaliser != "none") return nullptr;
    const std::vector<double>* weights = fixed_weights(function);
    if (const auto* forest = std::get_if<ForestFunction>(&function)) weights = &forest->linear;
    return weights != nullptr && can_rank(*weights) ? weights : nullptr;
}

// Replaces both by what one pass ranks by: the anchor's weights are of raw scores.
void reduce(RankingFunction& function, Preparation& preparation,
            const std::vector<double>& anchor) {
    if (const std::vector<double>* weights = own_weights(function, preparation)) {
        function = LinearFunction{std::vector<double>(*weights)};
        return;
    }
    function = LinearFunction{anchor};
    preparation = {.columns = preparation.columns};
}

}  // namespace

void set_first_pass(FusionModel& model, const std::vector<double>& anchor) {
    if (anchor.size() != model.rankers.size() || !can_rank(anchor)) return;
    const Trait trait = trait_of(model.function);
    if (trait != Trait::kNoWeights && trait != Trait::kSignedWeights) return;
    // Trees beside weights have set them.
    if (std::any_of(model.rankers.begin(), model.rankers.end(),
                    [](const RankerSpec& spec) { return spec.weight != 1; })) {
        return;
    }
    for (std::size_t k = 0; k < anchor.size(); ++k) model.rankers[k].weight = anchor[k];
}

std::optional<TrainedModel> in_one_pass(const TrainedModel& trained,
                                        const std::vector<double>& anchor) {
    std::optional<FusionModel> model = one_pass_form(trained.model);
    if (!model) return {};
    TrainedModel result = trained;
    result.model = *std::move(model);
    reduce(result.result.function, result.preparation, anchor);
    return result;
}

CrossValidation in_one_pass(const CrossValidation& folds, const std::vector<double>& anchor) {
    CrossValidation result = folds;
    result.values = {};
    for (FoldResult& fold : result.folds) reduce(fold.function, fold.preparation, anchor);
    return result;
}

}  // namespace braid
