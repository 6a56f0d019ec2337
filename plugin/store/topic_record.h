// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/plugin/store/analysis.h"

namespace braid {

/// A topic model's stored data besides the vectors: everything needed to fold texts in, and its
/// provenance. A plain value; its bytes are in docs/formats.md.
struct TopicRecord {
    std::string name;         ///< Name for rankers: "lsa".
    TopicModelHeader header;  ///< Parameters for folding in.
    VectorCoding coding = VectorCoding::kSigned8;
    unsigned slot = 0;  ///< Slot of the documents' vectors.
    WordForm form = WordForm::kStems;
    std::string stemmer;  ///< That made the stems, or the words; queries take it too.

    TopicOptions options;        ///< As requested.
    std::uint64_t clusters = 0;  ///< As requested; 0: none.
    VocabularyLimits limits;     ///< As requested; min_documents 0 is automatic.
    std::uint64_t documents = 0;
    std::uint64_t vocabulary = 0;
    double words = 0;              ///< Occurrences of all words in those documents.
    double unknown_words = 0;      ///< Occurrences of words outside the vocabulary.
    std::uint64_t trained_at = 0;  ///< Seconds since 1970-01-01 UTC.
    TopicTraining training;
};

/// Whether texts fold into the model by its words: not into vectors that the user brought, nor into
/// neighbours.
BRAID_API bool has_words(const TopicRecord& record);

/// Summary of the model for people: stored separately, since queries don't need it.
struct TopicSummary {
    std::vector<Topic> topics;
    std::vector<double> coherence;  ///< NPMI of each topic's words.
};

/// Use of the model since training.
struct TopicUse {
    std::uint64_t folded_documents = 0;  ///< Documents added or changed since.
    double words = 0;                    ///< Occurrences of their words.
    double unknown_words = 0;            ///< Occurrences of unknown words.

    bool operator==(const TopicUse&) const = default;
};

BRAID_API std::string serialise(const TopicRecord& record);
BRAID_API std::string serialise(const TopicSummary& summary);
BRAID_API std::string serialise(const TopicUse& use);

/// What a model's id is a hash of: the record in its first version, without slot and time. It stays
/// as it is, so that the same training keeps its id in later versions.
std::string identity_bytes(TopicRecord record);

/// Each parses the bytes of `serialise`; `where` is the key, for messages. Throws FormatError for
/// other bytes.
TopicRecord parse_topic_record(std::string_view bytes, std::string_view where);
TopicSummary parse_topic_summary(std::string_view bytes, std::string_view where);
TopicUse parse_topic_use(std::string_view bytes, std::string_view where);

/// The clusters of a topic model's document vectors, as a database keeps them. Every document with
/// a vector that is not zero has one boolean term, that of the cluster it is nearest to.
struct TopicClusters {
    FloatMatrix centroids;      ///< Rows of length 1.
    std::vector<float> radius;  ///< Least cosine of a member with its centroid; a valid bound.

    std::size_t size() const { return radius.size(); }
};

BRAID_API std::string serialise(const TopicClusters& clusters);
/// Throws FormatError for bytes that `serialise` didn't write.
BRAID_API TopicClusters parse_topic_clusters(std::string_view bytes, std::string_view where);

/// Prefix of the terms of the model's clusters: XBRAID, 8 digits of its id, a colon.
BRAID_API std::string cluster_prefix(std::string_view id);
BRAID_API std::string cluster_term(std::string_view id, std::uint32_t cluster);

}  // namespace braid
