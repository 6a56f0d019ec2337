// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"
#include "braid/indexer/formats/letor_data.h"

namespace braid {

/// The names by which a file's features are known: those of its names line, or "1", "2" and so on.
BRAID_API std::vector<std::string> feature_names(const LetorData& data);

/// The file as learners see it: features are rankers, labels grades. Documents have names where
/// every row has one.
BRAID_API TrainingSet training_set(const LetorData& data);

/// The same with the features `rankers`, in that order, whatever else the file has. In a file
/// without names a feature beyond its last is 0, as in every row that does not mention it. Throws
/// FormatError, which begins with `file`, where the file has names and this is none of them, and
/// where it has none and a ranker's is no number.
BRAID_API TrainingSet training_set(const LetorData& data, std::span<const std::string> rankers,
                                   const std::string& file);

}  // namespace braid
