// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/topic_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "braid/core/vectors/query_vector.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

Xapian::Database topic_holder(const Xapian::Database& shard,
                              const std::vector<Xapian::Database>& sidecars,
                              const std::string& model_id, const std::string& source) {
    const Xapian::Database* holder = &shard;
    if (!sidecars.empty()) {
        holder = find_sidecar(sidecars, shard.get_uuid());
        if (holder == nullptr) {
            throw Xapian::InvalidOperationError(fmt::format(
                "{}: none of the {} sidecars was made for the database with the UUID {}", source,
                sidecars.size(), shard.get_uuid()));
        }
    }
    if (holder->get_metadata(topic_key(model_id, kTopicRecordEnding)).empty()) {
        throw Xapian::InvalidOperationError(
            fmt::format("{}: the database with the UUID {} doesn't hold the topic model {}; all "
                        "shards must have the same models",
                        source, holder->get_uuid(), model_id));
    }
    return *holder;
}

namespace {

// Vectors of clusters are of length 1 within this; docs/algorithms/hybrid.md (4) has room for it.
double length_margin(VectorCoding coding) {
    return coding == VectorCoding::kFloat16 ? 5.2e-4 : 1e-6;
}

// Centroids' lengths are as good as their floats.
constexpr double kCentroidMargin = 5e-7;

double vector_length(std::span<const float> vector) {
    double squares = 0;
    for (const float x : vector) squares += double{x} * x;
    return std::sqrt(squares);
}

TopicClusters clusters_of(const Xapian::Database& shard, const TopicSlot& model,
                          std::size_t dimensions) {
    const std::string key = topic_key(model.id, kTopicClustersEnding);
    const std::string bytes = shard.get_metadata(key);
    if (bytes.empty()) return {};
    TopicClusters clusters = parse_topic_clusters(bytes, "metadata key " + key);
    if (clusters.centroids.columns != dimensions) {
        throw FormatError(fmt::format("metadata key {}: found {} dimensions, expected {}", key,
                                      clusters.centroids.columns, dimensions));
    }
    return clusters;
}

}  // namespace

struct TopicTable::Loader {
    struct Entry {
        Xapian::docid docid = 0;
        std::uint32_t cluster = 0;  // The number of clusters means none.
        float cosine = 0;
        std::uint32_t begin = 0;  // Where the vector's bytes begin.
        std::uint32_t size = 0;
    };

    Loader(const Xapian::Database& shard, const TopicSlot& model, std::size_t dimensions,
           std::size_t most_bytes)
        : dimensions_(dimensions),
          tag_(topic_model_tag(model.id)),
          most_bytes_(std::min<std::size_t>(most_bytes, std::numeric_limits<std::uint32_t>::max())),
          clusters_(clusters_of(shard, model, dimensions)),
          decoded_(dimensions) {}

    std::uint32_t none() const { return static_cast<std::uint32_t>(clusters_.size()); }

    // False where there is no room.
    bool read(const Xapian::Database& shard, const TopicSlot& model) {
        if (!read_clusters(shard, model.id)) return false;
        Xapian::docid before = 0;
        const Xapian::ValueIterator end = shard.valuestream_end(model.slot);
        for (auto value = shard.valuestream_begin(model.slot); value != end; ++value) {
            const Xapian::docid docid = value.get_docid();
            require_ascending(before, docid,
                              [&] { return fmt::format("value slot {}", model.slot); });
            before = docid;
            if (!add(docid, *value)) return false;
        }
        return true;
    }

    bool read_clusters(const Xapian::Database& shard, const std::string& id) {
        std::vector<DocumentValues<std::uint32_t>::Entry> found;
        for (std::uint32_t c = 0; c < none(); ++c) {
            if (!(std::fabs(vector_length(clusters_.centroids.row(c)) - 1) <= kCentroidMargin))
                continue;
            const std::string term = cluster_term(id, c);
            const Xapian::PostingIterator end = shard.postlist_end(term);
            for (auto posting = shard.postlist_begin(term); posting != end; ++posting) {
                if (found.size() == most_bytes_ / sizeof found[0]) return false;
                found.push_back({*posting, c});
            }
        }
        cluster_of_ = DocumentValues<std::uint32_t>(std::move(found), none());
        return true;
    }

    bool add(Xapian::docid docid, const std::string& bytes) {
        const auto stored = try_open_vector(bytes, dimensions_);
        if (!stored) ++damaged_;
        if (!stored || stored->info.model_tag != tag_) return true;
        decode_vector(*stored, decoded_);
        const double length = vector_length(decoded_);
        if (length == 0) return true;
        if (bytes_.size() + bytes.size() > most_bytes_) return false;
        Entry entry{docid, cluster_of_.of(docid), 0, static_cast<std::uint32_t>(bytes_.size()),
                    static_cast<std::uint32_t>(bytes.size())};
        const VectorCoding coding = stored->info.coding;
        if (!(std::fabs(length - 1) <= length_margin(coding)) ||
            coding != coding_.value_or(coding)) {
            entry.cluster = none();
        }
        if (entry.cluster < none()) {
            coding_ = coding;
            double dot = 0;
            const std::span<const float> centroid = clusters_.centroids.row(entry.cluster);
            for (std::size_t i = 0; i < dimensions_; ++i) dot += double{decoded_[i]} * centroid[i];
            entry.cosine = static_cast<float>(dot / length);
        }
        most_component_ = std::max(most_component_, bytes_per_component(coding));
        bytes_ += bytes;
        entries_.push_back(entry);
        return true;
    }

    // Rows, cluster by cluster, nearest first.
    std::vector<std::uint32_t> by_cluster() const {
        std::vector<std::uint32_t> rows(entries_.size());
        std::iota(rows.begin(), rows.end(), 0U);
        std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(entries_[a].cluster, -entries_[a].cosine) <
                   std::pair(entries_[b].cluster, -entries_[b].cosine);
        });
        return rows;
    }

    std::size_t dimensions_;
    std::uint8_t tag_;
    std::size_t most_bytes_;
    TopicClusters clusters_;
    std::vector<float> decoded_;
    DocumentValues<std::uint32_t> cluster_of_;
    std::string bytes_;
    std::vector<Entry> entries_;
    std::size_t most_component_ = 1;
    std::uint64_t damaged_ = 0;
    std::optional<VectorCoding> coding_;  // The coding of clustered vectors.
};

std::shared_ptr<const TopicTable> TopicTable::load(const Xapian::Database& shard,
                                                   const TopicSlot& model, std::size_t dimensions,
                                                   std::size_t most_bytes) {
    Loader loader(shard, model, dimensions, most_bytes);
    if (!loader.read(shard, model)) return nullptr;
    const std::shared_ptr<TopicTable> made(new TopicTable);
    const std::size_t row_bytes = sizeof(Head) + dimensions * loader.most_component_;
    made->dimensions_ = dimensions;
    made->damaged_ = loader.damaged_;
    made->stride_ = (row_bytes + kLine - 1) / kLine * kLine;
    const std::size_t size = made->stride_ * loader.entries_.size();
    const std::size_t beside = 3 * sizeof(std::uint32_t) * loader.entries_.size();
    if (size + beside + loader.cluster_of_.bytes() > most_bytes) return nullptr;
    made->bytes_.reset(static_cast<char*>(::operator new (size, std::align_val_t{kLine})));
    made->begin_ = made->bytes_.get();
    std::memset(made->bytes_.get(), 0, size);
    made->docids_.reserve(loader.entries_.size());
    for (const Loader::Entry& entry : loader.entries_) {
        made->add(entry.docid,
                  *try_open_vector({loader.bytes_.data() + entry.begin, entry.size}, dimensions));
    }
    made->number_rows();
    made->members_ = loader.by_cluster();
    made->cosines_.reserve(made->members_.size());
    for (const std::uint32_t row : made->members_) {
        const Loader::Entry& entry = loader.entries_[row];
        const auto number = static_cast<std::uint32_t>(made->cosines_.size());
        made->cosines_.push_back(entry.cosine);
        if (entry.cluster == loader.none()) continue;
        made->begins_.resize(entry.cluster + std::size_t{1}, number);
        made->unclustered_ = number + 1;
    }
    made->begins_.resize(loader.none(), made->unclustered_);
    made->centroids_ = std::move(loader.clusters_.centroids);
    return made;
}

std::shared_ptr<const TopicTable> TopicTable::map(std::shared_ptr<const TableFile> file,
                                                  const TopicSlot& model, std::size_t dimensions) {
    for (const TableFile::Vectors& vectors : file->vectors()) {
        if (vectors.id != model.id || vectors.slot != model.slot ||
            vectors.dimensions != dimensions) {
            continue;
        }
        const std::shared_ptr<TopicTable> made(new TopicTable);
        made->dimensions_ = dimensions;
        made->damaged_ = vectors.damaged;
        made->stride_ = vectors.stride;
        made->begin_ = vectors.rows;
        made->mapped_ = &vectors;
        made->file_ = std::move(file);
        return made;
    }
    return nullptr;
}

void TopicTable::add(Xapian::docid docid, const StoredVector& stored) {
    const std::uint32_t row = rows();
    char* const at = bytes_.get() + row * stride_;
    ::new (at)
        Head{0, stored.scale, QueryVector::rest_of(stored, dimensions_), stored.info.coding, {}};
    std::memcpy(at + sizeof(Head), stored.codes.data(), stored.codes.size());
    docids_.push_back(docid);
}

void TopicTable::number_rows() {
    std::vector<DocumentValues<Rows>::Entry> blocks;
    for (std::uint32_t row = 0; row < rows(); ++row) {
        const auto block = static_cast<Xapian::docid>(docids_[row] / kBits);
        if (blocks.empty() || blocks.back().docid != block) blocks.push_back({block, {0, row}});
        blocks.back().value.have |= std::uint64_t{1} << (docids_[row] % kBits);
    }
    rows_ = DocumentValues<Rows>(std::move(blocks));
}

void TopicTable::Free::operator()(char* bytes) const noexcept {
    ::operator delete (bytes, std::align_val_t{kLine});
}

TopicTable::Cluster TopicTable::cluster(std::uint32_t number) const noexcept {
    const bool last = number + std::size_t{1} == begins_.size();
    const float* const centroid = centroids_.values.data() + number * centroids_.columns;
    return {begins_[number],
            last ? unclustered_ : begins_[number + 1],
            {{VectorCoding::kFloat32, 0, 0},
             1,
             {reinterpret_cast<const char*>(centroid), centroids_.columns * sizeof(float)}}};
}

std::size_t TopicTable::bytes() const {
    return docids_.size() * (stride_ + 3 * sizeof(docids_[0])) + rows_.bytes() +
           centroids_.values.size() * sizeof(float);
}

}  // namespace braid
