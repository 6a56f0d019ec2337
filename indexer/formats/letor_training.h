// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"
#include "braid/indexer/formats/letor_data.h"

namespace braid {

/// The names of a file's features: from its names line, or "1", "2" and so on.
BRAID_API std::vector<std::string> feature_names(const LetorData& data);

/// The file as a training set: features are rankers, labels grades. Documents have names if every
/// row has one.
BRAID_API TrainingSet training_set(const LetorData& data);

/// The same with only the features `rankers`, in that order. In a file without names, a feature
/// beyond the last is 0, as in rows that don't mention it. Throws FormatError, which begins with
/// `file`, if the file's names lack a ranker, or if it has no names and a ranker isn't a number.
BRAID_API TrainingSet training_set(const LetorData& data, std::span<const std::string> rankers,
                                   const std::string& file);

}  // namespace braid
