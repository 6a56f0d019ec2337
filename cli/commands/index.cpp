// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/index.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/adopt.h"
#include "braid/cli/options/command.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/topic_options.h"
#include "braid/cli/output/output.h"
#include "braid/config.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::cli {
namespace {

struct IndexCommand {
    std::string database;
    std::vector<std::string> inputs;
    std::string config;
    std::string format;
    std::optional<std::string> stemmer;
    std::optional<std::string> stop_words;
    std::optional<std::size_t> batch;
    std::string id_field;
    std::vector<std::string> id_prefix;
    std::string delimiter;
    std::vector<std::string> columns;
    std::optional<std::string> topics;
    bool rebuild = false;
    bool json = false;
};

constexpr char kIndexFooter[] = R"(
A document replaces the one with the same name, so the same command run again updates a database. Run
again after Ctrl-C, a full disk or a crash, it resumes. An existing database keeps its settings; other
settings are refused without --rebuild.

Examples:
  braid index --db packages.db /var/lib/apt/lists/*_Packages
  braid index --db mail.db --config mail messages.jsonl.gz
  braid index --db cran.db --stop-words smart.571 --format smart cran.all.1400
  braid index --db packages.db --topics lsa:100 /var/lib/apt/lists/*_Packages
  braid index --db all --id-prefix med: MED.ALL.gz
  zcat log.jsonl.gz | braid index --db log.db --format jsonl -)";

std::string format_names() {
    std::string names;
    for (const DocumentFormat& format : document_formats()) {
        names += (names.empty() ? "" : ", ") + format.name;
    }
    return names;
}

std::optional<IndexSettings> stored_settings(const IndexCommand& command) {
    try {
        return read_databases(
            {{command.database}}, "attempts to read its settings",
            [](const OpenedDatabases& opened) { return load_index_settings(opened.database); });
    } catch (const FormatError& error) {
        if (!command.rebuild) throw;
        throw Error(std::string(error.what()) +
                    "; give the settings to rebuild it by (--config, or --config standard)");
    }
}

// What the configuration says, or else the database that is there, or else the defaults; then what
// the command line says.
IndexSettings settings_for(const IndexCommand& command) {
    IndexSettings settings;
    if (!command.config.empty()) {
        settings = load_settings(command.config).index;
    } else if (look_at(command.database) == DatabasePlace::kDatabase) {
        if (const auto stored = stored_settings(command)) settings = *stored;
    }
    if (command.stemmer) settings.analysis.stemmer = *command.stemmer;
    if (command.stop_words) {
        settings.analysis.stop_words = *command.stop_words;
        settings.analysis.stop_list.clear();
    }
    if (command.batch) settings.batch = *command.batch;
    return settings;
}

// Of all inputs; 0 where that can't be told beforehand.
std::uint64_t total_bytes(const std::vector<std::string>& inputs) {
    std::uint64_t total = 0;
    for (const std::string& input : inputs) {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(input, error);
        if (error) return 0;
        total += size;
    }
    return total;
}

std::string counts_in_words(const IndexCounts& counts, double seconds, std::uint64_t warnings) {
    std::string text =
        fmt::format("{} documents in {:.2f} s ({:.0f} a second): {} added", counts.read(), seconds,
                    static_cast<double>(counts.read()) / seconds, counts.added);
    const auto append = [&](std::uint64_t count, const char* what) {
        if (count > 0) text += fmt::format(", {} {}", count, what);
    };
    append(counts.replaced, "replaced");
    append(counts.unchanged, "unchanged");
    append(counts.duplicates, "of a name that came before");
    append(counts.unnamed, "named by file and line");
    append(counts.wordless, "without words");
    append(warnings, warnings == 1 ? "warning" : "warnings");
    return text;
}

nlohmann::ordered_json counts_in_json(const IndexCounts& counts, double seconds,
                                      std::uint64_t warnings) {
    return {{"documents", counts.read()},
            {"added", counts.added},
            {"replaced", counts.replaced},
            {"unchanged", counts.unchanged},
            {"duplicates", counts.duplicates},
            {"unnamed", counts.unnamed},
            {"wordless", counts.wordless},
            {"warnings", warnings},
            {"seconds", seconds}};
}

// The topic models that the database is to have: --topics, or the configuration's.
std::vector<TopicSettings> topics_of(const IndexCommand& command) {
    std::vector<TopicSettings> configured;
    if (!command.config.empty()) configured = load_settings(command.config).topics;
    return command.topics ? parse_topics(*command.topics, configured) : configured;
}

// Learns what the database in `folder` lacks; documents that came in with a model there have their
// vectors.
void learn_topics(const IndexCommand& command, const std::string& folder,
                  const std::vector<TopicSettings>& topics, Session& session) {
    AdoptOptions options;
    options.models = topics;
    if (command.batch) options.batch = *command.batch;
    options.progress = session.progress();
    options.warn = session.warnings();
    const std::vector<AdoptedModel> models = adopt_topics({folder}, options);
    session.finish();
    for (const AdoptedModel& model : models) session.note(adoption_in_words(model));
}

// The configuration's model ranks a database that has none. One that was installed there stays,
// since it may have been learned.
void keep_model_of_config(const IndexCommand& command, const std::string& folder,
                          const Session& session) {
    if (command.config.empty()) return;
    const FusionModel model = load_settings(command.config).model;
    if (model == FusionModel{}) return;
    const auto installed = load_fusion_model(open_databases({folder}));
    if (installed && in_words(*installed) == in_words(model)) return;
    if (installed) {
        session.note(fmt::format(
            "the database keeps its ranking, {}, and not that of {}; `braid adopt --db {} --config "
            "{} --install` changes it",
            in_words(*installed), command.config, command.database, command.config));
        return;
    }
    try {
        install_ranking({folder}, model, {.by = "braid index"}, session);
    } catch (const ModelMismatch& error) {
        session.note(
            fmt::format("the database is not ranked as {} says: {}", command.config, error.what()));
    }
}

int run_index(const IndexCommand& command, Session& session) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t warnings = 0;
    const WarningSink print_warning = session.warnings();
    const WarningSink warn = [&](const std::string& message) {
        ++warnings;
        print_warning(message);
    };
    if (!command.config.empty()) session.use_limits(load_settings(command.config).limits);
    ReaderOptions reading;
    reading.max_record = session.limits.record;
    reading.warn = warn;
    reading.id_field = command.id_field;
    if (!command.id_prefix.empty()) reading.id_prefix = command.id_prefix[0];
    if (!command.delimiter.empty()) reading.delimiter = command.delimiter[0];
    reading.columns = command.columns;
    const std::vector<TopicSettings> topics = topics_of(command);
    check_dimensions(topics, session.limits);
    std::vector<InstalledModel> former;
    if (command.rebuild) former = former_rankings(command.database, warn);
    if (command.rebuild && topics.empty()) warn_of_lost_topics(command.database, warn);
    // Inputs first: a mistyped one leaves no empty database behind.
    const auto reader = open_documents(command.inputs, command.format, reading);
    Indexer indexer(command.database, settings_for(command),
                    {.progress = session.progress(),
                     .warn = warn,
                     .total_bytes = total_bytes(command.inputs),
                     .rebuild = command.rebuild});
    indexer.add(*reader);
    const IndexCounts& read = indexer.counts();
    if (read.read() == 0) warn("no document in the input");
    // Changed documents come among unchanged ones; another collection with the same ids does not.
    if (read.replaced > 1 && 2 * read.replaced > read.read() && read.unchanged == 0) {
        warn(fmt::format(
            "{} of {} documents replaced others of the same ids; if these are of another "
            "collection, give it a database of its own (--db) or other ids (--id-prefix, "
            "--id-field)",
            read.replaced, read.read()));
    }
    indexer.finish([&](const std::string& folder) {
        const IndexCounts& counts = indexer.counts();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        session.finish();
        session.note(counts_in_words(counts, seconds.count(), warnings));
        if (command.json) print_json(counts_in_json(counts, seconds.count(), warnings));
        if (!topics.empty()) learn_topics(command, folder, topics, session);
        keep_model_of_config(command, folder, session);
        keep_ranking(folder, former, session, warn);
    });
    return kDone;
}

std::string check_delimiter(const std::string& text) {
    return text.size() == 1 ? "" : "one character, such as ';' (found '" + text + "')";
}

void add_index_options(CLI::App& app, IndexCommand& command) {
    add_value(app, "--db", command.database, "DB", "Database folder, created if absent")
        ->required();
    add_value(app, "--config,-c", command.config, "CONFIG", "Configuration: a file or a preset");
    add_value(app, "--format,-f", command.format, "F", "Input format [guessed]: " + format_names());
    add_value(app, "--stemmer", command.stemmer, "LANGUAGE",
              "Language of the stemmer, or none [the configuration's, else english]");
    add_value(app, "--stop-words", command.stop_words, "WORDS",
              "Stop words: none, english, or a file with one word a line [the "
              "configuration's, else english]");
    add_value(app, "--batch", command.batch, "N",
              "Documents per commit [the configuration's, else 10000]");
    add_value(app, "--id-field", command.id_field, "FIELD",
              "Field with the document's name, for jsonl and csv [guessed]");
    add_id_prefix(app, command.id_prefix,
                  "Prefix of every document's name, such as med:, to index several collections "
                  "into one database");
    add_value(app, "--delimiter", command.delimiter, "CHAR", "Column separator, for csv [guessed]")
        ->check(check_delimiter);
    add_value(app, "--columns", command.columns, "NAMES",
              "Column names, comma-separated, for csv without a header")
        ->delimiter(',');
    add_value(app, "--topics,-t", command.topics, "MODELS",
              "Then learn these topic models, such as lsa:200,ldi:100, or auto [the "
              "configuration's, else none]");
    app.add_flag("--rebuild", command.rebuild,
                 "Rebuild the database; searches use the old one until the new one is complete");
    app.add_flag("--json", command.json, "Print a summary as JSON on standard output");
    add_value(app, "INPUT", command.inputs, "",
              "Files (gzip or not), folders, or - for standard input")
        ->required();
}

}  // namespace

void add_index(CLI::App& app, Session& session) {
    CLI::App* sub = app.add_subcommand("index", "Build a database from documents, or extend one");
    const auto command = std::make_shared<IndexCommand>();
    add_index_options(*sub, *command);
    add_limits(*sub, session, {"record", "topics"});
    add_message_flags(*sub, session);
    sub->footer(kIndexFooter);
    set_action(*sub, session, command, run_index, [](const IndexCommand& given) {
        if (given.id_prefix.size() > 1) {
            throw CLI::ValidationError("--id-prefix is given twice, expected one for all inputs");
        }
    });
}

}  // namespace braid::cli
