// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"

namespace braid {

/// One thing that a check has to say.
struct CheckFinding {
    enum class Kind {
        kNote,      ///< Outdated, missing or left over: scores are as documented all the same.
        kDamaged,   ///< Something of Braid's is damaged, or doesn't belong to the rest.
        kNewer,     ///< A newer Braid wrote it: nothing can be said of it.
        kDatabase,  ///< Xapian can't read the database itself.
    };
    Kind kind = Kind::kNote;
    std::string database;  ///< The spec of the database, or the sidecar's folder.
    std::string where;     ///< A metadata key, value slot or term: "metadata key braid:current".
    std::string problem;   ///< What, found, expected; one line.
    std::string cure;      ///< What to do where `repair` can't mend it; else "".

    bool operator==(const CheckFinding&) const = default;
};

struct CheckOptions {
    std::string sidecar = {};  ///< Folder of the database's sidecar, which is checked, too.
    bool repair = false;       ///< Mend or remove what is damaged.
    Progress progress = {};    ///< May be empty.
};

struct CheckReport {
    std::vector<CheckFinding> findings;  ///< After the repair, if there was one.
    std::vector<std::string> repaired;   ///< What was done, a sentence each.
    std::uint64_t documents = 0;
    std::uint64_t models = 0;   ///< Topic models.
    std::uint64_t words = 0;    ///< Vectors of words that were read,
    std::uint64_t vectors = 0;  ///< those of documents,
    std::uint64_t records = 0;  ///< and records of documents.

    /// Nothing is worse than a note.
    BRAID_API bool sound() const;
};

/// Reads all that Braid keeps in the databases and says what is damaged: checksums, catalogue,
/// records and words of topic models, every document's vector and record, clusters, the installed
/// model, whether they belong together, in one shard and across shards, and what unfinished work
/// left. About 2 microseconds for a document and topic model, and a pass over its terms where the
/// database keeps records of documents. Memory follows what is damaged and the clusters' members.
///
/// With `repair` it first takes damaged metadata that all shards have the same (index settings, the
/// installed model, records and words of topic models) from a shard where it is intact. Then it
/// mends what can be made again (vectors and records of documents, clusters, the
/// catalogue), removes what can't (a topic model without its record, words' vectors, the installed
/// model), and clears what was left over; a second repair finds nothing to do. It never touches
/// what a newer Braid wrote. The database is locked meanwhile.
///
/// `databases` are specs as open_databases takes them. Throws Error where one can't be opened or,
/// for a repair, written, and Cancelled where options.progress returns false.
BRAID_API CheckReport check_database(const std::vector<std::string>& databases,
                                     const CheckOptions& options = {});

}  // namespace braid
