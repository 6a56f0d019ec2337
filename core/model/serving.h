// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/model.h"

namespace braid {

// Who can serve a model: one table. docs/architecture.md shows it.
//
//     const Serving how = serving(model, DatabaseRecords::are_in(database));
//     if (how.way == Way::kRescored) ...  // how.reason: why no single pass serves it.

/// What scores documents by a model: the table's columns.
enum class Server : std::uint8_t {
    kEnsemble,  ///< LexicalEnsemble: the words of one document. Ignores the model's function.
    kWeight,    ///< FusedWeight alone: one pass over postings.
    kPostings,  ///< The same pass with posting sources beside it.
    kSource,    ///< FusedSource: one pass that prunes, with posting sources of values beside it.
    kPool,      ///< Given documents: PoolScorer for every ranker, then the model's function.
};
inline constexpr std::size_t kServers = 5;

/// What a ranker, a function or a normaliser asks of a server: the table's rows.
enum class Trait : std::uint8_t {
    kWords,          ///< Rankers of words: nothing beyond what postings hold.
    kNoSum,          ///< A score that is no sum over words.
    kField,          ///< The length of a field.
    kBlend,          ///< Occurrences in several fields, weighed together.
    kUniqueTerms,    ///< How many terms the document has.
    kNorm,           ///< The norm of the document's vector of words.
    kVectors,        ///< A vector of the document.
    kWordsOfTopics,  ///< A vector of the document together with its words.
    kNeighbours,     ///< The words of other documents, its neighbours.
    kPositions,      ///< The places of the query's words.
    kOtherWords,     ///< Words that the query does not have.
    kValues,         ///< A number in a value slot.
    kTitle,          ///< The words of a field, in their order.
    kFilter,         ///< Whether a filter matches.
    kAllWords,       ///< Whether it has all words of the query.
    kFactor,         ///< A factor of the score of all other rankers.
    kFile,           ///< A score that only a file has.
    kWeights,        ///< Functions: the sum of scores times weights from 0 up.
    kQueryWeights,   ///< The same with weights that follow from the query.
    kSignedByQuery,  ///< The same, and such weights may be negative.
    kSignedWeights,  ///< Weights of which some are negative.
    kNoWeights,      ///< A function that is no sum of scores times weights.
    kNormalised,     ///< Normalisers: scores that are made comparable first.
};

/// One cell of the table.
enum class Serves : std::uint8_t {
    kNever,
    kWithRecords,  ///< Where the database keeps records of its documents.
    kWithQuery,    ///< Once the query is known, as the model that QueryWeights makes for it.
    kAlways,
};

struct ServingRow {
    Trait trait;
    const char* name;                      ///< For documentation.
    std::array<Serves, kServers> servers;  ///< In the order of Server.
    const char* reason;  ///< Of a refusal: {label}, {server}, {ranker}, {field}, {form}...
    const char* advice;  ///< What to add for a server of postings.
};

/// In the order of Trait.
std::span<const ServingRow> serving_table();

/// What a server has beside a model.
struct Given {
    bool records = false;  ///< The database's records of its documents.
    bool query = false;    ///< The query, for weights that follow from it.
};

bool is_served(Server server, Trait trait, const Given& given = {});

/// The rows of a ranker, those that refuse most first. Throws UnknownComponent.
std::vector<Trait> traits_of(const RankerSpec& spec);
/// The rows of a model's function and normaliser.
std::vector<Trait> function_traits(const FusionModel& model);

/// Why the server can't serve the ranker, whatever its weight, or the model: a sentence without a
/// full stop, or "". A ranker of weight 0 matters to kPool only, which scores every ranker, unless
/// only a file has its scores. Throw UnknownComponent.
BRAID_API std::string why_not_served(Server server, const RankerSpec& spec,
                                     const Given& given = {});
BRAID_API std::string why_not_served(Server server, const FusionModel& model,
                                     const Given& given = {});

/// Throws that reason: InvalidArgument where a ranker is one that the server never serves,
/// ModelMismatch for functions, normalisers, missing records, and scores that only a file has.
BRAID_API void require_served(Server server, const FusionModel& model, const Given& given = {});

/// How a search ranks by a model.
enum class Way : std::uint8_t {
    kWeight,    ///< One pass over postings by FusedWeight, posting sources beside it.
    kSource,    ///< One pass by FusedSource; queries that it can't prune are rescored.
    kRescored,  ///< A first pass by the rankers that kPostings serves; its best are scored again.
    kPool,      ///< The same, but no such ranker counts: the first pass is BM25's.
    kUnserved,  ///< Not at all, since the database lacks records of its documents.
    kFile,      ///< Not at all: the model is for files of features.
};

struct Serving {
    Way way = Way::kWeight;
    std::string reason;  ///< Why it is no faster way; "" for kWeight.
};

/// Throws UnknownComponent for rankers and normalisers that there are not.
BRAID_API Serving serving(const FusionModel& model, bool has_records);

/// Throws ModelMismatch for a model of Way::kFile, which no database can be ranked by.
BRAID_API void require_database_model(const FusionModel& model);

/// Whether the model's weights follow from the query, so that they are computed before each search
/// (plugin/ranking/query_weights.h).
BRAID_API bool weighs_by_query(const FusionModel& model);

/// Whether a ranker reads a record of the document, and whether a ranker of the model that counts
/// gives a document a score for itself.
BRAID_API bool needs_record(const RankerSpec& spec);
BRAID_API bool has_document_part(const FusionModel& model);

}  // namespace braid
