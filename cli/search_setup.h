// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/command.h"
#include "braid/cli/fusion_input.h"
#include "braid/core/settings/settings.h"
#include "braid/plugin/search/searcher.h"

namespace braid::cli {

/// Whose topics are adopted, and what training starts from, where nothing else is named.
inline constexpr const char* kStandardPreset = "standard";

/// What `braid search` and `braid run` have in common: the database and how it is searched.
struct SearchSetup {
    std::vector<std::string> databases;
    std::string model;       ///< A file, a preset, a ranker's name, "xapian" or "".
    std::string config;      ///< A file, a preset or "".
    std::string id;          ///< Where documents' names are, or "".
    std::string candidates;  ///< "words", "all", "hybrid" or "" for the configuration's.
    std::optional<std::size_t> clusters_visited;
    std::vector<std::string> sidecars;
    FusionInput fusion;  ///< Of `braid search` and `braid run`.
};

void add_search_setup(CLI::App& command, SearchSetup& setup);

/// The same without --model, and --db may be left out.
void add_place_setup(CLI::App& command, SearchSetup& setup);

/// The rankers that a file, a preset or a ranker's name stands for. Throws UnknownComponent.
FusionModel named_model(const std::string& model);

/// The settings that --config names, or the defaults.
Settings settings_of(const SearchSetup& setup);

/// The database, and how it is searched; for those who make a Searcher of it themselves. Notes as
/// below.
struct SearchPlace {
    Xapian::Database database;
    SearcherOptions options;
};
SearchPlace open_place(const SearchSetup& setup, const Settings& settings, const Session& session);

/// Opens the database. A database that says how it was indexed is searched that way; where the
/// configuration says otherwise a note tells so.
Searcher open_searcher(const SearchSetup& setup, const Settings& settings, const Session& session);

/// The model of rankers that `model` names, as rank_by understands it. Throws InvalidArgument for
/// "xapian", which is none.
FusionModel fusion_model_of(const std::string& model, const Settings& settings,
                            const SearchPlace& place);

/// Ranks by what --model names, or what --fusion makes of it. Notes as open_place does.
void rank_by(Searcher& searcher, const SearchSetup& setup, const Settings& settings,
             const SearchPlace& place);

/// The model that these rank by, where it is one of rankers.
FusionModel fusion_model_of(const SearchSetup& setup, const Settings& settings,
                            const SearchPlace& place);

/// Ranks by what `model` names. "": by the configuration's model; by the database's own where that
/// says nothing, and by BM25 where there is none.
void rank_by(Searcher& searcher, const std::string& model, const Settings& settings);

}  // namespace braid::cli
