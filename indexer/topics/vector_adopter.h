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
    std::string name = "vectors";  ///< What rankers call them.
    /// As AdoptOptions::sidecar.
    std::string sidecar = {};
    /// Where the names are that the vectors' ids are.
    DocumentNameSource names = {};
    VectorCoding coding = VectorCoding::kSigned8;
    std::size_t batch = 10'000;  ///< Documents between two commits.
    std::uint64_t now = 0;       ///< Seconds since 1970, for the record; 0: the clock's.
    Progress progress = {};      ///< May be empty.
    WarningSink warn = {};       ///< May be empty.
};

/// What became of the vectors.
struct AdoptedVectors {
    TopicModelIdentity identity;
    unsigned slot = 0;
    std::uint64_t documents = 0;  ///< In the database.
    std::uint64_t written = 0;    ///< Values that were written: new ones, and other than before.
    std::uint64_t missing = 0;    ///< Documents that have no vector.
    std::uint64_t unknown = 0;    ///< Vectors whose id no document has; a warning names some.
    std::string replaced;         ///< Id of the vectors whose name they took; "" for none.
};

/// Stores vectors that something else made, one for each document, in a free value slot, as topic
/// models' are stored: scaled to length 1 (a vector of zeros stays one), coded, each with its
/// document's length, so that it shows where a document has changed since. Their record is a topic
/// model's of the kind kVectorsModel, without words: searchers take the query's vector from the
/// caller. Searchers see them once all are there, and the former ones of that name until then; the
/// same call once more finishes what was killed, and writes only what changed.
///
/// Rows without ids are in the order of the documents' numbers, and must be as many. `databases`
/// are specs as open_databases takes them; several are one, and each holds the record. Throws Error
/// where rows and documents differ in number, no id is a document's name, a topic model has that
/// name, two documents have one name, and for what adopt_topics refuses of a database.
BRAID_API AdoptedVectors adopt_vectors(const std::vector<std::string>& databases,
                                       SourceVectors vectors, const AdoptVectorsOptions& options);

}  // namespace braid
