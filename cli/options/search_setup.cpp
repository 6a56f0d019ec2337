// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/search_setup.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "braid/config.h"
#include "braid/config/presets.h"
#include "braid/core/model/method_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/settings/stop_words.h"
#include "braid/error.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/settings.h"

namespace braid::cli {

namespace {

SearchSettings::Candidates candidates_named(const std::string& name) {
    if (name == "all") return SearchSettings::Candidates::kAll;
    if (name == "hybrid") return SearchSettings::Candidates::kHybrid;
    return SearchSettings::Candidates::kWords;
}

// How databases were indexed, as they say.
struct StoredIndex {
    std::optional<IndexSettings> settings;
    std::set<std::string> changed_stemmers;
};

StoredIndex stored_index(const OpenedDatabases& opened) {
    StoredIndex stored{load_index_settings(opened.database), {}};
    const auto add = [&](const Xapian::Database& database) {
        for (std::string& changed : changed_stemmers(database)) {
            stored.changed_stemmers.insert(std::move(changed));
        }
    };
    add(opened.database);
    for (const Xapian::Database& sidecar : opened.sidecars) add(sidecar);
    return stored;
}

}  // namespace

void add_place_setup(CLI::App& command, SearchSetup& setup) {
    add_values(command, "--db", setup.databases, "DB",
               "Database: a folder, a stub file or HOST:PORT; repeat to search several as one");
    add_value(command, "--config", setup.config, "CONFIG",
              "Configuration: a file or a preset. It gives query syntax, analysis for a "
              "database that stores none, and the model, unless --model does. If it has no "
              "model: the installed one, else BM25");
    add_value(command, "--id", setup.id, "SOURCE",
              "Where document names are stored: term:PREFIX, value:SLOT, data or docid [the "
              "database's]");
    command
        .add_option("--candidates", setup.candidates,
                    "Candidates of models with topic rankers: documents that match (words), the "
                    "whole database (all), or the same results as all through clusters (hybrid) "
                    "[the configuration's]")
        ->check(CLI::IsMember({"words", "all", "hybrid"}));
    command
        .add_option("--clusters-visited", setup.clusters_visited,
                    "With --candidates hybrid: search only this many clusters and report what that "
                    "may miss; 0 is exact")
        ->check(CLI::Range(std::size_t{0}, SearchSettings::kMaxClustersVisited));
    add_values(command, "--sidecar", setup.sidecars, "DIR",
               "Sidecar folder of a database; repeat for each of several databases");
}

void add_search_setup(CLI::App& command, SearchSetup& setup) {
    add_place_setup(command, setup);
    command.get_option("--db")->required();
    add_value(command, "--model", setup.model, "MODEL",
              "Fusion model: a file, a preset, a ranker's name, or xapian for Xapian's own BM25");
    command
        .add_option("--fusion", setup.fusion.method,
                    "Fuse the rankers' lists by this method instead of adding scores; ranks the "
                    "best 1,000 of a first pass")
        ->check(CLI::IsMember(fusion_methods().names()));
    add_fusion_settings(command, setup.fusion, "--fusion", "rankers");
    add_value(command, "--window", setup.window, "N",
              "Rescoring window: how many of the first pass's best documents a model of two "
              "passes (trees, normalisers, --fusion) scores again [1000]. --explain says "
              "what four times as many would change")
        ->check(CLI::Range(1U, 100'000'000U));
}

FusionModel named_model(const std::string& name) {
    if (model_rankers().contains(name)) return {.rankers = {{.ranker = name}}};
    if (presets().contains(name) || std::filesystem::exists(name)) return load_model(name);
    std::vector<std::string> known = model_rankers().names();
    known.insert(known.begin(), {"a model file", "xapian"});
    throw UnknownComponent("model", name, known);
}

Settings settings_of(const SearchSetup& setup, Session& session) {
    Settings settings = setup.config.empty() ? Settings{} : load_settings(setup.config);
    session.use_limits(settings.limits);
    return settings;
}

void warn_of_repeated(const std::vector<std::string>& databases, Session& session) {
    std::set<std::filesystem::path> seen;
    for (const std::string& database : databases) {
        std::error_code ignored;
        const auto path = std::filesystem::weakly_canonical(database, ignored);
        if (seen.insert(path.empty() ? std::filesystem::path(database) : path).second) continue;
        session.warnings()(
            fmt::format("--db {}: the database is given twice, so each of its documents counts as "
                        "two",
                        database));
    }
}

SearchPlace find_place(const SearchSetup& setup, const Settings& settings, Session& session) {
    warn_of_repeated(setup.databases, session);
    SearchPlace place{{setup.databases, setup.sidecars}, {}};
    SearcherOptions& options = place.options;
    // Queries of one command are answered on one state, as long as writers leave it there.
    options.follows = false;
    options.search = settings.search;
    options.limits = session.limits;
    if (options.limits.time > 0 && !setup.may_stop) {
        throw ConfigError(
            fmt::format("{}: limits.time: found {}, but this command needs complete results; only "
                        "braid search stops early",
                        setup.config, options.limits.time));
    }
    const std::size_t bytes = options.limits.memory / 2;
    options.vectors = new_vector_tables(bytes);
    options.postings = new_posting_tables(bytes);
    if (!setup.candidates.empty()) {
        options.search.candidates = candidates_named(setup.candidates);
    }
    if (setup.clusters_visited) options.search.clusters_visited = *setup.clusters_visited;
    if (!setup.id.empty()) options.names = DocumentNameSource::parse(setup.id);
    const StoredIndex stored =
        read_databases(place.paths, "attempts to read its settings", stored_index);
    for (const std::string& changed : stored.changed_stemmers) session.warnings()(changed);
    if (!setup.config.empty()) {
        IndexSettings wanted = settings.index;
        resolve_stop_words(wanted.analysis);
        if (const auto& kept = stored.settings) {
            const std::string differs = index_settings_difference(*kept, wanted);
            if (!differs.empty()) {
                session.note(
                    fmt::format("the database is searched as it was indexed, not as {} "
                                "says ({})",
                                setup.config, differs));
            }
        } else {
            options.index = wanted;
        }
    }
    return place;
}

FusionModel fusion_model_of(const std::string& model, const Settings& settings,
                            const SearchPlace& place) {
    if (model == "xapian") {
        throw InvalidArgument(
            "--model xapian has no separate rankers; expected --model bm25, the same function");
    }
    if (!model.empty()) return named_model(model);
    if (settings.model != FusionModel{}) return settings.model;
    return read_databases(
        place.paths, "attempts to read its model", [](const OpenedDatabases& opened) {
            return load_fusion_model(opened.database, opened.sidecars).value_or(FusionModel{});
        });
}

FusionModel fusion_model_of(const SearchSetup& setup, const Settings& settings,
                            const SearchPlace& place) {
    FusionModel model = fusion_model_of(setup.model, settings, place);
    if (setup.fusion.method.empty()) return model;
    return fused_model(model, fusion_options(setup.fusion));
}

std::vector<TopicModelIdentity> topic_models_of(const FusionModel& model,
                                                const SearchPlace& place) {
    const auto read = [](const OpenedDatabases& opened) {
        return load_topic_catalogue(opened.sidecars.empty() ? opened.database
                                                            : opened.sidecars.front());
    };
    std::vector<TopicModelIdentity> models =
        read_databases(place.paths, "attempts to read its topic models", read);
    std::erase_if(models, [&](const TopicModelIdentity& identity) {
        return std::none_of(
            model.rankers.begin(), model.rankers.end(),
            [&](const RankerSpec& spec) { return topic_model_of(spec) == identity.name; });
    });
    return models;
}

void rank_by(Searcher& searcher, const SearchSetup& setup, const Settings& settings,
             const SearchPlace& place) {
    if (setup.fusion.method.empty()) return rank_by(searcher, setup.model, settings);
    searcher.rank_by(fusion_model_of(setup, settings, place));
}

void rank_by(Searcher& searcher, const std::string& model, const Settings& settings) {
    if (model.empty()) {
        if (settings.model == FusionModel{}) return;  // As it does already.
        searcher.rank_by(settings.model);
    } else if (model == "xapian") {
        searcher.rank_by(Xapian::BM25Weight());
    } else {
        searcher.rank_by(named_model(model));
    }
}

std::string without_positions_met(std::uint64_t documents) {
    return fmt::format(
        "{} documents have words of the query but no positions of them, or of forms that begin "
        "like them: proximity counts these as standing alone",
        documents);
}

}  // namespace braid::cli
