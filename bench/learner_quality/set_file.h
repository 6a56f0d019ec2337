// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/training_set.h"

namespace braid::bench {

/// Scores, grades and query features as bytes of this machine; without names of documents. Unpooled
/// grades come back as 1. Throw std::runtime_error.
void write_set(const std::string& path, const TrainingSet& set);
TrainingSet read_set(const std::string& path);

}  // namespace braid::bench
