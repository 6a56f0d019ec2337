// SPDX-License-Identifier: GPL-2.0-or-later
// Topics for a database that another program wrote:
//
//     #include <iostream>
//
//     braid::AdoptOptions options;
//     options.models = {{.model = "lsa", .dimensions = 100}};
//     for (const braid::AdoptedModel& model : braid::adopt_topics({"/var/lib/app/xapian"},
//     options)) {
//         std::cout << model.identity.name << ": " << model.written << " vectors\n";
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/progress.h"
#include "braid/read.h"
#include "braid/settings.h"
#include "braid/topics.h"

namespace braid {

struct TopicRecord;

/// A query with its relevant documents, for choosing a number of dimensions.
struct JudgedTopicQuery {
    /// Its words in the record's form (form and stemmer are set).
    std::function<std::map<std::string, double, std::less<>>(const TopicRecord&)> words;
    std::vector<Xapian::docid> relevant;  ///< Ascending.
};

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
    /// Vectors of words for models of the kind word-vectors: GloVe's or word2vec's text, fastText's
    /// .vec, gzipped or not. Each document gets the weighted sum of its words' vectors, and nothing
    /// is learned. "": there are no such models.
    std::string word_vectors = {};
    VectorOptions word_vector_reading = {};
    /// The least share of the database's words, by occurrences, that must have a vector.
    double least_coverage = 0.2;
    std::size_t batch = 10'000;  ///< Documents per commit.
    std::size_t threads = 0;     ///< 0: one per core. The result is the same.
    std::uint64_t now = 0;       ///< Seconds since 1970, for the record; 0: the clock's.
    Progress progress = {};      ///< May be empty.
    WarningSink warn = {};       ///< May be empty.
};

/// Outcome for one model.
struct AdoptedModel {
    TopicModelIdentity identity;
    std::shared_ptr<const TopicRecord> record;  ///< What the database keeps of it.
    std::size_t dimensions = 0;
    bool trained = false;               ///< False: it existed with the same settings.
    std::uint64_t documents = 0;        ///< In the database.
    std::uint64_t written = 0;          ///< Vectors written.
    std::uint64_t folded = 0;           ///< Of those, folded in: new or changed since training.
    std::string replaced;               ///< Id of the model with the same name before, or "".
    double coverage = 1;                ///< Of word-vectors: see AdoptOptions::least_coverage.
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
/// or no words, and where fewer of them than least_coverage have a vector; for one without a
/// termlist it suggests a sidecar. Throws FormatError for a file of vectors of words that can't be
/// read, and Cancelled if
/// options.progress returns false. Turns every Xapian error into an Error that names the
/// database.
BRAID_API std::vector<AdoptedModel> adopt_topics(const std::vector<std::string>& databases,
                                                 const AdoptOptions& options);

struct AdoptVectorsOptions {
    std::string name = "vectors";  ///< Name for rankers.
    /// As AdoptOptions::sidecar.
    std::string sidecar = {};
    /// Source of the document names that match the vectors' ids.
    DocumentNameSource names = {};
    TopicSettings::Coding coding = TopicSettings::Coding::k8Bit;
    std::size_t batch = 10'000;  ///< Documents per commit.
    std::uint64_t now = 0;       ///< Seconds since 1970, for the record; 0: the clock's.
    Progress progress = {};      ///< May be empty.
    WarningSink warn = {};       ///< May be empty.
};

/// Outcome for the vectors.
struct AdoptedVectors {
    TopicModelIdentity identity;
    unsigned slot = 0;
    std::uint64_t documents = 0;  ///< In the database.
    std::uint64_t written = 0;    ///< New and changed values.
    std::uint64_t missing = 0;    ///< Documents without a vector.
    std::uint64_t unknown = 0;    ///< Vectors without a document; a warning names some.
    std::string replaced;         ///< Id of the vectors with the same name before, or "".
};

/// Stores the user's vectors, one per document, in a free value slot, like topic vectors: scaled to
/// length 1 (zero vectors stay zero), coded, each with its document's length, which shows stale
/// vectors. Their record is a topic model of kind kVectorsModel without words: searchers take the
/// query's vector from the caller. Searchers use the former vectors of that name until all new ones
/// are written. Repeating the call finishes killed work and writes only changes.
///
/// Rows without ids are in docid order, one per document. `databases`
/// are specs as open_databases takes them; several are one collection, and each holds the record.
/// Throws Error if rows and documents differ in number, no id is a document's name, a topic model
/// has that name, two documents have one name, and for what adopt_topics refuses of a database.
BRAID_API AdoptedVectors adopt_vectors(const std::vector<std::string>& databases,
                                       SourceVectors vectors, const AdoptVectorsOptions& options);

struct AdoptStatisticsOptions {
    std::size_t batch = 10'000;  ///< Documents per commit.
    Progress progress = {};      ///< May be empty.
};

struct AdoptedStatistics {
    unsigned slot = 0;          ///< That has the records.
    std::size_t fields = 0;     ///< Whose lengths they have.
    std::uint64_t written = 0;  ///< Missing or stale records.
};

/// Gives every document of a database, whichever program wrote it, the record that tfidf-cosine and
/// lm-absdiscount need, with the lengths of its fields for rankers of one field: a value of 8 to 12
/// bytes, plus 1 or 6 to 8 for each field with a prefix, in the first free slot from 1000 on.
/// Changes nothing else. Call it again after other programs add or change documents; Braid's
/// indexer updates records itself. Publishes the slot to searchers when all documents have
/// records. `databases` and errors as for adopt_topics.
BRAID_API AdoptedStatistics adopt_statistics(const std::vector<std::string>& databases,
                                             const AdoptStatisticsOptions& options = {});

}  // namespace braid
