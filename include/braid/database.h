// SPDX-License-Identifier: GPL-2.0-or-later
// What a database is ranked by, and which topic models it has:
//
//     #include <iostream>
//
//     const Xapian::Database database = braid::open_databases({"packages"});
//     const auto model = braid::load_fusion_model(database);
//     std::cout << (model ? model->rankers.size() : 0) << " rankers\n";
//     for (const braid::TopicModelIdentity& topics : braid::load_topic_catalogue(database)) {
//         std::cout << topics.name << '\n';
//     }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/model.h"

namespace braid {

/// Paths of databases that are searched as one.
struct SearchPaths {
    std::vector<std::string> databases;      ///< Specs as open_databases takes them.
    std::vector<std::string> sidecars = {};  ///< Specs of sidecars: one per shard, or none.
};

/// Opens a database for searching. A spec is a folder, a stub file or HOST:PORT of a server
/// ([::1]:33333 for IPv6 addresses); several are searched as one, as its shards in that order.
/// Throws Error, which says what was opened, what was found there and what to do: nothing there,
/// no database, no rights, a newer format, a damaged file, no server; and ModelMismatch where
/// shards were indexed in different ways, since one query can't fit both. Opens again where a
/// writer commits meanwhile: a database is called damaged only if it is so for .2 s.
BRAID_API Xapian::Database open_databases(const std::vector<std::string>& specs);

/// Another program is writing to the database.
class BRAID_API DatabaseLocked : public Error {
  public:
    using Error::Error;
};

/// The database's installed model, under its metadata key braid:model; docs/formats.md has the
/// bytes. Empty if there is none. Throws
/// FormatError, naming the key, for a value that is truncated, foreign or of a newer version, and
/// as `validate` does.
BRAID_API std::optional<FusionModel> load_fusion_model(const Xapian::Database& database);

/// A ranking and its mean on the queries that decided about an installation.
struct InstallFigure {
    std::string name;  ///< "learned", "current ranking", "bm25", "bm25 tuned".
    double mean = 0;
    double p = 1;  ///< Of its difference from the learned ranking.

    bool operator==(const InstallFigure&) const = default;
};

/// A ranking that was installed in a database: when, by what, and what was measured then.
struct InstalledModel {
    std::uint64_t time = 0;  ///< Seconds since 1970; 0: not known.
    std::string by = {};     ///< "braid train"
    std::string note = {};   ///< What a reader should know: "by --force".
    std::string measure = {};
    std::uint64_t queries = 0;  ///< Judged queries behind the figures; 0: none were measured.
    std::vector<InstallFigure> figures = {};
    FusionModel model = {};

    bool operator==(const InstalledModel&) const = default;
};

/// What was installed, the latest last (metadata key braid:installed). Throws FormatError, naming
/// the key, for a value that is damaged or of a newer version.
struct InstalledModels {
    std::vector<InstalledModel> list = {};
    /// Whether the last ranks today. Otherwise the database has lost its model, and BM25 does.
    bool ranks = false;
};
BRAID_API InstalledModels load_installed_models(const Xapian::Database& database);

/// The models, in the order of their addition; may be empty.
/// Throws FormatError for a value that is truncated, foreign or of a newer version.
BRAID_API std::vector<TopicModelIdentity> load_topic_catalogue(const Xapian::Database& database);

/// A sentence for each stemmer of the database's words and topics that made other stems when they
/// were made than it makes here, since Xapian's stemmers change between its versions (English and
/// German did in 2.0): a query's words may then miss what they should find. Empty for a database
/// without such a record, which neither `braid index` nor `braid adopt` has written. One that can't
/// be read is a sentence, too.
BRAID_API std::vector<std::string> changed_stemmers(const Xapian::Database& database);

/// Source of the document names that judgements and runs use.
struct DocumentNameSource {
    enum class Kind {
        kTerm,   ///< The first term that begins with `prefix`, without it.
        kValue,  ///< Value slot `slot`.
        kData,   ///< The first line of the document data.
        kDocid,  ///< The docid.
    };
    Kind kind = Kind::kDocid;
    std::string prefix = {};
    unsigned slot = 0;

    /// "term:Q", "value:0", "data" or "docid"; throws InvalidArgument for anything else.
    static BRAID_API DocumentNameSource parse(std::string_view text);
    BRAID_API std::string to_string() const;

    bool operator==(const DocumentNameSource&) const = default;
};

/// "" if the document has no such term, value or data. Cost: a term reads the document's term list
/// up to it, a value one chunk of the slot (the cheapest), the data one record.
BRAID_API std::string document_name(const Xapian::Document& document,
                                    const DocumentNameSource& source);

/// The source is kept in the database (metadata key kDocumentNamesKey, as text).
BRAID_API void store_document_names(Xapian::WritableDatabase& database,
                                    const DocumentNameSource& source);

/// Empty if none is kept. Throws FormatError with the key for a foreign value.
BRAID_API std::optional<DocumentNameSource> load_document_names(const Xapian::Database& database);

}  // namespace braid
