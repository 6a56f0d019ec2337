// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/database_conventions.h"

#include <utility>

#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/terms.h"

namespace braid {
namespace {

bool has_prefix(const Xapian::Database& database, const std::string& prefix) {
    return database.allterms_begin(prefix) != database.allterms_end(prefix);
}

}  // namespace

IndexSettings search_conventions(const Xapian::Database& database) {
    if (auto kept = load_index_settings(database)) return std::move(*kept);
    IndexSettings settings;
    if (!has_prefix(database, "Z")) {
        settings.analysis.stemming = AnalysisSettings::Stemming::kNone;
    }
    return settings;
}

DocumentNameSource name_convention(const Xapian::Database& database) {
    if (auto kept = load_document_names(database)) return *kept;
    if (has_prefix(database, kIdPrefix)) {
        return {.kind = DocumentNameSource::Kind::kTerm, .prefix = kIdPrefix};
    }
    return {};
}

std::optional<ShardState> state_of(const Xapian::Database& shard) {
    try {
        ShardState state{shard.get_uuid(), shard.get_revision()};
        if (!state.uuid.empty()) return state;
    } catch (const Xapian::UnimplementedError&) {
    } catch (const Xapian::InvalidOperationError&) {
    }
    return std::nullopt;
}

}  // namespace braid
