// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/export.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// The first point in which two settings index differently, with both values, `first`'s first:
/// "stemmer: english, german"; "" if they index alike. Stop words are compared by the words
/// themselves and must be resolved (resolve_stop_words); batch makes no difference.
BRAID_API std::string difference(const IndexSettings& first, const IndexSettings& second);

}  // namespace braid
