// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/search_request.h"

namespace braid {

/// The part of `text` that has most of the query's words, with those marked, or its beginning
/// where it has none. White space, line breaks among it, becomes single blanks.
std::string make_snippet(const Xapian::MSet& mset, const std::string& text,
                         const Xapian::Stem& stemmer, const SnippetOptions& options);

}  // namespace braid
