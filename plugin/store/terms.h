// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/store/analysis.h"

namespace braid {

/// Bytes of the longest term that a glass database takes; a zero byte counts as two.
inline constexpr std::size_t kMaxTermBytes = 245;

/// The prefix of the term that identifies a document (Xapian's convention).
inline constexpr char kIdPrefix[] = "Q";

/// `prefix` and `value` as one term, for filters and identity. After a prefix of several letters,
/// a value that starts with a capital or a colon is set off by a colon, as QueryParser does. What
/// would be over kMaxTermBytes is cut and ends in '#' and 16 hexadecimal digits, the 64-bit
/// FNV-1a hash of the whole value.
BRAID_API std::string exact_term(std::string_view prefix, std::string_view value);

/// What comes after `prefix` in a term made by exact_term, or by another program that follows
/// Xapian's conventions. `term` begins with `prefix`.
BRAID_API std::string_view exact_value(std::string_view prefix, std::string_view term);

struct DocumentWords {
    WordCounts words;              ///< Without terms of wdf 0, which filter only.
    Xapian::termcount length = 0;  ///< In Xapian's sense: the sum of all terms' wdf.
};

/// One pass over the document's terms.
BRAID_API DocumentWords document_words(const Xapian::Document& document, WordForm form);

}  // namespace braid
