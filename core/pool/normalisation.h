// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/parameters.h"

namespace braid {

/// How a missing score (NaN: the ranker did not return the document) is replaced.
enum class MissingScore {
    kRefuse,   ///< An error.
    kMinimum,  ///< The pool's lowest score before normalising; 0 if all are missing.
    kZero,     ///< 0 after normalising.
    /// Stays missing, and so does a score of 0, for which a ranker found nothing. Fusion methods
    /// only: see MethodFunction.
    kAbsent,
};

/// How rankers' scores are made comparable before they are combined; see core/pool/normalisers.h.
struct Normalisation {
    std::string normaliser = "none";
    ParameterMap parameters = {};
    MissingScore missing = MissingScore::kRefuse;

    bool operator==(const Normalisation&) const = default;
};

}  // namespace braid
