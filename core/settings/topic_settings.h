// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/base/random.h"
#include "braid/core/topics/topic_models.h"

namespace braid {

/// A topic model that a database is to have.
struct TopicSettings {
    std::string model = "lsa";  ///< A name from the registry of topic models.
    std::string name = {};      ///< What rankers call it; "" is the model's own name.

    static constexpr std::size_t kAutomatic = 0;
    static constexpr std::size_t kMaxDimensions = 10'000;
    std::size_t dimensions = 100;  ///< Wanted; or kAutomatic, which tries several.
    std::uint64_t seed = kDefaultSeed;
    ParameterMap parameters = {};                     ///< The model's.
    std::map<std::string, std::string> choices = {};  ///< The model's.

    enum class Coding { k8Bit, kFloat16, kFloat32 };
    Coding coding = Coding::k8Bit;  ///< Of the documents' vectors.

    enum class Words {
        kAutomatic,  ///< Stems where the database has any, else words.
        kStems,
        kWords,
    };
    Words words = Words::kAutomatic;
    /// Words of fewer documents are left out. kAutomatic: 2, or 5 in a database of over 10,000
    /// documents, whose rare words cost more than they tell.
    std::uint32_t min_documents = kAutomatic;
    double max_document_share = 0.5;  ///< Words of a larger share of the documents are left out.
    std::size_t max_terms = 50'000;   ///< The most frequent ones are kept; 0: all.

    /// Cluster terms for each document: 0 for none, which costs nothing; see the guide on topics.
    std::size_t clusters = 0;
    static constexpr std::size_t kMaxClusters = 65'536;

    /// `name`, or else the model's.
    BRAID_API std::string label() const;

    /// What the model is fitted with; dimensions 0 is still to be chosen.
    BRAID_API TopicOptions options() const;

    bool operator==(const TopicSettings&) const = default;
};

/// Throws InvalidSetting for a value out of its range, UnknownComponent for a model, parameter or
/// choice there isn't.
BRAID_API void validate(const TopicSettings& settings);

}  // namespace braid
