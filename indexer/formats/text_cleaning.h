// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid {

/// Changes by clean_text that a user should know of.
struct CleaningResult {
    bool converted = false;  ///< Bytes that are not UTF-8 were read as windows-1252.
    bool had_nul = false;    ///< NUL bytes became spaces.
};

/// Makes `text` valid UTF-8 of characters that belong in text: valid UTF-8 stays; any other byte
/// is read as windows-1252, which is Latin-1 with more letters; control characters (C0 but tab
/// and newline, DEL, C1) become spaces; "\r\n" and "\r" become "\n". O(size); ASCII text costs
/// about as much as copying it.
CleaningResult clean_text(std::string& text);

/// Whether all of `text` is well-formed UTF-8 (no surrogates, nothing over-long).
bool is_utf8(std::string_view text);

/// Appends `code` as UTF-8; invalid ones (surrogates, beyond U+10FFFF) as U+FFFD.
void append_utf8(char32_t code, std::string& text);

/// The character that windows-1252 has for `byte`. The five bytes it leaves undefined are the C1
/// controls of the same number, as in HTML.
char32_t windows_1252(unsigned char byte);

inline constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

/// `text` without leading and trailing blanks and line ends.
std::string_view trimmed(std::string_view text);

/// The beginning of `text` for a message: one line of clean UTF-8, at most about 40 bytes.
std::string excerpt(std::string_view text);

}  // namespace braid
