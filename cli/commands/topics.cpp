// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/output/output.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/indexer/formats/vector_reader.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::cli {
namespace {

struct TopicsCommand {
    std::vector<std::string> databases;
    std::string sidecar;
    std::string name;
    std::string remove;
    std::string exported;  ///< .npy file for the documents' vectors; "": none.
    std::string ids;       ///< File for their names; "": none.
    std::size_t topics = 10;
    std::size_t words = 8;
    bool all = false;
    bool json = false;
};

constexpr char kTopicsFooter[] = R"(
Shows for each model: its training data and date, how many documents have a vector, how many were
folded in after training, the share of unknown words, and whether to retrain. Then it shows the
largest topics: each topic's share, its coherence and its words. Coherence is the normalised pointwise
mutual information of the words, from -1 to 1; for lsa, of the words on one side. If a model has
several chains, only the first one's topics are shown, as all find the same. Unknown words are stop
words, words in too few documents, and new words.

Examples:
  braid topics --db packages.db
  braid topics --db packages.db --model ldi --all --words 15
  braid topics --db packages.db --remove ldi
  braid topics --db packages.db --model lsa --export lsa.npy --ids lsa.ids

--export writes the documents' vectors, scaled to length 1, for NumPy: a row of float32 for each
document, in docid order, zeros for a document without a vector. --ids writes the documents' names, one
a line. `braid adopt --vectors NAME=lsa.npy --ids lsa.ids` reads both.)";

const char* name_of(VectorCoding coding) {
    constexpr const char* kNames[] = {"s8", "u8", "f16", "f32"};
    return kNames[static_cast<std::size_t>(coding)];
}

std::string age_of(std::uint64_t then) {
    const auto now = static_cast<std::uint64_t>(std::time(nullptr));
    const std::uint64_t seconds = now > then ? now - then : 0;
    const auto count = [](std::uint64_t number, const char* unit) {
        return fmt::format("{} {}{} ago", number, unit, number == 1 ? "" : "s");
    };
    if (seconds < 120) return "just now";
    if (seconds < 7200) return count(seconds / 60, "minute");
    if (seconds < 2 * 86400) return count(seconds / 3600, "hour");
    return count(seconds / 86400, "day");
}

std::string date_of(std::uint64_t seconds) {
    return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// How many independent models one is made of, whose topics stand one after the other.
std::size_t chains_of(const TopicModelHeader& header) {
    const bool has_chains = header.model == "lda" || header.model == "ldi";
    if (!has_chains || header.folding.empty()) return 1;
    // A damaged record may have any number there.
    const double chains = header.folding[0];
    const bool is_possible = chains >= 1 && chains <= static_cast<double>(header.dimensions);
    return is_possible ? static_cast<std::size_t>(chains) : 1;
}

// Places of the topics to show, among the first `among`, of largest share first.
std::vector<std::size_t> shown_topics(const TopicSummary& summary, std::size_t count,
                                      std::size_t among) {
    std::vector<std::size_t> order(among);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return summary.topics[a].share > summary.topics[b].share;
    });
    order.resize(std::min(count, order.size()));
    return order;
}

double mean_of(const std::vector<double>& values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void print_topics(const TopicState& state, const TopicSummary& summary,
                  const TopicsCommand& command) {
    const TopicRecord& record = state.record;
    const std::size_t chains = chains_of(record.header);
    const bool near = record.header.model == kNeighboursModel;
    print_formatted("{}: {} of {} {}", record.name, record.header.model, record.header.dimensions,
                    near ? "documents for each" : "dimensions");
    if (chains > 1) {
        print_formatted(" ({} chains of {} topics)", chains, record.header.dimensions / chains);
    }
    print_formatted(", id {}\n", state.identity.id);
    const bool given = !has_words(record);
    if (near) {
        print_formatted("  found       {} ({}), for {} documents\n", date_of(record.trained_at),
                        age_of(record.trained_at), record.documents);
    } else if (given) {
        print_formatted("  given       {} ({}), {} vectors\n", date_of(record.trained_at),
                        age_of(record.trained_at), record.documents);
    } else {
        print_formatted("  trained     {} ({}), on {} documents, {} {}\n",
                        date_of(record.trained_at), age_of(record.trained_at), record.documents,
                        record.vocabulary, record.form == WordForm::kStems ? "stems" : "words");
        print_formatted("  training    {} after {} iterations; {} {:.6g}\n",
                        record.training.stop_reason, record.training.iterations,
                        record.training.objective_name, record.training.objective);
    }
    if (near) {
        print_formatted("  stored      4 bytes each in value slot {}\n", record.slot);
    } else {
        print_formatted("  stored      {} a dimension in value slot {}\n", name_of(record.coding),
                        record.slot);
    }
    print_formatted("  documents   {}: {} without {}, {} stale, {} with a foreign value\n",
                    state.documents, state.missing, near ? "neighbours" : "a vector", state.stale,
                    state.foreign);
    if (!given) {
        print_formatted(
            "  folded in   {} ({:.1f} %); unknown words {:.1f} %, in training {:.1f} %\n",
            state.use.folded_documents, 100 * state.folded_share(),
            100 * state.unknown_share_since(), 100 * state.unknown_share_then());
        print_formatted("  coherence   {:.3f}\n", mean_of(summary.coherence));
    }
    for (const std::string& advice : state.advice()) print_formatted("  to do       {}\n", advice);
    // Chains find the same topics again, more or less.
    const std::size_t count = command.all ? summary.topics.size() : command.topics;
    const std::size_t among = summary.topics.size() / (command.all ? 1 : chains);
    for (const std::size_t k : shown_topics(summary, count, among)) {
        std::string words;
        for (std::size_t i = 0; i < std::min(command.words, summary.topics[k].words.size()); ++i) {
            const Topic::Word& word = summary.topics[k].words[i];
            words += fmt::format(" {}{}", word.weight < 0 ? "-" : "", word.term);
        }
        print_formatted("  {:4}  {:5.1f} %  {:6.3f} {}\n", k, 100 * summary.topics[k].share,
                        k < summary.coherence.size() ? summary.coherence[k] : 0.0, words);
    }
}

nlohmann::ordered_json to_json(const TopicState& state, const TopicSummary& summary) {
    const TopicRecord& record = state.record;
    nlohmann::ordered_json topics = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < summary.topics.size(); ++k) {
        nlohmann::ordered_json words = nlohmann::ordered_json::array();
        for (const Topic::Word& word : summary.topics[k].words) {
            words.push_back({{"word", word.term}, {"weight", word.weight}});
        }
        topics.push_back({{"topic", k},
                          {"share", summary.topics[k].share},
                          {"coherence", k < summary.coherence.size() ? summary.coherence[k] : 0.0},
                          {"words", std::move(words)}});
    }
    return {{"name", record.name},
            {"id", state.identity.id},
            {"model", record.header.model},
            {"dimensions", record.header.dimensions},
            {"slot", record.slot},
            {"coding", name_of(record.coding)},
            {"trained_at", date_of(record.trained_at)},
            {"trained_on", record.documents},
            {"vocabulary", record.vocabulary},
            {"iterations", record.training.iterations},
            {"stop_reason", record.training.stop_reason},
            {"objective",
             {{"name", record.training.objective_name}, {"value", record.training.objective}}},
            {"documents", state.documents},
            {"missing", state.missing},
            {"stale", state.stale},
            {"foreign", state.foreign},
            {"folded_in", state.use.folded_documents},
            {"folded_share", state.folded_share()},
            {"unknown_words_in_training", state.unknown_share_then()},
            {"unknown_words_since", state.unknown_share_since()},
            {"coherence", mean_of(summary.coherence)},
            {"advice", state.advice()},
            {"topics", std::move(topics)}};
}

struct ReadTopics {
    TopicModelIdentity model;
    std::optional<TopicState> state;  ///< Nothing where it is damaged.
    TopicSummary summary = {};
    std::string damage = {};
};

// Of the model of that name; "": of all. One model's damage hides no other.
std::vector<ReadTopics> read_topics(const OpenedDatabases& opened, const std::string& name) {
    const Xapian::Database& vectors =
        opened.sidecars.empty() ? opened.database : opened.sidecars.front();
    std::vector<TopicModelIdentity> models = load_topic_catalogue(vectors);
    if (!name.empty()) models = {find_topic_model(vectors, name)};
    std::vector<ReadTopics> topics;
    for (const TopicModelIdentity& model : models) {
        ReadTopics read{model, std::nullopt};
        try {
            read.summary = load_topic_summary(vectors, model.id);
            read.state = topic_state(opened.database, vectors, model);
        } catch (const FormatError& error) {
            read.damage = error.what();
        }
        topics.push_back(std::move(read));
    }
    return topics;
}

std::string damage_of(const ReadTopics& topics) {
    return fmt::format(
        "topic model {}: {}; `braid adopt --retrain` learns it anew, `braid topics "
        "--remove {}` removes it",
        topics.model.name, topics.damage, topics.model.name);
}

// The document's vector where the model keeps it: in a sidecar, or in the document.
std::string stored_vector(const OpenedDatabases& opened, Xapian::docid docid, unsigned slot) {
    if (opened.sidecars.empty()) return opened.database.get_document(docid).get_value(slot);
    const std::vector<std::string> uuids = shard_uuids(opened.database);
    const auto shards = static_cast<Xapian::docid>(uuids.size());
    const Xapian::Database* sidecar = find_sidecar(opened.sidecars, uuids[(docid - 1) % shards]);
    if (sidecar == nullptr) return "";
    try {
        return sidecar->get_document((docid - 1) / shards + 1).get_value(slot);
    } catch (const Xapian::DocNotFoundError&) {
        return "";
    }
}

struct ExportedVectors {
    std::size_t dimensions = 0;
    std::vector<float> values = {};
    std::string names = {};
    std::size_t missing = 0;
};

ExportedVectors exported_vectors(const OpenedDatabases& opened, const std::string& name) {
    const Xapian::Database& holder =
        opened.sidecars.empty() ? opened.database : opened.sidecars.front();
    const std::vector<TopicModelIdentity> models = load_topic_catalogue(holder);
    if (name.empty() && models.size() != 1) {
        throw Error(
            fmt::format("--export: the database has {} topic models, expected --model to "
                        "name one",
                        models.size()));
    }
    const TopicModelIdentity model = find_topic_model(holder, name.empty() ? models[0].name : name);
    const TopicRecord record = load_topic_record(holder, model.id);
    if (record.header.model == kNeighboursModel) {
        throw InvalidArgument(
            fmt::format("--export: {} holds documents' neighbours, which are no vectors; expected "
                        "a model of topics",
                        model.name));
    }
    const DocumentNameSource source = name_convention(opened.database);
    ExportedVectors result{.dimensions = record.header.dimensions};
    std::vector<float> row(result.dimensions);
    const auto end = opened.database.postlist_end("");
    for (auto document = opened.database.postlist_begin(""); document != end; ++document) {
        const std::string bytes = stored_vector(opened, *document, record.slot);
        const auto stored = try_open_vector(bytes, result.dimensions);
        const bool is_models = stored && stored->info.model_tag == topic_model_tag(model.id);
        std::fill(row.begin(), row.end(), 0.0F);
        if (is_models) decode_vector(*stored, row);
        if (!is_models) ++result.missing;
        result.values.insert(result.values.end(), row.begin(), row.end());
        const std::string called = document_name(opened.database.get_document(*document), source);
        result.names += (called.empty() ? std::to_string(*document) : called) + '\n';
    }
    return result;
}

int export_vectors(const TopicsCommand& command, Session& session) {
    check_writable(command.exported);
    if (!command.ids.empty()) check_writable(command.ids);
    SearchPaths paths{command.databases};
    if (!command.sidecar.empty()) paths.sidecars = {command.sidecar};
    const ExportedVectors vectors = read_databases(
        paths, "attempts to read its vectors",
        [&](const OpenedDatabases& opened) { return exported_vectors(opened, command.name); });
    write_file(command.exported, npy_text(vectors.values, vectors.dimensions));
    if (!command.ids.empty()) write_file(command.ids, vectors.names);
    session.note(fmt::format(
        "{} vectors of {} dimensions written to {}{}", vectors.values.size() / vectors.dimensions,
        vectors.dimensions, command.exported,
        vectors.missing == 0 ? "" : fmt::format("; {} documents have none", vectors.missing)));
    return kDone;
}

int run_topics(const TopicsCommand& command, Session& session) {
    if (!command.exported.empty()) return export_vectors(command, session);
    if (!command.remove.empty()) {
        remove_topic_model(command.databases, command.sidecar, command.remove, session.progress());
        session.finish();
        session.note("removed " + command.remove);
        return kDone;
    }
    SearchPaths paths{command.databases};
    if (!command.sidecar.empty()) paths.sidecars = {command.sidecar};
    const auto read = [&](const OpenedDatabases& opened) {
        return read_topics(opened, command.name);
    };
    const std::vector<ReadTopics> models =
        read_databases(paths, "attempts to read its topic models", read);
    if (models.empty() && !command.json) {
        session.note("no topic models; `braid adopt` learns one from the database's own words");
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    bool damaged = false;
    for (const ReadTopics& topics : models) {
        if (!topics.state) {
            damaged = true;
            session.warnings()(damage_of(topics));
            if (command.json) {
                list.push_back({{"name", topics.model.name},
                                {"id", topics.model.id},
                                {"damaged", topics.damage}});
            }
        } else if (command.json) {
            list.push_back(to_json(*topics.state, topics.summary));
        } else {
            print_topics(*topics.state, topics.summary, command);
        }
    }
    if (command.json) print_json(list);
    return damaged ? kFailed : kDone;
}

void add_options(CLI::App& app, TopicsCommand& command) {
    add_value(app, "--db", command.databases, "DB",
              "Database; repeat for shards that are searched as one")
        ->required();
    add_value(app, "--sidecar", command.sidecar, "DIR",
              "Sidecar folder of `braid adopt --sidecar`");
    add_value(app, "--model,-m", command.name, "NAME", "Show only this model");
    add_value(app, "--topics,-n", command.topics, "N",
              "Number of topics to show, largest first [10]");
    app.add_flag("--all", command.all, "Show all topics of all chains");
    add_value(app, "--words", command.words, "N",
              "Number of words to show for each topic, up to 20 [8]");
    CLI::Option* remove =
        add_value(app, "--remove", command.remove, "NAME", "Remove this topic model");
    CLI::Option* exported =
        add_value(app, "--export", command.exported, "FILE.npy",
                  "Write the vectors of all documents to this .npy file and print nothing")
            ->excludes(remove);
    add_value(app, "--ids", command.ids, "FILE",
              "Write the documents' names to this file, in the same order")
        ->needs(exported);
    CLI::Option* json = app.add_flag("--json", command.json, "Print JSON");
    for (const char* shown : {"--topics", "--all", "--words"}) {
        app.get_option(shown)->excludes(exported);
    }
    json->excludes(exported);
}

}  // namespace

void add_topics(CLI::App& app, Session& session) {
    CLI::App* sub = app.add_subcommand("topics", "Show the topic models in a database");
    const auto command = std::make_shared<TopicsCommand>();
    add_options(*sub, *command);
    sub->add_flag("--quiet,-q", session.quiet, "Hide progress and notes");
    sub->footer(kTopicsFooter);
    set_action(*sub, session, command, run_topics);
}

}  // namespace braid::cli
