// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/rebuild.h"

#include <vector>

#include "braid/cli/options/topic_options.h"
#include "braid/core/base/error.h"
#include "braid/indexer/documents/database_writer.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::cli {

std::optional<FusionModel> former_ranking(const std::string& database, const WarningSink& warn) {
    if (look_at(database) != DatabasePlace::kDatabase) return std::nullopt;
    try {
        return read_databases(
            {{database}}, "attempts to read its installed model",
            [](const OpenedDatabases& opened) { return load_fusion_model(opened.database); });
    } catch (const Error& error) {
        warn("the database is rebuilt without its installed model, which can't be read: " +
             std::string(error.what()));
        return std::nullopt;
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

void keep_ranking(const std::string& folder, FusionModel former, const Session& session,
                  const WarningSink& warn) {
    const Xapian::Database database = open_databases({folder});
    if (load_fusion_model(database)) return;
    for (const TopicModelIdentity& rebuilt : load_topic_catalogue(database)) {
        for (TopicModelIdentity& model : former.provenance.topic_models) {
            if (model.name == rebuilt.name) model = rebuilt;
        }
    }
    try {
        install_ranking({folder}, former, session);
    } catch (const Error& error) {
        warn("the database is rebuilt without its installed model (" + in_words(former) +
             "): " + error.what());
    }
}

}  // namespace braid::cli
