// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/export.h"
#include "braid/core/parameters.h"

namespace braid {

/// One ranker of a fusion model, with its share.
struct RankerSpec {
    std::string ranker = {};  ///< A name from the ranker registry: "bm25".
    std::string name =
        {};  ///< What this one is called in reports; "" means `ranker` (or ranker:field).
    std::string field = {};  ///< "" is the whole text.
    ParameterMap parameters = {};
    double weight = 1;

    /// `name`, or what stands for it.
    BRAID_API std::string label() const;

    bool operator==(const RankerSpec&) const = default;
};

/// Which rankers make a score, and how much each counts: a plain value, without a database.
struct FusionModel {
    std::vector<RankerSpec> rankers = {{.ranker = "bm25"}};

    bool operator==(const FusionModel&) const = default;
};

/// Throws InvalidArgument where the model can't rank anything: no rankers, two of one label, a
/// weight that is negative or not finite, all weights 0, or a parameter that is wrong for its
/// ranker; UnknownComponent for a ranker that is not registered.
BRAID_API void validate(const FusionModel& model);

}  // namespace braid
