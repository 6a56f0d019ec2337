// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/models/searchable.h"

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/learners/data/normalisers.h"
#include "braid/core/models/model_parts.h"
#include "braid/core/text.h"

namespace braid {

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
