// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/features.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/table_file.h"

namespace braid {
namespace {

// Opens all before `change` writes to one, and commits.
void change_all(const std::vector<std::string>& databases,
                const std::function<void(Xapian::WritableDatabase&)>& change) {
    std::vector<Xapian::WritableDatabase> opened;
    opened.reserve(databases.size());
    for (const std::string& spec : databases) {
        opened.push_back(wait_for_lock(kLockPatienceAfter, [&] { return open_for_writing(spec); }));
    }
    for (Xapian::WritableDatabase& database : opened) change(database);
    for (std::size_t i = 0; i < opened.size(); ++i) {
        try {
            opened[i].commit();
        } catch (const Xapian::Error& error) {
            throw Error(explain(error, databases[i]));
        }
    }
    opened.clear();  // The locks.
    write_table_files(databases, TableFiles::kRenew);
}

// A damaged list is no reason against a new model: it begins anew. A newer Braid's stays as it is.
InstalledModels readable_list(const Xapian::Database& database) {
    try {
        return load_installed_models(database);
    } catch (const NewerFormat&) {
        throw;
    } catch (const FormatError&) {
        return {};
    }
}

void use_topics_of(const Xapian::Database& database, FusionModel& model) {
    const std::vector<TopicModelIdentity> there = load_topic_catalogue(database);
    const auto find = [&](const std::string& name) {
        return std::find_if(there.begin(), there.end(),
                            [&](const auto& topics) { return topics.name == name; });
    };
    for (const RankerSpec& spec : model.rankers) {
        const std::string name = topic_model_of(spec);
        if (name.empty() || !(spec.weight > 0) || find(name) != there.end()) continue;
        throw ModelMismatch(fmt::format(
            "the ranking before needs the topic model {} for {}, which is no longer there", name,
            spec.label()));
    }
    for (TopicModelIdentity& used : model.provenance.topic_models) {
        const auto found = find(used.name);
        if (found != there.end()) used.id = found->id;
    }
}

}  // namespace

void install_model(const std::vector<std::string>& databases, const FusionModel& model,
                   InstalledModel record) {
    record.time = static_cast<std::uint64_t>(clock_time());
    record.model = model;
    change_all(databases, [&](Xapian::WritableDatabase& database) {
        std::vector<InstalledModel> list = readable_list(database).list;
        // Installed again, it stands there once: what was before it is another ranking.
        if (!list.empty() && is_same_ranking(list.back().model, model)) list.pop_back();
        list.push_back(record);
        store_fusion_model(database, model);
        store_installed_models(database, std::move(list));
    });
}

std::optional<InstalledModel> undo_install(const std::vector<std::string>& databases) {
    InstalledModels before = load_installed_models(open_databases({databases.front()}));
    if (before.list.empty()) {
        throw Error(fmt::format("{}: no model was installed, so there is nothing to undo",
                                databases.front()));
    }
    if (before.ranks) before.list.pop_back();
    if (!before.list.empty()) {
        use_topics_of(open_databases({databases.front()}), before.list.back().model);
    }
    change_all(databases, [&](Xapian::WritableDatabase& database) {
        if (before.list.empty()) {
            remove_fusion_model(database);
        } else {
            store_fusion_model(database, before.list.back().model);
        }
        store_installed_models(database, before.list);
    });
    if (before.list.empty()) return std::nullopt;
    return std::move(before.list.back());
}

void check_installable(const std::vector<std::string>& databases) {
    for (const std::string& spec : databases) {
        wait_for_lock(kLockPatienceBefore, [&] { open_for_writing(spec); });
    }
}

}  // namespace braid
