// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/search_setup.h"

#include <filesystem>

#include <fmt/format.h>

#include "braid/config/model_yaml.h"
#include "braid/config/presets.h"
#include "braid/config/settings_yaml.h"
#include "braid/core/analysis/stop_words.h"
#include "braid/core/models/model_rankers.h"
#include "braid/core/settings/index_settings_difference.h"
#include "braid/plugin/store/index_settings_store.h"
#include "braid/plugin/store/open_database.h"

namespace braid::cli {

void add_search_setup(CLI::App& command, SearchSetup& setup) {
    command
        .add_option(
            "--db", setup.databases,
            "A database: folder, stub file or HOST:PORT; repeat it to search several as one")
        ->required()
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("DB");
    command
        .add_option("--model", setup.model,
                    "What ranks: a model file, a preset, a ranker's name, or xapian for "
                    "Xapian's own BM25")
        ->type_name("MODEL");
    command
        .add_option("--config", setup.config,
                    "Settings, a file or a preset: how words are made in a database that doesn't "
                    "say so itself, how queries are read, and the model where --model is absent "
                    "(if it has none: the database's own, else BM25)")
        ->type_name("CONFIG");
    command
        .add_option("--id", setup.id,
                    "Where documents' names are: term:PREFIX, value:SLOT, data or docid "
                    "(otherwise as the database says)")
        ->type_name("SOURCE");
    command
        .add_option("--candidates", setup.candidates,
                    "What a query finds that is ranked by topics: words is documents that match "
                    "its words, all is documents of similar topics, too; otherwise as the "
                    "configuration says")
        ->check(CLI::IsMember({"words", "all"}));
    command
        .add_option("--sidecar", setup.sidecars,
                    "A folder with the topic models of a database that was left untouched; "
                    "repeat it for each of several databases")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("DIR");
}

Settings settings_of(const SearchSetup& setup) {
    return setup.config.empty() ? Settings{} : load_settings(setup.config);
}

Searcher open_searcher(const SearchSetup& setup, const Settings& settings, const Session& session) {
    const Xapian::Database database = open_databases(setup.databases);
    SearcherOptions options;
    options.search = settings.search;
    if (!setup.candidates.empty()) {
        options.search.candidates = setup.candidates == "all" ? SearchSettings::Candidates::kAll
                                                              : SearchSettings::Candidates::kWords;
    }
    for (const std::string& sidecar : setup.sidecars) {
        options.sidecars.push_back(open_databases({sidecar}));
    }
    if (!setup.id.empty()) options.names = DocumentNameSource::parse(setup.id);
    if (!setup.config.empty()) {
        IndexSettings wanted = settings.index;
        resolve_stop_words(wanted.analysis);
        if (auto kept = load_index_settings(database)) {
            const std::string differs = difference(*kept, wanted);
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
    return Searcher(database, options);
}

void rank_by(Searcher& searcher, const std::string& model, const Settings& settings) {
    if (model.empty()) {
        if (settings.model == FusionModel{}) return;  // As it does already.
        searcher.rank_by(settings.model);
    } else if (model == "xapian") {
        searcher.rank_by(Xapian::BM25Weight());
    } else if (model_rankers().contains(model)) {
        FusionModel alone;
        alone.rankers = {{.ranker = model}};
        searcher.rank_by(alone);
    } else if (presets().contains(model) || std::filesystem::exists(model)) {
        searcher.rank_by(load_model(model));
    } else {
        std::vector<std::string> known = model_rankers().names();
        known.insert(known.begin(), {"a model file", "xapian"});
        throw UnknownComponent("model", model, known);
    }
}

}  // namespace braid::cli
