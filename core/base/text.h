// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

/// The length, 1 to 4, of the UTF-8 sequence that begins at `text[at]`; 0 if none does. Neither
/// surrogates nor over-long forms are UTF-8.
BRAID_API std::size_t utf8_sequence_length(std::string_view text, std::size_t at);

/// `text` in single quotes for a message: one line of visible text, cut after about 40 bytes.
BRAID_API std::string shown(std::string_view text);

/// `text` safe to show on a terminal or a page: valid UTF-8 in which every character that could
/// control a terminal or deceive a reader is escaped. Control characters (C0, DEL, C1) and bytes
/// that are not UTF-8 become "\x1B" ("\n" for a newline); bidirectional controls, zero-width and
/// other invisible characters become "\u202E". Joiners and variation selectors stay behind a
/// character beyond ASCII, where scripts and emoji need them. ASCII characters in `kept` stay.
/// Visible text stays unchanged, so the function may be applied twice. O(size).
std::string visible(std::string_view text, std::string_view kept = {});

/// Whether `text` has a control character: C0, DEL or, as UTF-8, C1.
BRAID_API bool has_control(std::string_view text);

/// Lower-cases ASCII letters only.
BRAID_API std::string lower_cased(std::string_view text);

/// The member of `known` most similar to `word`: the least edit distance (insert, delete, replace
/// and swap of neighbours cost 1 each), if it is at most a third of the longer word's length (at
/// least 1, and less than all of it), else "". Ignores case; among equals the first in `known`
/// wins. Cost: O(|word| * total length of known).
BRAID_API std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace braid
