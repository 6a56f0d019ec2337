// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/settings.h"

namespace braid {

/// Stores a database's index settings in it (metadata key kIndexSettingsKey; bytes in
/// docs/formats.md), with the stop words rather than their file's path. `batch` isn't a property of
/// the database and isn't stored.

/// Takes effect at the next commit. Throws Error where the stop words can't be read.
BRAID_API void store_index_settings(Xapian::WritableDatabase& database,
                                    const IndexSettings& settings);

/// Empty for a database that Braid didn't write. Throws FormatError with the key for a value that
/// is truncated, foreign or of a newer version.
BRAID_API std::optional<IndexSettings> load_index_settings(const Xapian::Database& database);

/// Serialises and parses the stored bytes. `where` names their source in messages.
BRAID_API std::string serialise(const IndexSettings& settings);
IndexSettings parse_index_settings(std::string_view bytes, const std::string& where);

/// What a stemmer made of a fixed list of words when words of a database were made.
struct StemmerMark {
    std::string stemmer;
    std::uint64_t stems = 0;  ///< A hash of the list's stems.
    std::string xapian;       ///< Xapian's version then.

    bool operator==(const StemmerMark&) const = default;
};

/// This Xapian's. `stemmer` is a language, as for make_stemmer.
StemmerMark stemmer_mark(const std::string& stemmer);

/// Records what the stemmer makes here, unless there is a record of a stemmer of that name: the
/// first words count. Takes effect at the next commit; nothing for "none".
BRAID_API void store_stemmer(Xapian::WritableDatabase& database, const std::string& stemmer);

/// Metadata key kStemmersKey. Throws as load_index_settings.
BRAID_API std::vector<StemmerMark> load_stemmers(const Xapian::Database& database);
void store_stemmers(Xapian::WritableDatabase& database, const std::vector<StemmerMark>& marks);

/// The installed model of `database`, else of the first of its sidecars.
BRAID_API std::optional<FusionModel> load_fusion_model(
    const Xapian::Database& database, const std::vector<Xapian::Database>& sidecars);

/// Takes effect at the next commit. Any model that Searcher ranks by, in one pass or two. Throws as
/// `validate` and `model_function` do, and ModelMismatch for rankers that are features of files and
/// for weights that depend on features of the query. A WritableDatabase of several shards must be
/// written shard by shard.
BRAID_API void store_fusion_model(Xapian::WritableDatabase& database, const FusionModel& model);

/// Whether they rank alike, with topic models learned anew or not.
BRAID_API bool is_same_ranking(const FusionModel& one, const FusionModel& other);

/// Keeps the list of installed models; of more than kMostInstalled the earliest are dropped. Takes
/// effect at the next commit.
BRAID_API void store_installed_models(Xapian::WritableDatabase& database,
                                      std::vector<InstalledModel> models);
inline constexpr std::size_t kMostInstalled = 20;

/// The bytes of that list. `where` names their source in messages.
BRAID_API std::string serialise(const std::vector<InstalledModel>& models);
BRAID_API std::vector<InstalledModel> parse_installed_models(std::string_view bytes,
                                                             const std::string& where);

/// Without an installed model, a database is ranked by BM25.
BRAID_API void remove_fusion_model(Xapian::WritableDatabase& database);

}  // namespace braid
