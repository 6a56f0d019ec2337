// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/lexical/statistics.h"
#include "braid/error.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/settings.h"

namespace braid {

/// A term of a query, with its frequencies over all shards.
struct BagTerm {
    std::string term;
    double query_occurrences = 1;  ///< Its wqf.
    double documents = 0;
    double occurrences = 0;

    bool operator==(const BagTerm&) const = default;
};

/// A field scored alone: the same words in that field.
struct BagField {
    std::string name;
    CollectionStatistics collection;  ///< Statistics of the field's words.
    /// One entry per term of the bag; without a term if the bag's term is another field's.
    std::vector<BagTerm> terms;

    TermStatistics statistics(const BagTerm& term) const {
        return {collection, term.documents, term.occurrences, term.query_occurrences};
    }
    /// TermStatistics::query_norm of its terms, and the query's length in terms. O(terms).
    double query_norm() const;
    double length() const;

    bool operator==(const BagField&) const = default;
};

/// Fields whose words a ranker adds up, each occurrence with a weight, before it scores a word:
/// docs/algorithms/bm25f.md. Statistics of words are those of the whole text.
struct BagBlend {
    struct Field {
        std::string prefix;
        double weight = 1;

        bool operator==(const Field&) const = default;
    };

    std::string name;  ///< As RankerSpec::field has it: "name^5 title^2".
    double whole = 1;  ///< Weight of an occurrence in the whole text.
    std::vector<Field> fields;

    /// The terms to add up for a term of the query, with their weights: in each field that has
    /// words of its own for it.
    std::vector<Field> terms_for(const std::string& term) const;

    bool operator==(const BagBlend&) const = default;
};

/// `fields` of the database as RankerSpec::field names them, with their prefixes. Throws
/// ModelMismatch for a field that isn't there, or isn't indexed by words with a prefix.
BagBlend make_blend(const std::string& names, const std::vector<FieldSettings>& fields);

/// A query that is an OR or an AND of terms, with all statistics that its score depends on, so that
/// each shard scores it alike.
struct BagOfWords {
    bool all = false;  ///< AND.
    CollectionStatistics collection;
    double length = 0;           ///< Xapian::Query::get_length().
    std::vector<BagTerm> terms;  ///< In the query's order, repeated terms included.
    std::vector<BagField> fields;
    std::vector<BagBlend> blends;

    /// Has no query_norm, which `query_norm` computes.
    TermStatistics statistics(const BagTerm& term) const {
        return {collection, term.documents, term.occurrences, term.query_occurrences};
    }
    /// TermStatistics::query_norm of all its terms. O(terms).
    double query_norm() const;

    bool operator==(const BagOfWords&) const = default;
};

/// Why `query` is not an OR or AND of terms, as the end of a sentence; "" if it is.
std::string why_no_bag_of_words(const Xapian::Query& query);

/// The words of a query that is no bag of words but scores as one: as an OR, if each document's
/// score is the sum over those of the words that it has, repeated ones included. Such are ANDs of
/// ORs of words, phrases, NEAR, filters and exclusions around these, and optional words. The query
/// itself says which documents match: each has one of the words. Empty for any other query.
std::optional<Xapian::Query> words_of_sum(const Xapian::Query& query);

/// What servers have said of words of one database.
struct TermNotes {
    struct Note {
        bool is_there = false;
        double documents = 0;
        double occurrences = 0;
    };

    /// Whether nobody reopens the database, so that what was said once holds. Of a handle that its
    /// owner may reopen nothing shows another state of the same size: its words are asked for anew.
    bool stays = false;
    std::map<std::string, Note> of;  ///< By word.

    /// Whether the database is. The first time it takes an exception a shard.
    bool on_servers(const Xapian::Database& database);

  private:
    std::optional<bool> on_servers_;
};

/// Costs two lookups for each term, in the whole text and in each field; where the database is on
/// servers, one exchange with all of them for the words that `notes` lacks, which gets them. Throws
/// InvalidArgument if why_no_bag_of_words isn't "".
BagOfWords read_bag_of_words(const Xapian::Database& database, const Xapian::Query& query,
                             const std::vector<FieldCollection>& fields, TermNotes& notes);
BagOfWords read_bag_of_words(const Xapian::Database& database, const Xapian::Query& query,
                             const std::vector<FieldCollection>& fields = {});

/// The bag's words in that field. Two lookups for each.
BagField read_bag_field(const Xapian::Database& database, const BagOfWords& bag,
                        const FieldCollection& field);

void write_bag_of_words(ByteWriter& out, const BagOfWords& bag);
/// Throws FormatError for invalid bytes.
BagOfWords read_bag_of_words(ByteReader& in);

}  // namespace braid
