// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/indexer/formats/vector_reader.h"
#include "braid/plugin/store/document_names.h"

namespace braid {

struct AdoptVectorsOptions {
    std::string name = "vectors";  ///< Name for rankers.
    /// As AdoptOptions::sidecar.
    std::string sidecar = {};
    /// Source of the document names that match the vectors' ids.
    DocumentNameSource names = {};
    VectorCoding coding = VectorCoding::kSigned8;
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

}  // namespace braid
