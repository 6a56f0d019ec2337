// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/search_result.h"

namespace braid::cli {

/// The same search with a wider second pass.
struct WiderPass {
    std::size_t window = 0;   ///< Of the first pass's documents.
    std::size_t changed = 0;  ///< Places of the page with another document.
    double milliseconds = 0;  ///< Of the whole search.
};

/// A search with the names that its output prints.
struct FinishedSearch {
    std::string query;  ///< As the user typed it.
    std::string model;  ///< The model's name, for people.
    /// "candidates all: ..."; "" where the model ranks by words alone and there is no choice.
    std::string candidates = {};
    SearchResult result;
    double milliseconds = 0;
    std::optional<WiderPass> wider = {};  ///< Where the window left matches out.
};

/// A list that two rankings drafted.
struct InterleavedSearch {
    struct Hit {
        std::size_t team = 0;
        SearchHit hit;
    };
    std::string session;
    std::string query;
    std::array<std::string, 2> models;
    std::vector<Hit> hits = {};
};

/// Rank, name and title: a reader must not know who brought what.
std::string interleaved_text(const InterleavedSearch& search);
nlohmann::ordered_json interleaved_json(const InterleavedSearch& search);

/// Results for print_text: rank, score, name and title on one line, the snippet below.
std::string results_text(const FinishedSearch& search);

/// Two rankings side by side: the documents that both have, with their ranks in the other.
std::string comparison_text(const FinishedSearch& left, const FinishedSearch& right);

/// "12 matches in 0.8 ms", "about 1200 matches ..."
std::string summary_text(const FinishedSearch& search);

nlohmann::ordered_json results_json(const FinishedSearch& search);
/// Both searches as a JSON list.
nlohmann::ordered_json comparison_json(const FinishedSearch& left, const FinishedSearch& right);

}  // namespace braid::cli
