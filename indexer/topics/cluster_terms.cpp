// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/cluster_terms.h"

#include <utility>
#include <vector>

#include "braid/core/base/error.h"
#include "braid/core/vectors/clusters.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

ClusterTerms::ClusterTerms(const Xapian::Database& database, std::string id, std::size_t dimensions)
    : id_(std::move(id)), dimensions_(dimensions) {
    const std::string key = topic_key(id_, kTopicClustersEnding);
    const std::string bytes = database.get_metadata(key);
    if (bytes.empty()) return;
    clusters_ = parse_topic_clusters(bytes, "metadata key " + key);
    if (clusters_.centroids.columns != dimensions_) {
        throw FormatError("metadata key " + key + ": found " +
                          std::to_string(clusters_.centroids.columns) +
                          " dimensions, expected the model's " + std::to_string(dimensions_));
    }
    nearest_.emplace(clusters_.centroids);
}

void ClusterTerms::assign(Xapian::Document& document, std::string_view stored) {
    if (!nearest_) return;
    remove_cluster_terms(document, id_);
    std::vector<float> vector(dimensions_);
    decode_vector(open_vector(stored, dimensions_, "vector"), vector);
    const std::uint32_t cluster = nearest_->find(vector).cluster;
    if (cluster == kNoCluster) return;
    document.add_boolean_term(cluster_term(id_, cluster));
    grown_ |= widen_radius(clusters_.centroids.row(cluster), vector, clusters_.radius[cluster]);
}

void ClusterTerms::write(Xapian::WritableDatabase& database) {
    if (!grown_) return;
    database.set_metadata(topic_key(id_, kTopicClustersEnding), serialise(clusters_));
    grown_ = false;
}

void remove_cluster_terms(Xapian::Document& document, std::string_view id) {
    const std::string prefix = cluster_prefix(id);
    std::vector<std::string> terms;
    auto term = document.termlist_begin();
    const auto end = document.termlist_end();
    if (term != end) term.skip_to(prefix);
    for (; term != end && (*term).starts_with(prefix); ++term) terms.push_back(*term);
    for (const std::string& text : terms) document.remove_term(text);
}

}  // namespace braid
