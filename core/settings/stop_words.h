// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/settings.h"

namespace braid {

/// Braid's own list of English function words: articles, pronouns, prepositions, conjunctions,
/// auxiliaries and their contractions. Sorted.
std::vector<std::string> english_stop_words();

/// The words of a stop list: one a line; empty lines are skipped, and a '#' or '|' at a line's
/// start or after a blank begins a comment. The result is sorted, in ASCII lower case, each word
/// once. Throws FormatError for a line of several words or with a zero byte; `file` is the name in
/// messages.
std::vector<std::string> parse_stop_words(std::string_view text, const std::string& file);

/// The words that AnalysisSettings::stop_words names: none for "none", Braid's own for "english",
/// else those of the file at that path. Throws Error if the file doesn't exist or can't be read.
std::vector<std::string> load_stop_words(const std::string& name);

/// Fills analysis.stop_list from analysis.stop_words if it is empty. The settings then no longer
/// depend on a file.
BRAID_API void resolve_stop_words(AnalysisSettings& analysis);

}  // namespace braid
