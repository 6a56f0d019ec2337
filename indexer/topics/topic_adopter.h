// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/settings/settings.h"
#include "braid/core/topics/dimension_choice.h"
#include "braid/indexer/topics/judged_dimensions.h"
#include "braid/plugin/store/document_names.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

struct AdoptOptions {
    std::vector<TopicSettings> models = {TopicSettings()};
    /// If not empty, they choose automatic dimensions.
    std::vector<JudgedTopicQuery> judged = {};
    /// A folder, created if absent, that is written instead of the database; "": none.
    std::string sidecar = {};
    /// Learn existing models anew. Otherwise a model with the same settings stays, and only
    /// missing or stale vectors are written.
    bool retrain = false;
    /// Source of document names, stored in the database; empty: unchanged.
    std::optional<DocumentNameSource> names = {};
    /// The language of the stems, for a database that another program wrote.
    std::optional<std::string> stemmer = {};
    std::size_t batch = 10'000;  ///< Documents per commit.
    std::size_t threads = 0;     ///< 0: one per core. The result is the same.
    std::uint64_t now = 0;       ///< Seconds since 1970, for the record; 0: the clock's.
    Progress progress = {};      ///< May be empty.
    WarningSink warn = {};       ///< May be empty.
};

/// Outcome for one model.
struct AdoptedModel {
    TopicModelIdentity identity;
    TopicRecord record;
    bool trained = false;               ///< False: it existed with the same settings.
    std::uint64_t documents = 0;        ///< In the database.
    std::uint64_t written = 0;          ///< Vectors written.
    std::uint64_t folded = 0;           ///< Of those, folded in: new or changed since training.
    std::string replaced;               ///< Id of the model with the same name before, or "".
    std::vector<DimensionTrial> tried;  ///< If the number of dimensions was chosen.
};

/// Learns topic models from a database's words and stores them beside the postings: the model in
/// metadata, each document's vector in a value slot. Changes nothing else. Searchers use the former
/// model until the new one is complete. Killed or stopped work doesn't change searches; repeating
/// the call finishes it and clears leftovers.
///
/// Needs memory for the counts (8 bytes for each word of each document) and one model. Trains
/// before it locks the database.
///
/// `databases` are specs as open_databases takes them; several are one collection, and each
/// holds the model. Throws Error for a database that is locked, can't be written, has no documents
/// or no words; for one without a termlist it suggests a sidecar. Throws Cancelled if
/// options.progress returns false. Turns every Xapian error into an Error that names the
/// database.
BRAID_API std::vector<AdoptedModel> adopt_topics(const std::vector<std::string>& databases,
                                                 const AdoptOptions& options);

}  // namespace braid
