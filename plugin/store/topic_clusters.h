// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/topics/topic_model.h"

namespace braid {

/// The clusters of a topic model's document vectors, as a database keeps them. Every document with
/// a vector that is not zero has one boolean term, that of the cluster it is nearest to.
struct TopicClusters {
    FloatMatrix centroids;      ///< Of length 1.
    std::vector<float> radius;  ///< Least cosine of a member with its centroid; a valid bound.

    std::size_t size() const { return radius.size(); }
};

BRAID_API std::string serialise(const TopicClusters& clusters);
/// Throws FormatError for what `serialise` didn't write.
BRAID_API TopicClusters parse_topic_clusters(std::string_view bytes, std::string_view where);

/// What the terms of the model's clusters begin with: XBRAID, 8 digits of its id, a colon.
BRAID_API std::string cluster_prefix(std::string_view id);
BRAID_API std::string cluster_term(std::string_view id, std::uint32_t cluster);

}  // namespace braid
