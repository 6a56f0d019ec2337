// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "braid/cli/commands/search_output.h"
#include "braid/cli/options/command.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/cli/options/search_setup.h"
#include "braid/cli/output/output.h"
#include "braid/core/base/checksum.h"
#include "braid/core/base/random.h"
#include "braid/core/eval/interleaving.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/indexer/formats/draft_log.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/settings_store.h"

namespace braid::cli {
namespace {

constexpr const char* kSearchFooter = R"(
The query is in Xapian's syntax: words, "phrases", +required -excluded, AND OR NOT, field:word.

Examples:
  braid search --db packages text editor
  braid search --db packages --filter section:games --explain -n 3 chess
  braid search --db packages --model learned.yaml --compare xapian 'image viewer'
  braid search --db packages --model words --fusion rrf --set k=20 'image viewer'
  braid search --db packages -- editor -emacs
  braid search --db med --model med.yaml --min-probability .5 renal amyloidosis
  braid search --db packages --interleave current learned.yaml --log drafts.tsv chess

Results go to standard output, the time and the number of matches to standard error.)";

// The database's own ranking, where two are interleaved.
constexpr const char* kCurrent = "current";
constexpr Xapian::doccount kWider = 4;

struct SearchCommand {
    SearchSetup setup;
    std::vector<std::string> words;
    std::vector<std::string> filters;
    std::vector<std::string> vectors;
    std::vector<std::string> embeddings;
    std::string sort;
    std::string collapse;
    std::string compare;
    std::vector<std::string> interleaved;  ///< Two models, or none.
    std::string log;
    std::string session;
    Xapian::doccount count = 10;
    Xapian::doccount offset = 0;
    double min_score = 0;
    double min_probability = 0;
    bool explain = false;
    bool json = false;
};

std::string query_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// A field with a value slot, by its name or by the slot's number.
Xapian::valueno slot_of(const std::string& text, const IndexSettings& settings) {
    std::vector<std::string> known;
    for (const FieldSettings& field : settings.fields) {
        if (field.slot == FieldSettings::kNoSlot) continue;
        if (field.name == text) return static_cast<Xapian::valueno>(field.slot);
        known.push_back(field.name);
    }
    Xapian::valueno slot = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
    if (error == std::errc() && end == text.data() + text.size()) return slot;
    known.emplace_back("the number of a value slot");
    throw UnknownComponent("field to sort or collapse by", text, known);
}

SortBy sort_of(const std::string& text, const IndexSettings& settings) {
    const std::size_t colon = text.rfind(':');
    const std::string order = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (!order.empty() && order != "asc" && order != "desc") {
        throw InvalidArgument("--sort " + text + ": found ':" + order +
                              "', expected :asc or :desc");
    }
    return {slot_of(text.substr(0, colon), settings), order == "desc"};
}

SearchRequest request_of(const SearchCommand& command, const Settings& settings,
                         const IndexSettings& index, const VectorOptions& reading) {
    SearchRequest request;
    request.text = query_text(command.words);
    request.filters = command.filters;
    request.inputs.vectors = QueryVectors(command.vectors, reading).single();
    request.inputs.embeddings = QueryVectors::embeddings(command.embeddings, reading).single();
    if (command.setup.window) request.window = *command.setup.window;
    request.first = command.offset;
    request.count = command.count;
    request.min_score = command.min_score;
    request.min_probability = command.min_probability;
    request.explain = command.explain;
    if (!command.sort.empty()) request.sort = sort_of(command.sort, index);
    if (!command.collapse.empty()) request.collapse = Collapse{slot_of(command.collapse, index)};
    request.snippet.length = command.compare.empty() ? settings.search.snippet_length : 0;
    if (!command.json) {
        request.snippet.highlight_begin = kBold;
        request.snippet.highlight_end = kPlain;
    }
    return request;
}

std::string name_of_model(const SearchSetup& setup, const Settings& settings,
                          const SearchPlace& place) {
    if (!setup.model.empty()) return setup.model;
    if (settings.model != FusionModel{}) return setup.config;
    return read_databases(place.paths, "attempts to read its model",
                          [&](const OpenedDatabases& opened) -> std::string {
                              if (load_fusion_model(opened.database)) return "the database's model";
                              if (load_fusion_model(opened.database, opened.sidecars)) {
                                  return "the sidecar's model";
                              }
                              return setup.config.empty() ? "bm25" : setup.config;
                          });
}

FinishedSearch search(Searcher& searcher, const SearchRequest& request, const std::string& model) {
    using Clock = std::chrono::steady_clock;
    FinishedSearch search{.query = request.text, .model = model, .result = {}};
    const auto start = Clock::now();
    search.result = searcher.search(request);
    search.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return search;
}

// What a window of four times the size would find. An answer by it is exact where it holds all.
void look_wider(Searcher& searcher, SearchRequest request, FinishedSearch& found) {
    if (found.result.run.rescored < request.window) return;
    request.window *= kWider;
    request.documents = request.explain = false;
    const FinishedSearch wider = search(searcher, request, found.model);
    const std::vector<SearchHit>& before = found.result.hits;
    const std::vector<SearchHit>& after = wider.result.hits;
    std::size_t changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        changed += i >= after.size() || after[i].docid != before[i].docid ? 1 : 0;
    }
    found.wider = WiderPass{request.window, changed, wider.milliseconds};
}

// Filters that match nothing at all, where nothing was found.
void warn_of_empty_filters(Searcher& searcher, const SearchRequest& request, Session& session) {
    for (const std::string& filter : request.filters) {
        SearchRequest alone;
        alone.filters = {filter};
        alone.documents = false;
        if (!searcher.search(alone).hits.empty()) continue;
        session.warnings()(
            format_line("the filter '{}' matches no document of the database", filter));
    }
}

// Vectors that no ranker of the models reads, given in `names`.
void warn_of_unread_vectors(const SearchRequest& request, const std::vector<FusionModel>& models,
                            Session& session) {
    for (const auto& [name, vector] : request.inputs.vectors) {
        if (reads_vectors(models, name)) continue;
        session.warnings()(unread_vectors("--query-vector", name));
    }
}

// Which documents the search could find, where its model leaves a choice.
std::string candidates_of(const SearchCommand& command, const Settings& settings,
                          const SearchPlace& place) {
    if (command.setup.model == "xapian") return "";
    const FusionModel model = fusion_model_of(command.setup, settings, place);
    const bool has_topics = std::any_of(
        model.rankers.begin(), model.rankers.end(),
        [](const RankerSpec& spec) { return spec.weight > 0 && !topic_model_of(spec).empty(); });
    if (!has_topics) return "";
    switch (place.options.search.candidates.value_or(model.candidates)) {
        case Candidates::kAll:
            return "candidates all: also documents of similar topics without its words";
        case Candidates::kHybrid:
            return "candidates hybrid: also documents of similar topics, through clusters";
        case Candidates::kWords:
            break;
    }
    return "candidates words: documents that match its words";
}

// One that no other search has.
std::string new_session() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format(
        "{:x}-{:x}", std::chrono::duration_cast<std::chrono::microseconds>(now).count(), getpid());
}

FinishedSearch search_by(const std::string& model, SearchRequest request, const Settings& settings,
                         const SearchPlace& place) {
    Searcher searcher(place.paths, place.options);
    rank_by(searcher, model == kCurrent ? "" : model, settings);
    request.count += request.first;
    request.first = 0;
    return search(searcher, request, model);
}

// The page of the list that two rankings draft together. The same session gets the same list.
InterleavedSearch interleave(const SearchCommand& command, const SearchRequest& request,
                             const Settings& settings, const SearchPlace& place) {
    InterleavedSearch both{.session = command.session.empty() ? new_session() : command.session,
                           .query = request.text,
                           .models = {command.interleaved[0], command.interleaved[1]}};
    std::array<FinishedSearch, 2> searches;
    std::array<std::vector<std::string>, 2> names;
    for (std::size_t team = 0; team < 2; ++team) {
        searches[team] = search_by(both.models[team], request, settings, place);
        for (const SearchHit& hit : searches[team].result.hits) names[team].push_back(hit.name);
    }
    Random random(crc32c(both.session + '\0' + both.query));
    const std::vector<DraftPick> picks =
        team_draft(names[0], names[1], request.first + request.count, random);
    for (std::size_t i = 0; i < picks.size(); ++i) {
        SearchHit hit = searches[picks[i].team].result.hits[picks[i].place];
        hit.rank = static_cast<Xapian::doccount>(i + 1);
        if (i >= request.first) both.hits.push_back({picks[i].team, std::move(hit)});
    }
    return both;
}

int run_interleaved(const SearchCommand& command, const SearchRequest& request,
                    const Settings& settings, const SearchPlace& place, Session& session) {
    const InterleavedSearch both = interleave(command, request, settings, place);
    if (!command.log.empty()) {
        std::vector<DraftedDocument> documents;
        for (const InterleavedSearch::Hit& one : both.hits) {
            documents.push_back({one.hit.name, both.models[one.team], both.models[1 - one.team]});
        }
        append_to_log(command.log, draft_log_header(),
                      draft_log_lines(both.session, both.query, documents, request.first));
    }
    if (command.json) {
        print_json(interleaved_json(both), 2);
    } else {
        print_text(interleaved_text(both));
    }
    session.note(format_line("session {}: {} results of {} and {}{}", both.session,
                             both.hits.size(), both.models[0], both.models[1],
                             command.log.empty() ? "" : ", logged in " + command.log));
    return kDone;
}

// Says what the results are.
void report(const FinishedSearch& search, Session& session) {
    if (!search.result.complete) {
        session.warnings()(
            fmt::format("{}: the search stopped at the time limit of {} ms: documents not reached "
                        "may be better",
                        search.model, session.limits.time));
    }
    session.note(summary_text(search));
}

// Warns of what the search met, and of inputs that changed nothing.
void warn_of_run(const SearchCommand& command, const SearchRequest& request,
                 const FinishedSearch& found, const Settings& settings, const SearchPlace& place,
                 Session& session) {
    const FusedCounters& counters = found.result.run.counters;
    if (counters.damaged > 0) session.warnings()(kDamageMet);
    if (counters.without_positions > 0) {
        session.warnings()(without_positions_met(counters.without_positions));
    }
    for (const std::string& doubt : found.result.doubts) session.warnings()(visible(doubt));
    if (!request.inputs.vectors.empty()) {
        std::vector<FusionModel> models;
        if (command.setup.model != "xapian") {
            models.push_back(fusion_model_of(command.setup, settings, place));
        }
        if (!command.compare.empty() && command.compare != "xapian") {
            models.push_back(named_model(command.compare));
        }
        warn_of_unread_vectors(request, models, session);
    }
    if (command.setup.window && found.result.run.rescored == 0) {
        session.warnings()("--window changes nothing: one pass serves the model");
    }
}

int run_search(const SearchCommand& command, Session& session) {
    const Settings settings = settings_of(command.setup, session);
    const SearchPlace place = find_place(command.setup, settings, session);
    Searcher searcher(place.paths, place.options);
    const SearchRequest request =
        request_of(command, settings, searcher.index_settings(), vector_reading(session));
    if (!command.interleaved.empty()) {
        return run_interleaved(command, request, settings, place, session);
    }
    rank_by(searcher, command.setup, settings, place);
    std::string model = name_of_model(command.setup, settings, place);
    const std::string& fusion = command.setup.fusion.method;
    if (!fusion.empty()) model += " by " + fusion;
    FinishedSearch found = search(searcher, request, model);
    const std::string candidates = candidates_of(command, settings, place);
    found.candidates = candidates;
    warn_of_run(command, request, found, settings, place, session);
    if (found.result.hits.empty() && request.first == 0) {
        warn_of_empty_filters(searcher, request, session);
    }
    if (command.compare.empty()) {
        if (command.explain) look_wider(searcher, request, found);
        if (command.json) {
            print_json(results_json(found), 2);
        } else {
            print_text(results_text(found));
        }
        report(found, session);
        return kDone;
    }
    Searcher other(place.paths, place.options);
    rank_by(other, command.compare, settings);
    // A searcher's first search reads what it then keeps in memory; so that neither time has that
    // in it, each is shown for its second.
    (void)search(other, request, command.compare);
    const FinishedSearch second = search(other, request, command.compare);
    found = search(searcher, request, model);
    found.candidates = candidates;
    if (command.json) {
        print_json(comparison_json(found, second), 2);
    } else {
        print_text(comparison_text(found, second));
    }
    report(second, session);
    report(found, session);
    return kDone;
}

// What the query brings besides its words.
void add_inputs(CLI::App& app, SearchCommand& options) {
    app.add_option("--filter", options.filters,
                   "Show only results that also match this, such as section:games or size:1..9; "
                   "scores stay the same")
        ->take_all()
        ->allow_extra_args(false);
    add_values(app, "--query-vector", options.vectors, "[NAME=]FILE",
               "Query vector for rankers that name NAME [vectors]: .npy or JSON lines; may "
               "be repeated");
    add_values(app, "--query-embedding", options.embeddings, "[NAME=]FILE",
               "Query embedding for query-dependent weights, called NAME in the model "
               "[embedding]: .npy or JSON lines; may be repeated");
}

void add_interleaving(CLI::App& app, SearchCommand& options) {
    CLI::Option* interleave =
        add_value(app, "--interleave", options.interleaved, "A B",
                  "Show one list that two rankings draft in turns. Each takes what --model "
                  "does, or current for the database's ranking. `braid eval --interleaved` "
                  "compares them by clicks")
            ->expected(2)
            ->excludes(app.get_option("--compare"))
            ->excludes(app.get_option("--model"))
            ->excludes(app.get_option("--fusion"))
            ->excludes(app.get_option("--sort"))
            ->excludes(app.get_option("--explain"));
    add_value(app, "--log", options.log, "FILE",
              "Append which ranking brought each document to this file, where clicks are "
              "added later (docs/formats.md)")
        ->needs(interleave);
    add_value(app, "--session", options.session, "NAME",
              "Session's name in the log [a new one]; the same name gets the same list")
        ->needs(interleave);
}

}  // namespace

void add_search(CLI::App& app, Session& session) {
    auto options = std::make_shared<SearchCommand>();
    CLI::App* command = app.add_subcommand("search", "Search a database");
    command->footer(kSearchFooter);
    add_search_setup(*command, options->setup);
    options->setup.may_stop = true;
    add_limits(*command, session,
               {"words", "nesting", "expansion", "time", "memory", "line", "dimensions"});
    command->add_option("QUERY", options->words, "Query; optional with --filter");
    command->add_option("-n,--count", options->count, "Number of results")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1'000'000U));
    command->add_option("--offset", options->offset, "Number of results to skip")
        ->check(CLI::NonNegativeNumber);
    add_inputs(*command, *options);
    command->add_option(
        "--sort", options->sort,
        "Sort by FIELD[:desc] that has a value slot, or by a slot number; ties by score");
    command->add_option("--collapse", options->collapse,
                        "Show only the best result for each value of this FIELD or slot");
    command->add_option("--min-score", options->min_score, "Hide results with a lower score")
        ->check(CLI::NonNegativeNumber);
    add_value(*command, "--min-probability", options->min_probability, "P",
              "Hide results with a lower probability of relevance; needs a model calibrated "
              "by `braid train` with --folds or --vali. With .5, each result shown is more "
              "likely relevant than not")
        ->check(CLI::Range(0.0, 1.0));
    add_value(*command, "--compare", options->compare, "MODEL",
              "Also show this model's ranking, side by side; takes what --model does");
    command->add_flag("--explain", options->explain, "Explain each score");
    add_interleaving(*command, *options);
    command->add_flag("--json", options->json, "Print JSON");
    command->add_flag("--quiet,-q", session.quiet, "Hide notes; show warnings and errors");
    set_action(*command, session, options, run_search, [](const SearchCommand& given) {
        if (!given.interleaved.empty() && given.interleaved[0] == given.interleaved[1]) {
            throw CLI::ValidationError("--interleave: found " + given.interleaved[0] +
                                       " twice, expected two rankings");
        }
        if (given.words.empty() && given.filters.empty()) {
            throw CLI::RequiredError("QUERY or --filter");
        }
        fusion_options(given.setup.fusion);
    });
}

}  // namespace braid::cli
