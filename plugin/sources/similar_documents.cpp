// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/similar_documents.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "braid/core/base/vector_sums.h"
#include "braid/core/vectors/nearest_centroid.h"

namespace braid {
namespace {

// How far cosines with centroids may be from the exact ones, and lengths of vectors from 1.
constexpr double kCosineError = 1e-6;

// Rows whose vectors are fetched ahead.
constexpr std::size_t kRowsAhead = 8;

constexpr std::size_t kBits = 64;
constexpr std::size_t kFirstClusters = 4;

}  // namespace

SimilarDocuments::SimilarDocuments(const std::vector<TopicColumn>& columns,
                                   const TopicFinding& finding, double beyond,
                                   FusedCounters& counters, TimeLimit* limit)
    : columns_(columns),
      finding_(finding),
      beyond_(beyond),
      floor_(finding.floor),
      counters_(&counters),
      limit_(limit) {
    for (const TopicColumn& column : columns) {
        if (lead_ == nullptr || column.bound() > lead_->bound()) lead_ = &column;
    }
    if (lead_ == nullptr) return;
    for (const TopicColumn& column : columns) {
        if (&column != lead_) others_ += column.bound();
    }
    double squares = 0;
    for (const float x : lead_->query().values()) squares += double{x} * x;
    length_ = std::sqrt(squares);
    const TopicTable& table = *lead_->table();
    if (table.unclustered() == 0 || !(length_ > 0)) return;
    const VectorCoding coding = table.vector(0).info.coding;
    const QueryVector& query = lead_->query();
    margin_ = cosine_margin(coding) + kCosineError +
              (query.error_bound(coding) + 2 * query.error_bound(VectorCoding::kFloat32)) / length_;
}

bool SimilarDocuments::misses(double score) const { return score * kBoundRounding < floor_; }

std::vector<Xapian::docid> SimilarDocuments::find() {
    found_.clear();
    best_.clear();
    if (lead_ == nullptr || !(length_ > 0)) return {};
    const TopicTable& table = *lead_->table();
    chosen_.assign(table.rows() / kBits + 1, 0);
    choose(table.unclustered(), table.rows());
    visit_others();
    const std::vector<Place> order = places();
    counters_->clusters += order.size();
    // Until the floor is known, the best clusters are visited first.
    std::size_t turn = finding_.best > 0 ? kFirstClusters : order.size();
    std::size_t visited = 0;
    for (const Place& place : order) {
        if (misses(most_in(place)) || is_over()) break;
        if (visited == (finding_.most_clusters > 0 ? finding_.most_clusters : order.size())) break;
        choose_from(place);
        if (++visited % turn != 0) continue;
        look_at_chosen();
        turn *= 4;
    }
    look_at_chosen();
    counters_->clusters_visited += visited;
    for (std::size_t i = visited; i < order.size() && !misses(most_in(order[i])); ++i) {
        ++counters_->clusters_left;
        counters_->left_bound = std::max(counters_->left_bound, kBoundRounding * most_in(order[i]));
    }
    std::vector<Xapian::docid> result;
    for (const Found& found : found_) {
        if (!misses(found.score + beyond_)) result.push_back(found.docid);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

// No document of the cluster without a word of the query scores more.
double SimilarDocuments::most_in(const Place& place) const {
    return lead_->weight() * std::clamp(place.bound, 0.0, 1.0) + others_ + beyond_;
}

// docs/algorithms/hybrid.md (4): of a member of that cosine with its centroid.
double SimilarDocuments::member_bound(double centroid, double cosine) const {
    const double bound =
        centroid < cosine ? cosine_bound(centroid, cosine - kCosineError, margin_)
                          : cosine_bound(cosine + kCosineError, centroid - kCosineError, margin_);
    return length_ * bound;
}

std::vector<SimilarDocuments::Place> SimilarDocuments::places() const {
    const TopicTable& table = *lead_->table();
    const QueryVector& query = lead_->query();
    std::vector<Place> order;
    order.reserve(table.clusters());
    for (std::uint32_t c = 0; c < table.clusters(); ++c) {
        const TopicTable::Cluster cluster = table.cluster(c);
        if (cluster.begin == cluster.end) continue;
        Place place{c, query.dot(cluster.centroid) / length_, 0};
        const double nearest = table.cosine(cluster.begin);
        const double farthest = table.cosine(cluster.end - 1);
        place.bound = member_bound(place.centroid, std::clamp(place.centroid, farthest, nearest));
        order.push_back(place);
    }
    std::sort(order.begin(), order.end(), [](const Place& a, const Place& b) {
        if (a.bound != b.bound) return a.bound > b.bound;
        if (a.centroid != b.centroid) return a.centroid > b.centroid;
        return a.cluster < b.cluster;
    });
    return order;
}

// No document below this can reach the floor.
double SimilarDocuments::wanted_product() const {
    return (floor_ / (kBoundRounding * kBoundRounding) - others_ - beyond_) / lead_->weight();
}

// A member's bound rises up to those as far from the centroid as the query, and falls after them.
void SimilarDocuments::choose_from(const Place& place) {
    const TopicTable& table = *lead_->table();
    const TopicTable::Cluster cluster = table.cluster(place.cluster);
    const double wanted = wanted_product();
    std::uint32_t begin = cluster.begin;
    std::uint32_t end = cluster.end;
    const auto narrow = [&](std::uint32_t from, std::uint32_t to, const auto& is_before) {
        while (from < to) {
            const std::uint32_t middle = from + (to - from) / 2;
            if (is_before(table.cosine(middle))) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    };
    if (wanted > 0) {
        begin = narrow(begin, end, [&](double cosine) {
            return cosine > place.centroid && member_bound(place.centroid, cosine) < wanted;
        });
        end = narrow(begin, end, [&](double cosine) {
            return cosine >= place.centroid || member_bound(place.centroid, cosine) >= wanted;
        });
    }
    choose(begin, end);
}

void SimilarDocuments::choose(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = lead_->table()->member(i);
        chosen_[row / kBits] |= std::uint64_t{1} << (row % kBits);
    }
}

// Visits them in the order of rows, which is that of memory.
void SimilarDocuments::look_at_chosen() {
    rows_.clear();
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
        for (std::uint64_t bits = std::exchange(chosen_[i], 0); bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
            rows_.push_back(static_cast<std::uint32_t>(i * kBits + bit));
        }
    }
    for (std::size_t i = 0; i < rows_.size() && !is_over(); ++i) {
        lead_->table()->prefetch(rows_[std::min(i + kRowsAhead, rows_.size() - 1)]);
        look(rows_[i]);
    }
}

void SimilarDocuments::look(std::uint32_t row) {
    ++counters_->vectors_bounded;
    if (misses(lead_->row_bound(row) + others_ + beyond_)) return;
    double score = lead_->row_part(row);
    if (columns_.size() > 1) {
        if (misses(score + others_ + beyond_)) return;
        const Xapian::docid docid = lead_->table()->docid(row);
        for (const TopicColumn& column : columns_) {
            const std::uint32_t other = column.table()->row(docid);
            if (&column != lead_ && other != TopicTable::kNoRow) score += column.row_part(other);
        }
    }
    add(lead_->table()->docid(row), score);
}

// Documents that the leading model has no vector of: each once, for the first of the others that
// has one.
void SimilarDocuments::visit_others() {
    if (columns_.size() == 1 || misses(others_ + beyond_)) return;
    for (const TopicColumn& column : columns_) {
        for (std::uint32_t row = 0; row < column.table()->rows() && !is_over(); ++row) {
            const Xapian::docid docid = column.table()->docid(row);
            const auto has = [&](const TopicColumn& other) {
                return other.table()->row(docid) != TopicTable::kNoRow;
            };
            if (has(*lead_)) continue;
            if (&*std::find_if(columns_.begin(), columns_.end(), has) != &column) continue;
            double score = 0;
            for (const TopicColumn& other : columns_) {
                if (has(other)) score += other.row_part(other.table()->row(docid));
            }
            add(docid, score);
        }
    }
}

void SimilarDocuments::add(Xapian::docid docid, double score) {
    if (!(score > 0) || misses(score + beyond_)) return;
    found_.push_back({docid, score});
    if (finding_.best == 0) return;
    best_.push_back(score);
    std::push_heap(best_.begin(), best_.end(), std::greater<>());
    if (best_.size() > finding_.best) {
        std::pop_heap(best_.begin(), best_.end(), std::greater<>());
        best_.pop_back();
    }
    if (best_.size() == finding_.best) floor_ = std::max(floor_, best_.front());
}

void keep_existing(const Xapian::Database& shard, std::vector<Xapian::docid>& documents) {
    Xapian::PostingIterator document = shard.postlist_begin("");
    const Xapian::PostingIterator end = shard.postlist_end("");
    std::erase_if(documents, [&](Xapian::docid docid) {
        if (document != end) document.skip_to(docid);
        return document == end || *document != docid;
    });
}

}  // namespace braid
