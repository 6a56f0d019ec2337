// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "braid/core/export.h"

namespace braid {

/// The length, 1 to 4, of the UTF-8 sequence that begins at `text[at]`; 0 if none does. Neither
/// surrogates nor over-long forms are UTF-8.
BRAID_API std::size_t utf8_sequence_length(std::string_view text, std::size_t at);

/// `text` in single quotes for a message: one line of valid UTF-8, cut after about 40 bytes.
BRAID_API std::string shown(std::string_view text);

}  // namespace braid
