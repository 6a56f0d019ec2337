// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/plugin/search/search_result.h"

namespace braid::cli {

/// A search that was run, with what is printed of it.
struct FinishedSearch {
    std::string query;  ///< As it was typed.
    std::string model;  ///< What ranked, for people.
    SearchResult result;
    double milliseconds = 0;
};

/// Bold on a terminal, nothing elsewhere or where the user wants no colours.
struct Highlight {
    std::string begin;
    std::string end;
};
Highlight terminal_highlight();

/// The results for a person: rank, score, name and title on a line, the snippet below.
std::string results_text(const FinishedSearch& search, const Highlight& highlight);

/// Two rankings side by side: which documents both have, and where they stand in the other.
std::string comparison_text(const FinishedSearch& left, const FinishedSearch& right,
                            const Highlight& highlight);

/// "12 matches in 0.8 ms", "about 1200 matches ..."
std::string summary_text(const FinishedSearch& search);

std::string results_json(const FinishedSearch& search);
/// A list of the two.
std::string comparison_json(const FinishedSearch& left, const FinishedSearch& right);

}  // namespace braid::cli
