// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/options/fusion_input.h"
#include "braid/core/settings/settings.h"
#include "braid/plugin/search/searcher.h"

namespace braid::cli {

/// A warning after searches that met damage.
inline constexpr char kDamageMet[] =
    "damaged topic vectors or records of documents were met, which count as missing; `braid check` "
    "says which, and mends them with --repair";

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
    FusionInput fusion;     ///< Of `braid search` and `braid run`.
    bool may_stop = false;  ///< Whether the command takes a time limit.
};

void add_search_setup(CLI::App& command, SearchSetup& setup);

/// The same without --model, and --db may be left out.
void add_place_setup(CLI::App& command, SearchSetup& setup);

/// The rankers that a file, a preset or a ranker's name stands for. Throws UnknownComponent.
FusionModel named_model(const std::string& model);

/// The settings that --config names, or the defaults; the session uses their limits.
Settings settings_of(const SearchSetup& setup, Session& session);

/// Where the databases are, and how they are searched. Notes as below. Every read of a command that
/// isn't a search goes through read_databases (followed_databases.h), so that writers may commit
/// meanwhile.
struct SearchPlace {
    SearchPaths paths;
    SearcherOptions options;
};
SearchPlace find_place(const SearchSetup& setup, const Settings& settings, const Session& session);

/// The model of rankers that `model` names, as rank_by understands it. Throws InvalidArgument for
/// "xapian", which is none.
FusionModel fusion_model_of(const std::string& model, const Settings& settings,
                            const SearchPlace& place);

/// The topic models in the databases that the model's rankers use. Weights that are learned, and
/// scores that several threads compute, belong to these and not to those of a later adoption: as
/// the model's provenance they make another state of the databases an error.
std::vector<TopicModelIdentity> topic_models_of(const FusionModel& model, const SearchPlace& place);

/// Ranks by what --model names, or what --fusion makes of it. Notes as find_place does.
void rank_by(Searcher& searcher, const SearchSetup& setup, const Settings& settings,
             const SearchPlace& place);

/// The model that these rank by, where it is one of rankers.
FusionModel fusion_model_of(const SearchSetup& setup, const Settings& settings,
                            const SearchPlace& place);

/// Ranks by what `model` names. "": by the configuration's model; by the database's own where that
/// says nothing, and by BM25 where there is none.
void rank_by(Searcher& searcher, const std::string& model, const Settings& settings);

}  // namespace braid::cli
