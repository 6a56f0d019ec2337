// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/export.h"
#include "braid/core/settings/settings.h"

namespace braid {

inline constexpr unsigned kMaxWordLength = 240;    ///< AnalysisSettings::max_word_length
inline constexpr unsigned kMaxFieldWeight = 1000;  ///< FieldSettings::weight
inline constexpr int kMaxSlot = 0x7ffffffe;        ///< FieldSettings::slot
inline constexpr std::size_t kMaxPrefixLength = 32;

/// Throws InvalidArgument, naming the field, for what can't be indexed or searched: a weight, word
/// length or slot out of range; an exact field without a prefix; a field, prefix or slot named
/// twice; slot 0, which holds the documents' names; a prefix that isn't capital letters, that is
/// Xapian's or Braid's own (Q, Z, R, XBRAID...) or that begins another field's.
BRAID_API void validate(const IndexSettings& settings);

/// The first point in which two settings index differently, with both values, `first`'s first:
/// "stemmer: english, german"; "" if they index alike. Stop words are compared by the words
/// themselves and must be resolved (resolve_stop_words); batch makes no difference.
BRAID_API std::string difference(const IndexSettings& first, const IndexSettings& second);

}  // namespace braid
