// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/topic_state.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/model/model_rankers.h"
#include "braid/core/vectors/clusters.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/table_file.h"
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

namespace {

constexpr std::size_t kBatch = 10'000;

// Beyond these, what a model can't say of new documents is likely to show in rankings.
constexpr double kManyFolded = 0.3;
constexpr double kMoreUnknown = 0.1;

// The model, or what a removal that was stopped left of it.
bool has_any_of(const Xapian::Database& database, const std::string& name) {
    const std::vector<TopicModelIdentity> named = load_topic_catalogue(database);
    if (std::any_of(named.begin(), named.end(),
                    [&](const TopicModelIdentity& model) { return model.name == name; })) {
        return true;
    }
    const std::vector<std::string> ids = recorded_topic_models(database);
    return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
        const auto record = intact_topic_record(database, id);
        return record && record->name == name;
    });
}

// Nothing where there is none, or one that can't be read: no reason to refuse topics.
std::optional<FusionModel> intact_ranking(const Xapian::Database& database) {
    try {
        return load_fusion_model(database);
    } catch (const Error&) {
        return std::nullopt;
    }
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The standard error of the share of unknown words, at the most: words of one document come
// together, so documents are what was drawn.
double unknown_share_error(const TopicUse& use) {
    const double unknown = share(use.unknown_words, use.words);
    return std::sqrt(share(unknown * (1 - unknown), static_cast<double>(use.folded_documents)));
}

}  // namespace

void drop_from_ranking(Xapian::WritableDatabase& database, const std::string& name) {
    std::optional<FusionModel> ranking = intact_ranking(database);
    if (!ranking) return;
    const std::size_t before = ranking->rankers.size();
    std::erase_if(ranking->rankers, [&](const RankerSpec& spec) {
        const ModelRanker& ranker = model_rankers().find(spec.ranker);
        if (ranker.topic_model.empty()) return false;
        return (spec.topics.empty() ? ranker.topic_model : spec.topics) == name;
    });
    if (ranking->rankers.size() == before) return;
    const bool any_left = std::any_of(ranking->rankers.begin(), ranking->rankers.end(),
                                      [](const RankerSpec& spec) { return spec.weight > 0; });
    if (any_left) {
        store_fusion_model(database, *ranking);
    } else {
        remove_fusion_model(database);
    }
}

void carry_ranking(Xapian::WritableDatabase& database, const std::string& former,
                   const TopicModelIdentity& identity) {
    if (former.empty()) return;
    if (load_topic_record(database, identity.id).header.model == kVectorsModel) return;
    std::optional<FusionModel> ranking = intact_ranking(database);
    if (!ranking) return;
    bool is_bound = false;
    for (TopicModelIdentity& used : ranking->provenance.topic_models) {
        if (used.name != identity.name || used.id != former) continue;
        used.id = identity.id;
        is_bound = true;
    }
    if (is_bound) store_fusion_model(database, *ranking);
}

double TopicState::folded_share() const {
    return std::min(
        1.0, share(static_cast<double>(use.folded_documents), static_cast<double>(documents)));
}

double TopicState::unknown_share_then() const { return share(record.unknown_words, record.words); }

double TopicState::unknown_share_since() const { return share(use.unknown_words, use.words); }

std::vector<std::string> TopicState::advice() const {
    std::vector<std::string> advice;
    if (missing + stale + foreign > 0) {
        advice.push_back(fmt::format(
            "{} documents have no vector of this model, or an outdated one: `braid "
            "adopt{}` gives them one",
            missing + stale + foreign, record.header.model == kVectorsModel ? " --vectors" : ""));
    }
    if (folded_share() > kManyFolded) {
        advice.push_back(
            fmt::format("{:.0f} % of the documents came after training: retrain "
                        "(`braid adopt --retrain`)",
                        100 * folded_share()));
    }
    const double excess = unknown_share_since() - unknown_share_then();
    if (use.words > 0 && excess - unknown_share_error(use) > kMoreUnknown) {
        advice.push_back(fmt::format(
            "{:.0f} % of the new documents' words are unknown to the model, {:.0f} % were when it "
            "was trained: retrain (`braid adopt --retrain`)",
            100 * unknown_share_since(), 100 * unknown_share_then()));
    }
    return advice;
}

TopicState topic_state(const Xapian::Database& database, const Xapian::Database& vectors,
                       const TopicModelIdentity& identity) {
    if (vectors.get_uuid() != database.get_uuid()) check_sidecars(database, {vectors});
    TopicState state;
    state.identity = identity;
    state.record = load_topic_record(vectors, identity.id);
    state.use = load_topic_use(vectors, identity.id);
    const std::uint8_t tag = topic_model_tag(identity.id);
    auto value = vectors.valuestream_begin(state.record.slot);
    const auto end = vectors.valuestream_end(state.record.slot);
    for (auto posting = database.postlist_begin(""); posting != database.postlist_end("");
         ++posting) {
        ++state.documents;
        if (value != end && value.get_docid() < *posting) value.skip_to(*posting);
        if (value == end || value.get_docid() != *posting) {
            ++state.missing;
            continue;
        }
        try {
            const std::string bytes = *value;
            const VectorInfo info = open_vector(bytes, state.record.header.dimensions, "slot").info;
            state.foreign += info.model_tag != tag;
            state.stale += info.model_tag == tag && info.document_length != posting.get_doclength();
        } catch (const FormatError&) {
            ++state.foreign;
        }
    }
    return state;
}

void remove_topic_model(const std::vector<std::string>& databases, const std::string& sidecar,
                        const std::string& name, const Progress& progress) {
    check_targets(databases, sidecar);
    try {
        std::vector<TopicShard> shards;
        shards.reserve(databases.size());
        for (const std::string& spec : databases) {
            shards.push_back(wait_for_lock(kLockPatienceBefore,
                                           [&] { return TopicShard(spec, sidecar, kBatch); }));
        }
        if (!std::any_of(shards.begin(), shards.end(),
                         [&](TopicShard& shard) { return has_any_of(shard.target(), name); })) {
            find_topic_model(shards.front().target(), name);
        }
        for (TopicShard& shard : shards) {
            withdraw_topic_model(shard.target(), name);
            drop_from_ranking(shard.target(), name);
            shard.target().commit();
        }
        for (TopicShard& shard : shards) {
            shard.clear_leftovers("", [&] {
                if (progress && !progress({"removing " + name, 0, 0, "", {}})) {
                    throw Cancelled("stopped: the next command that writes topics clears the rest");
                }
            });
        }
        shards.clear();  // That hold the locks.
        write_table_files(sidecar.empty() ? databases : std::vector<std::string>{sidecar},
                          TableFiles::kRenew);
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

void make_table_files(const std::vector<std::string>& databases, const std::string& sidecar) {
    // The databases beside a sidecar stay as they are.
    write_table_files(sidecar.empty() ? databases : std::vector<std::string>{sidecar},
                      TableFiles::kMake);
}

}  // namespace braid
