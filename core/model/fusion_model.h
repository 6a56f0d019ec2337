// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/model/candidates.h"
#include "braid/core/model/function_form.h"
#include "braid/core/model/model_provenance.h"
#include "braid/core/pool/normalisation.h"

namespace braid {

/// One ranker of a fusion model, with its share.
struct RankerSpec {
    std::string ranker = {};  ///< A name from the ranker registry: "bm25".
    std::string name = {};    ///< What reports call it; "" means what `label` says.
    /// Of lexical rankers: the field it scores; "" is the whole text. Of rankers of values: the
    /// field whose slot it reads; "" where its parameter `slot` says which.
    std::string field = {};
    /// The database's topic model, or vectors, it uses; "" is ModelRanker::topic_model. Rankers of
    /// those only.
    std::string topics = {};
    ParameterMap parameters = {};
    double weight = 1;  ///< Not negative. 0 keeps the ranker in reports and out of the score.

    /// `name`; without one the ranker's name, and ":" and the field or the topic model where one is
    /// given.
    BRAID_API std::string label() const;

    bool operator==(const RankerSpec&) const = default;
};

/// Which rankers make a score, and how much each counts: a plain value, without a database.
struct FusionModel {
    std::vector<RankerSpec> rankers = {{.ranker = "bm25"}};
    Normalisation normaliser = {};  ///< Of every ranker's scores, before the function.
    FunctionForm function = {};
    Candidates candidates = Candidates::kWords;  ///< Where a search says nothing else.
    ModelProvenance provenance = {};

    bool operator==(const FusionModel&) const = default;
};

/// Throws InvalidSetting (an InvalidArgument) where the model can't rank anything: no rankers, two
/// of one label, a weight that is negative or not finite, all weights 0, a parameter that is
/// wrong for its ranker, a field or topic model given to a ranker that has no use for it, a feature
/// without a name, or a normaliser's parameter that is wrong; UnknownComponent for a ranker or
/// normaliser that is not registered.
BRAID_API void validate(const FusionModel& model);

}  // namespace braid
