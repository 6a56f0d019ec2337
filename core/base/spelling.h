// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// The member of `known` that `word` was most likely meant to be: the least edit distance
/// (insert, delete, replace and swap of neighbours cost 1 each), if that is at most a third of
/// the longer word's length (at least 1, and less than all of it), else "". Case is ignored; among
/// equals the first in `known` wins. Cost: O(|word| * total length of known).
BRAID_API std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace braid
