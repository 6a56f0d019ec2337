// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/adopt.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/commands/adopt_install.h"
#include "braid/cli/options/command.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/cli/options/search_setup.h"
#include "braid/cli/options/topic_options.h"
#include "braid/cli/output/output.h"
#include "braid/config.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/word_vectors.h"
#include "braid/database.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/query/query_words.h"
#include "braid/searcher.h"

namespace braid::cli {
namespace {

struct AdoptCommand {
    std::vector<std::string> databases;
    std::string config;
    std::string topics;
    std::string sidecar;
    std::string id;
    std::optional<std::string> stemmer;
    std::optional<std::size_t> clusters;
    std::string queries;
    std::string judgements;
    std::string vectors;
    std::string word_vectors;
    bool force = false;
    std::string ids;
    std::string coding = "8bit";
    std::size_t threads = 0;
    std::size_t batch = 10'000;
    bool retrain = false;
    bool install = false;
    bool statistics = false;
    bool json = false;
};

// What is installed where `standard` loses.
constexpr char kLightPreset[] = "fast";

constexpr char kAdoptFooter[] = R"(
Learns topic models from the database's words, whichever program wrote it. Each document gets one
value; nothing else in it changes. After adding documents, run the command again: it fills in missing
and stale vectors. It learns anew with --retrain or other settings. Searches use a model once it is
complete.

The ranking stays the same without --install. With it, the command searches the database for 500 of
its own documents, by a few words of each, and compares the current ranking with the preset standard.
It installs standard if that finds them no worse, else fast if that does, else nothing (exit code 1).
--config names another ranking; --force installs without measuring.

--vectors stores vectors of your own, such as embeddings, instead of learning topics. A vector belongs
to the document named in its file or in --ids; without names, vectors are in docid order.

--word-vectors computes each document's vector from vectors of words learned elsewhere (text files of
GloVe, word2vec or fastText). Queries are folded in at search time.

Examples:
  braid adopt --db packages.db --install
  braid adopt --db packages.db --config fast
  braid adopt --db packages.db --topics lsa:200,ldi:100
  braid adopt --db med.db --topics auto --queries MED.QRY --qrels MED.REL
  braid adopt --db ~/.mail/.notmuch/xapian --sidecar ~/.cache/braid-mail
  braid adopt --db packages.db --vectors bert=packages.npy --ids packages.ids
  braid adopt --db packages.db --word-vectors glove.6B.100d.txt)";

DocumentNameSource names_of(const AdoptCommand& command) {
    if (!command.id.empty()) return DocumentNameSource::parse(command.id);
    return read_databases(
        {command.databases}, "attempts to read how its documents are named",
        [](const OpenedDatabases& opened) { return name_convention(opened.database); });
}

// The database's documents by the names that judgements have for them.
std::unordered_map<std::string, Xapian::docid> documents_by_name(const AdoptCommand& command) {
    const DocumentNameSource names = names_of(command);
    const auto read = [&](const OpenedDatabases& opened) {
        const Xapian::Database& database = opened.database;
        std::unordered_map<std::string, Xapian::docid> documents;
        for (auto it = database.postlist_begin(""); it != database.postlist_end(""); ++it) {
            documents.emplace(names.kind == DocumentNameSource::Kind::kDocid
                                  ? std::to_string(*it)
                                  : document_name(database.get_document(*it), names),
                              *it);
        }
        return documents;
    };
    return read_databases({command.databases}, "attempts to read its documents' names", read);
}

std::vector<JudgedTopicQuery> judged_queries(const AdoptCommand& command, Session& session) {
    JudgementOptions judging;
    judging.warn = session.warnings();
    judging.max_line = session.limits.line;
    const Judgements judgements = read_judgements(command.judgements, judging);
    QueryOptions reading;
    reading.warn = session.warnings();
    reading.max_line = session.limits.line;
    const std::vector<SourceQuery> queries = read_queries(command.queries, reading);
    const auto documents = documents_by_name(command);
    const auto searcher = std::make_shared<Searcher>(SearchPaths{command.databases});
    std::vector<JudgedTopicQuery> result;
    for (const SourceQuery& query : queries) {
        const QueryJudgements* judged = judgements.find(query.id);
        if (judged == nullptr) continue;
        JudgedTopicQuery next;
        next.words = [searcher, text = query.text](const TopicRecord& record) {
            return query_words(searcher->bag_of_words(text), record, Xapian::Stem(record.stemmer));
        };
        for (const Judgement& judgement : judged->all()) {
            const auto found = documents.find(std::string(judgement.document));
            if (judgement.grade > 0 && found != documents.end()) {
                next.relevant.push_back(found->second);
            }
        }
        std::sort(next.relevant.begin(), next.relevant.end());
        result.push_back(std::move(next));
    }
    return result;
}

Settings adopt_settings(const AdoptCommand& command) {
    return load_settings(command.config.empty() ? kStandardPreset : command.config);
}

void use_word_vectors(const AdoptCommand& command, AdoptOptions& options, const Session& session) {
    const NamedFile named = named_file(command.word_vectors, "");
    std::size_t models = 0;
    for (TopicSettings& model : options.models) {
        if (model.model != kWordVectorsModel) continue;
        if (!named.name.empty()) model.name = named.name;
        ++models;
    }
    if (models == 0) {
        throw InvalidArgument(
            "--word-vectors: none of the models is of the kind word-vectors; expected it in "
            "--topics or the configuration, or neither of these");
    }
    options.word_vectors = named.file;
    options.word_vector_reading = vector_reading(session);
    if (command.force) options.least_coverage = 0;
}

AdoptOptions options_of(const AdoptCommand& command, const Settings& settings, Session& session) {
    AdoptOptions options;
    session.use_limits(settings.limits);
    const bool by_words = !command.word_vectors.empty();
    if (!command.topics.empty()) {
        options.models = parse_topics(command.topics, settings.topics);
    } else if (by_words && command.config.empty()) {
        options.models = {{.model = kWordVectorsModel}};
    } else if (!settings.topics.empty()) {
        options.models = settings.topics;
    } else {
        options.models = load_settings(kStandardPreset).topics;
    }
    check_dimensions(options.models, session.limits);
    if (by_words) use_word_vectors(command, options, session);
    for (TopicSettings& model : options.models) {
        if (command.clusters) model.clusters = *command.clusters;
    }
    if (!command.judgements.empty()) {
        const bool any = std::any_of(options.models.begin(), options.models.end(),
                                     [](const TopicSettings& model) {
                                         return model.dimensions == TopicSettings::kAutomatic;
                                     });
        if (!any) {
            throw InvalidArgument(
                "--qrels chooses dimensions that are auto, but every model has a fixed number; "
                "expected --topics MODEL:auto");
        }
        options.judged = judged_queries(command, session);
    }
    options.sidecar = command.sidecar;
    options.retrain = command.retrain;
    if (!command.id.empty()) options.names = DocumentNameSource::parse(command.id);
    options.stemmer = command.stemmer;
    options.threads = command.threads;
    options.batch = command.batch;
    options.progress = session.progress();
    options.warn = session.warnings();
    return options;
}

AdoptVectorsOptions vector_options(const AdoptCommand& command, Session& session) {
    AdoptVectorsOptions options;
    options.sidecar = command.sidecar;
    options.names = names_of(command);
    if (command.coding == "f16") options.coding = TopicSettings::Coding::kFloat16;
    if (command.coding == "f32") options.coding = TopicSettings::Coding::kFloat32;
    options.batch = command.batch;
    options.progress = session.progress();
    options.warn = session.warnings();
    return options;
}

int run_vectors(const AdoptCommand& command, Session& session) {
    AdoptVectorsOptions options = vector_options(command, session);
    const NamedFile named = named_file(command.vectors);
    options.name = named.name;
    SourceVectors vectors = read_vectors(named.file, vector_reading(session));
    if (!command.ids.empty()) vectors.ids = read_vector_ids(command.ids, session.limits.line);
    const std::size_t dimensions = vectors.dimensions;
    const AdoptedVectors adopted = adopt_vectors(command.databases, std::move(vectors), options);
    session.finish();
    session.note(fmt::format("{}: {} dimensions in value slot {}; {} of {} documents written",
                             options.name, dimensions, adopted.slot, adopted.written,
                             adopted.documents));
    if (adopted.missing > 0) {
        session.note(fmt::format("{} documents have no vector", adopted.missing));
    }
    if (command.json) {
        print_json(nlohmann::ordered_json{{"name", options.name},
                                          {"id", adopted.identity.id},
                                          {"dimensions", dimensions},
                                          {"slot", adopted.slot},
                                          {"documents", adopted.documents},
                                          {"written", adopted.written},
                                          {"missing", adopted.missing},
                                          {"unknown", adopted.unknown},
                                          {"replaced", adopted.replaced}});
    }
    return kDone;
}

int run_statistics(const AdoptCommand& command, Session& session) {
    AdoptStatisticsOptions options;
    options.batch = command.batch;
    options.progress = session.progress();
    const AdoptedStatistics adopted = adopt_statistics(command.databases, options);
    session.finish();
    session.note(fmt::format("statistics of {} documents written, in value slot {}",
                             adopted.written, adopted.slot));
    if (command.json) {
        print_json(nlohmann::ordered_json{{"slot", adopted.slot}, {"written", adopted.written}});
    }
    return kDone;
}

// Searches go on as before; what a person would want to do next.
void note_how_to_rank(const AdoptCommand& command, const Settings& settings,
                      const Session& session) {
    if (!command.word_vectors.empty() && command.config.empty()) {
        session.note(
            "the ranking is unchanged; a model with {ranker: word-vectors, weight: 10} ranks by "
            "them");
        return;
    }
    if (settings.model == FusionModel{}) return;
    const std::string config = command.config.empty() ? kStandardPreset : command.config;
    session.note(fmt::format(
        "the ranking is unchanged; --model {} ranks by {}, --install makes that the default",
        config, in_words(settings.model)));
}

// A database that keeps no settings has the usual fields only, and searches would fail.
void check_fields(const AdoptCommand& command, const FusionModel& model) {
    const std::vector<FieldSettings> fields =
        search_conventions(open_databases(command.databases)).fields;
    for (const RankerSpec& spec : model.rankers) {
        if (family_of(spec) != RankerFamily::kTitle || !(spec.weight > 0)) continue;
        const bool is_there = std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
            return field.name == spec.field && !field.prefix.empty();
        });
        if (is_there) continue;
        throw ModelMismatch(fmt::format(
            "--install: {} needs the prefix of the field '{}', which the database doesn't say; "
            "`braid search --config {}` takes it from there",
            spec.label(), spec.field, command.config));
    }
}

InstallRequest install_request(const AdoptCommand& command, const Settings& settings) {
    InstallRequest request{.paths = {.databases = command.databases},
                           .candidates = {{command.config, settings.model}},
                           .force = command.force,
                           .threads = command.threads};
    if (!command.sidecar.empty()) request.paths.sidecars = {command.sidecar};
    if (!command.config.empty()) return request;
    request.candidates = {{kStandardPreset, settings.model},
                          {kLightPreset, load_settings(kLightPreset).model}};
    return request;
}

int run_adopt(const AdoptCommand& command, Session& session) {
    warn_of_repeated(command.databases, session);
    if (command.statistics) return run_statistics(command, session);
    if (!command.vectors.empty()) return run_vectors(command, session);
    const auto start = std::chrono::steady_clock::now();
    if (command.force && !command.install && command.word_vectors.empty()) {
        throw InvalidArgument("--force: expected --install or --word-vectors beside it");
    }
    const Settings settings = adopt_settings(command);
    if (command.install && !command.word_vectors.empty() && command.config.empty()) {
        throw InvalidArgument(
            "--install: expected --config with a model that has a ranker word-vectors");
    }
    if (command.install && settings.model == FusionModel{}) {
        throw InvalidArgument("--install: " + command.config + " has no model");
    }
    if (command.install) check_fields(command, settings.model);
    const std::vector<AdoptedModel> models =
        adopt_topics(command.databases, options_of(command, settings, session));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    session.finish();
    for (const AdoptedModel& model : models) session.note(adoption_in_words(model));
    session.note(fmt::format("done in {:.2f} s", seconds.count()));
    nlohmann::ordered_json summary = adoption_in_json(models, seconds.count());
    if (command.install) {
        summary["ranking"] = install_by_evidence(install_request(command, settings), session);
    } else {
        note_how_to_rank(command, settings, session);
    }
    if (command.json) print_json(summary);
    return kDone;
}

void add_adopt_options(CLI::App& app, AdoptCommand& command) {
    add_value(app, "--db", command.databases, "DB",
              "Database folder; repeat for shards that are searched as one")
        ->required();
    add_value(app, "--config,-c", command.config, "CONFIG",
              "Configuration: a file or a preset [standard]");
    add_value(app, "--topics,-t", command.topics, "MODELS",
              "Topic models with their dimensions, such as lsa:200,ldi:100,plsi:auto; auto "
              "alone is lsa:auto [the configuration's]");
    add_value(app, "--sidecar", command.sidecar, "DIR",
              "Write into a sidecar in this folder and leave the database as it is");
    add_value(app, "--id", command.id, "WHERE",
              "Where document names are stored: term:PREFIX, value:SLOT, data or docid; the "
              "database remembers it");
    add_value(app, "--stemmer", command.stemmer, "LANGUAGE",
              "Stemmer of a database written by another program [english]");
    add_value(app, "--clusters", command.clusters, "N",
              "Also group documents into this many clusters, for --candidates hybrid; each "
              "document gets a boolean term (XBRAID...)");
    app.add_flag("--install", command.install,
                 "Rank by the configuration's model [standard, else fast] from now on, if it finds "
                 "the database's own documents as well as the current ranking does");
    CLI::Option* queries =
        add_value(app, "--queries", command.queries, "FILE",
                  "Queries; their judgements choose the dimensions given as auto");
    CLI::Option* judgements =
        add_value(app, "--qrels", command.judgements, "FILE", "Judgements of --queries")
            ->needs(queries);
    queries->needs(judgements);
    app.add_flag("--retrain", command.retrain, "Learn existing topic models anew");
    add_value(app, "--threads", command.threads, "N", "Number of threads [one per core]");
    add_value(app, "--batch", command.batch, "N", "Documents per commit [10000]")
        ->check(CLI::Range(std::size_t{1}, std::size_t{IndexSettings::kMaxBatch}));
    app.add_flag("--json", command.json, "Print a summary as JSON on standard output");
}

void add_vector_options(CLI::App& app, AdoptCommand& command) {
    CLI::Option* vectors = add_value(app, "--vectors", command.vectors, "[NAME=]FILE",
                                     "Document vectors (.npy or JSON lines), called NAME in "
                                     "models [vectors]; no topics are learned");
    for (const char* learning : {"--config", "--topics", "--clusters", "--queries", "--retrain",
                                 "--stemmer", "--threads", "--install"}) {
        vectors->excludes(learning);
    }
    add_value(app, "--word-vectors", command.word_vectors, "[NAME=]FILE",
              "Word vectors, a text file of GloVe, word2vec or fastText (.vec), called NAME "
              "in models [word-vectors]")
        ->excludes(vectors);
    app.add_flag("--force", command.force,
                 "With --install: install without measuring. With --word-vectors: accept a file "
                 "that has fewer than 20 % of the database's words");
    CLI::Option* statistics = app.add_flag("--statistics", command.statistics,
                                           "Write only the documents' records, which tfidf-cosine, "
                                           "lm-absdiscount and rankers of one field need");
    for (const char* other :
         {"--config", "--topics", "--clusters", "--queries", "--retrain", "--stemmer", "--threads",
          "--install", "--sidecar", "--id", "--vectors", "--word-vectors"}) {
        statistics->excludes(other);
    }
    add_value(app, "--ids", command.ids, "FILE", "Document names for --vectors, one per line")
        ->needs(vectors);
    app.add_option("--vector-coding", command.coding,
                   "How the vectors' components are stored [8bit]")
        ->check(CLI::IsMember({"8bit", "f16", "f32"}))
        ->needs(vectors);
}

}  // namespace

void add_adopt(CLI::App& app, Session& session) {
    CLI::App* sub = app.add_subcommand("adopt", "Learn topic models from a database's own words");
    const auto command = std::make_shared<AdoptCommand>();
    add_adopt_options(*sub, *command);
    add_vector_options(*sub, *command);
    add_limits(*sub, session, {"line", "dimensions", "topics"});
    add_message_flags(*sub, session);
    sub->footer(kAdoptFooter);
    set_action(*sub, session, command, run_adopt);
}

}  // namespace braid::cli
