// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What the topic models share; not installed.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/topics/topic_model.h"

namespace braid {

/// Scales `vector` to Euclidean length 1; an all-zero one stays as it is.
void scale_to_unit(std::span<float> vector);

/// The `count` terms of largest |weight(t)|, ties by term; those of weight 0 are left out.
std::vector<Topic::Word> top_words(const std::vector<std::string>& vocabulary, std::size_t count,
                                   const std::function<double(std::size_t)>& weight);

}  // namespace braid
