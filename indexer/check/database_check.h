// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

/// One finding of a check.
struct CheckFinding {
    enum class Kind {
        kNote,      ///< Outdated, missing or left over; scores are still as documented.
        kDamaged,   ///< Braid's data is damaged or inconsistent.
        kNewer,     ///< A newer Braid wrote it; it can't be checked.
        kDatabase,  ///< Xapian can't read the database itself.
    };
    Kind kind = Kind::kNote;
    std::string database;  ///< The spec of the database, or the sidecar's folder.
    std::string where;     ///< A metadata key, value slot or term: "metadata key braid:current".
    std::string problem;   ///< What, found, expected; one line.
    std::string cure;      ///< What to do if `repair` can't fix it; else "".

    bool operator==(const CheckFinding&) const = default;
};

struct CheckOptions {
    std::string sidecar = {};  ///< Folder of the database's sidecar, also checked.
    bool repair = false;       ///< Repair or remove damaged data.
    Progress progress = {};    ///< May be empty.
};

struct CheckReport {
    std::vector<CheckFinding> findings;  ///< State after the repair, if any.
    std::vector<std::string> repaired;   ///< Repairs done, one sentence each.
    std::uint64_t documents = 0;
    std::uint64_t models = 0;   ///< Topic models.
    std::uint64_t words = 0;    ///< Vectors of words read.
    std::uint64_t vectors = 0;  ///< Vectors of documents read.
    std::uint64_t records = 0;  ///< Records of documents read.

    /// True if all findings are notes.
    bool sound() const;
};

/// Reads all of Braid's data in the databases and reports damage: checksums, catalogue, records and
/// words of topic models, every document's vector and record, clusters, the installed model,
/// consistency within a shard and across shards, and leftovers of unfinished work. Takes about 2
/// microseconds per document and topic model, and a pass over its terms if the database keeps
/// records of documents. Memory grows with the damage and the clusters' members.
///
/// With `repair` it first copies damaged metadata that all shards share (index settings, the
/// installed model, records and words of topic models) from an intact shard. Then it rebuilds what
/// it can (vectors and records of documents, clusters, the catalogue), removes what it can't (a
/// topic model without its record, words' vectors, the installed model), and clears leftovers; a
/// second repair finds nothing to do. It never touches data of a newer Braid. It locks the
/// database.
///
/// `databases` are specs as open_databases takes them. Throws Error if one can't be opened or,
/// for a repair, written, and Cancelled if options.progress returns false.
CheckReport check_database(const std::vector<std::string>& databases,
                           const CheckOptions& options = {});

}  // namespace braid
