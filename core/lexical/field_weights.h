// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

/// How much an occurrence in one field counts, for rankers that weigh fields before saturation:
/// docs/algorithms/bm25f.md (1).
struct FieldWeight {
    std::string field;
    double weight = 1;

    bool operator==(const FieldWeight&) const = default;
};

/// The fields of one such ranker.
struct FieldWeights {
    double whole = 1;  ///< Weight of an occurrence in the whole text, fields included.
    std::vector<FieldWeight> fields;  ///< In addition, in the order of the text.

    bool operator==(const FieldWeights&) const = default;
};

inline constexpr double kMostFieldWeight = 1000;

/// Reads "name^5 title^2": fields with their weights, 1 where none is given. "*^0.5" is the weight
/// of the whole text. Throws InvalidArgument for no field, one given twice, and a weight that is
/// not above 0 (the whole text's: not from 0) and at most kMostFieldWeight.
BRAID_API FieldWeights parse_field_weights(const std::string& text);

/// What parse_field_weights reads as those weights.
std::string field_weights_text(const FieldWeights& weights);

/// The fields of `text` with other weights to try, .5, 1, 2, 5 and 10: each combination of one or
/// two fields, one field at a time of more. Without the weights that are given. Throws as
/// parse_field_weights.
std::vector<std::string> field_weights_to_try(const std::string& text);

}  // namespace braid
