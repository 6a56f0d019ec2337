// SPDX-License-Identifier: GPL-2.0-or-later
// Words, topics and popularity in one Xapian query:
//
//     const Xapian::Database database("packages");
//     const Xapian::Query words("editor");
//     const auto topics = braid::topic_source(database, "lsa", words, 2.0);
//     const auto votes = braid::value_source({.ranker = "value-log", .slot = 7}, 0.1);
//     const Xapian::Query query(Xapian::Query::OP_AND_MAYBE,
//                               Xapian::Query(Xapian::Query::OP_AND_MAYBE, words,
//                                             Xapian::Query(topics.get())),
//                               Xapian::Query(votes.get()));
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/model.h"
#include "braid/parameters.h"

namespace braid {

/// Parts of a user's own Xapian::Query that add to a document's score what no posting list has.
/// OP_AND_MAYBE joins them to a text query; each matches the documents whose part is above 0. They
/// work on shards, and on remote databases whose server has the classes registered. One object
/// belongs to one thread. All throw InvalidArgument for a weight that is negative or not finite.
/// Where `sidecars` are given (one for each shard), vectors are theirs, and the source can't be
/// sent to a remote database.

/// weight * max(0, cos) of the text's vector and each document's in the topic model that `database`
/// has under `name` ("lsa"). The words of `text` that count in its score make its vector. Cost: one
/// vector for each document looked at. Throws ModelMismatch where there is no such model.
BRAID_API std::unique_ptr<Xapian::PostingSource> topic_source(
    const Xapian::Database& database, const std::string& name, const Xapian::Query& text,
    double weight, const std::vector<Xapian::Database>& sidecars = {});

/// The same for vectors that something else made (adopt_vectors), with the query's vector, of any
/// length. Throws ModelMismatch where there are none of that name, and InvalidArgument for a vector
/// of other dimensions or with a component that is not finite.
BRAID_API std::unique_ptr<Xapian::PostingSource> vector_source(
    const Xapian::Database& database, const std::string& name, std::span<const float> query,
    double weight, const std::vector<Xapian::Database>& sidecars = {});

/// A ranker of values over one slot.
struct ValuePrior {
    std::string ranker = "value-linear";
    ParameterMap parameters = {};  ///< The ranker's; `slot` among them is not looked at.
    Xapian::valueno slot = 0;
    /// Seconds since 1970, for ages where the parameters don't say it. One query has one time on
    /// all shards, so it is the caller's.
    double now = 0;

    bool operator==(const ValuePrior&) const = default;
};

/// weight * score of the number or date in a value slot. A document without a number scores 0.
/// Throws UnknownComponent or InvalidArgument for a ranker, parameter or `now` that is wrong.
BRAID_API std::unique_ptr<Xapian::PostingSource> value_source(const ValuePrior& prior,
                                                              double weight);

/// Registers Braid's classes, as a server of remote databases needs. Programs that only search,
/// locally or through such a server, don't need it. With `reader` (load_model of braid/config.h)
/// Xapian 2's Weight::create("braid MODEL", registry) makes the FusedWeight of a model of words;
/// Xapian 1.4 has no such function.
BRAID_API void register_all(Xapian::Registry& registry, const ModelReader& reader = {});

}  // namespace braid
