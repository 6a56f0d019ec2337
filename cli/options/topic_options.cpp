// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/topic_options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/topics/word_vectors.h"
#include "braid/error.h"
#include "braid/features.h"
#include "braid/indexer/documents/database_writer.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::cli {
namespace {

std::size_t parse_dimensions(const std::string& model, const std::string& text) {
    if (text == "auto") return TopicSettings::kAutomatic;
    std::size_t dimensions = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dimensions);
    if (error != std::errc() || end != text.data() + text.size() || dimensions == 0 ||
        dimensions > TopicSettings::kMaxDimensions) {
        throw InvalidArgument(
            fmt::format("topics {}: found {} dimensions, expected 1 to {} or auto", model, text,
                        TopicSettings::kMaxDimensions));
    }
    return dimensions;
}

TopicSettings parse_one(const std::string& text, const std::vector<TopicSettings>& configured) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    TopicSettings settings;
    bool found = false;
    for (const TopicSettings& candidate : configured) {
        if (candidate.label() != name) continue;
        settings = candidate;
        found = true;
    }
    if (!found && name == kNeighboursModel) {
        settings.model = name;
        settings.dimensions = kUsualNeighbours;
    } else if (!found) {
        settings.model = name == kWordVectorsModel ? name : topic_models().find(name).name;
    }
    if (colon != std::string::npos) {
        settings.dimensions = parse_dimensions(name, text.substr(colon + 1));
    }
    return settings;
}

}  // namespace

std::vector<TopicSettings> parse_topics(const std::string& text,
                                        const std::vector<TopicSettings>& configured) {
    std::vector<TopicSettings> models;
    std::istringstream in(text == "auto" ? "lsa:auto" : text);
    for (std::string part; std::getline(in, part, ',');) {
        models.push_back(parse_one(part, configured));
    }
    if (text.empty() || text.back() == ',') {
        throw InvalidArgument("topics: found '" + text + "', expected MODEL[:DIMENSIONS],...");
    }
    validate(models);
    return models;
}

void check_dimensions(const std::vector<TopicSettings>& models, const Limits& limits) {
    for (const TopicSettings& model : models) {
        if (model.dimensions <= limits.topics) continue;
        throw InvalidArgument(
            fmt::format("topics {}: found {} dimensions, expected at most {}, which is the limit "
                        "'topics'",
                        model.label(), model.dimensions, limits.topics));
    }
}

std::string adoption_in_words(const AdoptedModel& model) {
    const TopicRecord& record = *model.record;
    std::string text = fmt::format("{}: ", record.name);
    if (model.trained) {
        if (record.header.model == kNeighboursModel) {
            text += fmt::format("the {} nearest of each of {} documents", record.header.dimensions,
                                record.documents);
        } else if (record.header.model == kWordVectorsModel) {
            text += fmt::format("{} dimensions of {} words, {:.1f} % of those that occur",
                                record.header.dimensions, record.vocabulary, 100 * model.coverage);
        } else {
            text += fmt::format("{} dimensions learned from {} documents and {} words",
                                record.header.dimensions, record.documents, record.vocabulary);
        }
        if (!model.replaced.empty()) text += ", in place of the model before";
    } else {
        text += "kept as it was";
    }
    if (!model.tried.empty()) {
        text += "; tried";
        for (const DimensionTrial& trial : model.tried) {
            text += fmt::format(" {}: {:.4f}", trial.dimensions, trial.score);
        }
        text += fmt::format(" ({})", model.tried.front().criterion);
    }
    text += fmt::format("; {} of {} documents given {}", model.written, model.documents,
                        record.header.model == kNeighboursModel ? "theirs" : "a vector");
    if (model.folded > 0) text += fmt::format(", {} of them folded in", model.folded);
    return text;
}

nlohmann::ordered_json adoption_in_json(const std::vector<AdoptedModel>& models, double seconds) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const AdoptedModel& model : models) {
        nlohmann::ordered_json tried = nlohmann::ordered_json::array();
        for (const DimensionTrial& trial : model.tried) {
            tried.push_back({{"dimensions", trial.dimensions},
                             {"score", trial.score},
                             {"criterion", trial.criterion}});
        }
        list.push_back({{"name", model.identity.name},
                        {"id", model.identity.id},
                        {"model", model.record->header.model},
                        {"dimensions", model.record->header.dimensions},
                        {"trained", model.trained},
                        {"trained_on", model.record->documents},
                        {"vocabulary", model.record->vocabulary},
                        {"documents", model.documents},
                        {"written", model.written},
                        {"coverage", model.coverage},
                        {"folded_in", model.folded},
                        {"replaced", model.replaced},
                        {"tried", std::move(tried)}});
    }
    return {{"topics", std::move(list)}, {"seconds", seconds}};
}

void install_ranking(const std::vector<std::string>& targets, const FusionModel& model,
                     const InstalledModel& record, const Session& session) {
    const std::vector<TopicModelIdentity> there =
        load_topic_catalogue(open_databases({targets.front()}));
    for (const RankerSpec& spec : model.rankers) {
        const std::string name = topic_model_of(spec);
        const bool is_there =
            name.empty() ||
            std::any_of(there.begin(), there.end(), [&](auto& one) { return one.name == name; });
        if (is_there || !(spec.weight > 0)) continue;
        throw ModelMismatch(fmt::format(
            "{} needs the topic model {}, which {} lacks; expected it among --topics, or another "
            "--config",
            spec.label(), name, targets.front()));
    }
    install_model(targets, model, record);
    session.note("searches now rank by " + in_words(model));
}

std::string in_words(const FusionModel& model) {
    std::string rankers;
    for (const RankerSpec& spec : model.rankers) {
        if (!(spec.weight > 0)) continue;
        rankers +=
            fmt::format("{}{:g} {}", rankers.empty() ? "" : " + ", spec.weight, spec.label());
    }
    const bool is_sum = model.function == FunctionForm{};
    return is_sum ? rankers : fmt::format("{} of {}", model.function.form, rankers);
}

std::vector<InstalledModel> former_rankings(const std::string& database, const WarningSink& warn) {
    if (look_at(database) != DatabasePlace::kDatabase) return {};
    try {
        return read_databases(
            {{database}}, "attempts to read its installed model",
            [](const OpenedDatabases& opened) {
                InstalledModels installed = load_installed_models(opened.database);
                return installed.ranks ? std::move(installed.list) : std::vector<InstalledModel>{};
            });
    } catch (const Error& error) {
        warn("the database is rebuilt without its installed model, which can't be read: " +
             std::string(error.what()));
        return {};
    }
}

void warn_of_lost_topics(const std::string& database, const WarningSink& warn) {
    if (look_at(database) != DatabasePlace::kDatabase) return;
    std::string names;
    try {
        const auto models = read_databases(
            {{database}}, "attempts to read its topic models",
            [](const OpenedDatabases& opened) { return load_topic_catalogue(opened.database); });
        if (models.empty()) return;
        for (const TopicModelIdentity& model : models) names += " " + model.name;
    } catch (const FormatError& error) {
        names = ", whose list can't be read (" + std::string(error.what()) + ")";
    }
    warn("the database is rebuilt without its topic models" + names +
         "; --topics learns them anew");
}

namespace {

void keep_list(const std::string& folder, const std::vector<InstalledModel>& models) {
    Xapian::WritableDatabase rebuilt = open_for_writing(folder);
    store_installed_models(rebuilt, models);
    rebuilt.commit();
}

}  // namespace

void keep_ranking(const std::string& folder, std::vector<InstalledModel> former,
                  const Session& session, const WarningSink& warn) {
    if (former.empty()) return;
    const Xapian::Database database = open_databases({folder});
    if (load_fusion_model(database)) {  // The configuration's.
        std::vector<InstalledModel> own = load_installed_models(database).list;
        former.insert(former.end(), std::make_move_iterator(own.begin()),
                      std::make_move_iterator(own.end()));
        keep_list(folder, former);
        return;
    }
    FusionModel& last = former.back().model;
    for (const TopicModelIdentity& rebuilt : load_topic_catalogue(database)) {
        for (TopicModelIdentity& model : last.provenance.topic_models) {
            if (model.name == rebuilt.name) model = rebuilt;
        }
    }
    try {
        install_ranking({folder}, last, {.by = former.back().by}, session);
        keep_list(folder, former);
    } catch (const Error& error) {
        warn("the database is rebuilt without its installed model (" + in_words(last) +
             "): " + error.what());
    }
}

}  // namespace braid::cli
