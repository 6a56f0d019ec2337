// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/parameters.h"

namespace braid {

/// What a missing score (a document that a ranker did not return: NaN) becomes.
enum class MissingScore {
    kRefuse,   ///< An error.
    kMinimum,  ///< The least score of the pool before normalising; 0 where all are missing.
    kZero,     ///< 0 after normalising.
    /// A list lacks the document, and what fuses lists is told so. So it is for one of score 0,
    /// for which a ranker found nothing. Fusion methods only: see MethodFunction.
    kAbsent,
};

/// How rankers' scores are made comparable before they are put together; see
/// core/pool/normalisers.h.
struct Normalisation {
    std::string normaliser = "none";
    ParameterMap parameters = {};
    MissingScore missing = MissingScore::kRefuse;

    bool operator==(const Normalisation&) const = default;
};

}  // namespace braid
