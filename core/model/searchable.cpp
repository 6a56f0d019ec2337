// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/searchable.h"

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/normalisers.h"

namespace braid {

namespace {

bool is_set(const FusionModel& model, const std::string& number) {
    const auto found = model.function.numbers.find(number);
    return found != model.function.numbers.end() && found->second == std::vector<double>{1};
}

}  // namespace

bool weighs_by_query(const FusionModel& model) { return model.function.form == "attention"; }

std::string why_not_searchable(const FusionModel& model) {
    for (const RankerSpec& spec : model.rankers) {
        if (family_of(spec) != RankerFamily::kFeature) continue;
        return fmt::format(
            "its ranker {} is a feature that a file had, which no database can compute; such a "
            "model is for braid score",
            shown(spec.label()));
    }
    const std::string& normaliser = model.normaliser.normaliser;
    if (normaliser != "none") {
        return fmt::format(
            "its rankers are normalised by {} before they are added up, which needs {}; train with "
            "a normaliser that becomes part of the weights (none or scale)",
            normaliser,
            normalisers().find(normaliser).per_document ? "a ranker's whole score for a document"
                                                        : "the scores of all documents of a query");
    }
    if (weighs_by_query(model)) {
        if (is_set(model, "non-negative") || is_set(model, "softmax")) return "";
        return "its weights, which follow from the query, may be negative; train with "
               "weights=non-negative";
    }
    if (model.function.form != "linear") {
        return fmt::format(
            "it is no sum of its rankers times weights from 0 up, but of the form {}",
            shown(model.function.form));
    }
    return "";
}

void require_searchable(const FusionModel& model) {
    const std::string reason = why_not_searchable(model);
    if (!reason.empty()) {
        throw ModelMismatch("the model can't rank a database in one pass: " + reason);
    }
}

}  // namespace braid
