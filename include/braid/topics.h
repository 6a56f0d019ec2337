// SPDX-License-Identifier: GPL-2.0-or-later
// A topic model that a database is to have:
//
//     #include "braid/adopt.h"
//
//     braid::TopicSettings topics;
//     topics.model = "lsa";
//     topics.dimensions = braid::TopicSettings::kAutomatic;
//     braid::AdoptOptions options;
//     options.models = {topics};
//     braid::adopt_topics({"packages"}, options);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "braid/error.h"
#include "braid/parameters.h"

namespace braid {

struct TopicOptions;

/// A topic model to build for a database.
struct TopicSettings {
    std::string model = "lsa";  ///< A name from the registry of topic models.
    std::string name = {};      ///< What rankers call it; "" is the model's own name.

    static constexpr std::size_t kAutomatic = 0;
    static constexpr std::size_t kMaxDimensions = 10'000;
    std::size_t dimensions = 100;  ///< Number to compute; kAutomatic tries several.
    std::uint64_t seed = kDefaultSeed;
    ParameterMap parameters = {};                     ///< The model's.
    std::map<std::string, std::string> choices = {};  ///< The model's.

    enum class Coding { k8Bit, kFloat16, kFloat32 };
    Coding coding = Coding::k8Bit;  ///< Encoding of the documents' vectors.

    enum class Words {
        kAutomatic,  ///< Stems if the database has any, else words.
        kStems,
        kWords,
    };
    Words words = Words::kAutomatic;
    /// Words in fewer documents are dropped. kAutomatic: 2, or 5 in a database of over 10,000
    /// documents, whose rare words cost more than they help.
    std::uint32_t min_documents = kAutomatic;
    double max_document_share = 0.5;  ///< Words in a larger share of documents are dropped.
    std::size_t max_terms = 50'000;   ///< The most frequent ones are kept; 0: all.

    /// Number of clusters; each document gets its cluster's term. 0: none, at no cost. See the
    /// guide on topics.
    std::size_t clusters = 0;
    static constexpr std::size_t kMaxClusters = 65'536;

    /// `name`; if empty, the model's name.
    BRAID_API std::string label() const;

    /// Options for fitting the model; dimensions 0 are still to be chosen.
    BRAID_API TopicOptions options() const;

    bool operator==(const TopicSettings&) const = default;
};

/// Throws InvalidSetting for a value out of its range, UnknownComponent for an unknown model,
/// parameter or choice.
BRAID_API void validate(const TopicSettings& settings);

/// A number of dimensions that was tried, and its score.
struct DimensionTrial {
    std::size_t dimensions = 0;
    double score = 0;       ///< Higher is better.
    std::string criterion;  ///< Name of the score: "log likelihood of held-out words".

    bool operator==(const DimensionTrial&) const = default;
};

}  // namespace braid
