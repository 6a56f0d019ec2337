// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/options/fusion_input.h"
#include "braid/searcher.h"
#include "braid/settings.h"

namespace braid::cli {

/// Warning after searches that read damaged values.
inline constexpr char kDamageMet[] =
    "damaged topic vectors or records of documents were met, which count as missing; `braid check` "
    "says which, and mends them with --repair";

/// Warning after searches that met documents without positions of their words.
std::string without_positions_met(std::uint64_t documents);

/// Default preset for topics to adopt and for the start of training.
inline constexpr const char* kStandardPreset = "standard";

/// Options that `braid search` and `braid run` share: the database and how it is searched.
struct SearchSetup {
    std::vector<std::string> databases;
    std::string model;       ///< A file, a preset, a ranker's name, "xapian" or "".
    std::string config;      ///< A file, a preset or "".
    std::string id;          ///< Source of document names, or "".
    std::string candidates;  ///< "words", "all", "hybrid" or "" for the configuration's.
    std::optional<std::size_t> clusters_visited;
    std::vector<std::string> sidecars;
    FusionInput fusion;     ///< For `braid search` and `braid run` only.
    bool may_stop = false;  ///< Whether the command supports a time limit.
    /// Documents that a model of two passes scores again. The same two only.
    std::optional<Xapian::doccount> window = {};
};

void add_search_setup(CLI::App& command, SearchSetup& setup);

/// The same without --model; --db is optional.
void add_place_setup(CLI::App& command, SearchSetup& setup);

/// The model that a file, a preset or a ranker's name stands for. Throws UnknownComponent.
FusionModel named_model(const std::string& model);

/// The settings of --config, or the defaults; sets the session's limits.
Settings settings_of(const SearchSetup& setup, Session& session);

/// Databases and search options. Notes as below. Commands read databases outside searches through
/// read_databases (followed_databases.h), so that writers may commit meanwhile.
struct SearchPlace {
    SearchPaths paths;
    SearcherOptions options;
};
SearchPlace find_place(const SearchSetup& setup, const Settings& settings, Session& session);

/// Warns of a database that is named twice: each of its documents then counts as two.
void warn_of_repeated(const std::vector<std::string>& databases, Session& session);

/// The fusion model that `model` names, resolved as in rank_by. Throws InvalidArgument for
/// "xapian", which is not a fusion model.
FusionModel fusion_model_of(const std::string& model, const Settings& settings,
                            const SearchPlace& place);

/// The topic models in the databases that the model's rankers use. Learned weights, and scores from
/// several threads, are valid for these only: recorded in the model's provenance, they make a later
/// adoption an error.
std::vector<TopicModelIdentity> topic_models_of(const FusionModel& model, const SearchPlace& place);

/// Sets the searcher's ranking from --model and --fusion. Notes as find_place does.
void rank_by(Searcher& searcher, const SearchSetup& setup, const Settings& settings,
             const SearchPlace& place);

/// The model that these options rank by, if it is a fusion model.
FusionModel fusion_model_of(const SearchSetup& setup, const Settings& settings,
                            const SearchPlace& place);

/// Sets the ranking to `model`. "": the configuration's model, else the installed model, else
/// BM25.
void rank_by(Searcher& searcher, const std::string& model, const Settings& settings);

}  // namespace braid::cli
