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
    /// Where there are any, they decide about dimensions that are automatic.
    std::vector<JudgedTopicQuery> judged = {};
    /// A folder, made where absent, that takes everything instead of the database, which is then
    /// only read; "" for none.
    std::string sidecar = {};
    /// Learn anew what is there already. Otherwise a model of the same settings stays, and only
    /// documents whose vector is missing or stale are given one.
    bool retrain = false;
    /// Where documents' names are, to be kept in the database; nothing leaves that as it is.
    std::optional<DocumentNameSource> names = {};
    /// Of a database that another program wrote: the language of its stems.
    std::optional<std::string> stemmer = {};
    std::size_t batch = 10'000;  ///< Documents between two commits.
    std::size_t threads = 0;     ///< 0: as many as the machine has. The result is the same.
    std::uint64_t now = 0;       ///< Seconds since 1970, for the record; 0: the clock's.
    Progress progress = {};      ///< May be empty.
    WarningSink warn = {};       ///< May be empty.
};

/// What became of one model.
struct AdoptedModel {
    TopicModelIdentity identity;
    TopicRecord record;
    bool trained = false;               ///< False: it was there, of the same settings.
    std::uint64_t documents = 0;        ///< In the database.
    std::uint64_t written = 0;          ///< Vectors that were written,
    std::uint64_t folded = 0;           ///< of these, by folding in: new or changed since training.
    std::string replaced;               ///< Id of the model whose name it took; "" for none.
    std::vector<DimensionTrial> tried;  ///< Where the number of dimensions was chosen.
};

/// Learns topic models from the words that a database already has, and stores them beside the
/// postings: the model in metadata, each document's vector in a value slot, nothing else touched.
/// Searchers see a model once it is whole, and the former one until then. Work that is killed or
/// stopped leaves the database as searchers know it; the same call once more finishes it and
/// clears up what was left.
///
/// Needs memory for the counts (8 bytes for each word of each document) and one model. Training
/// comes before the database is locked.
///
/// `databases` are specs as open_databases takes them; several are learned from as one, and each
/// holds the model. Throws Error for a database that is locked, can't be written, has no documents
/// or no words; for one without a termlist it suggests a sidecar. Throws Cancelled where
/// options.progress returns false. Every Xapian error comes out as an Error that names the
/// database.
BRAID_API std::vector<AdoptedModel> adopt_topics(const std::vector<std::string>& databases,
                                                 const AdoptOptions& options);

}  // namespace braid
