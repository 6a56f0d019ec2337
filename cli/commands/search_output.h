// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "braid/plugin/ranking/search_result.h"

namespace braid::cli {

/// A search that was run, with what is printed of it.
struct FinishedSearch {
    std::string query;  ///< As it was typed.
    std::string model;  ///< What ranked, for people.
    SearchResult result;
    double milliseconds = 0;
};

/// The results for print_text: rank, score, name and title on a line, the snippet below.
std::string results_text(const FinishedSearch& search);

/// Two rankings side by side: which documents both have, and where they stand in the other.
std::string comparison_text(const FinishedSearch& left, const FinishedSearch& right);

/// "12 matches in 0.8 ms", "about 1200 matches ..."
std::string summary_text(const FinishedSearch& search);

nlohmann::ordered_json results_json(const FinishedSearch& search);
/// A list of the two.
nlohmann::ordered_json comparison_json(const FinishedSearch& left, const FinishedSearch& right);

}  // namespace braid::cli
