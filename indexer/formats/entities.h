// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/export.h"

namespace braid {

/// Appends `text` with its character references decoded: numeric ones, HTML's Latin-1 and
/// typographic names and the ISO names that news collections use (&hyph; &blank;). A number from
/// 128 to 159 means the windows-1252 character, as in HTML. What is no reference stays as it is.
BRAID_API void append_decoded(std::string_view text, std::string& decoded);

}  // namespace braid
