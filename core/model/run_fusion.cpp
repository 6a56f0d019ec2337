// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/model/fusion.h"
#include "braid/error.h"
#include "braid/fuse.h"

namespace braid {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const QueryRun& list, const ScoredDocument& document,
                         const std::string& problem) {
    throw InvalidArgument(fmt::format("document {} of query {} {}", shown(document.document),
                                      shown(list.query), problem));
}

// Rows by document; a list's scores go into its column.
class PoolBuilder {
  public:
    explicit PoolBuilder(std::size_t lists) : lists_(lists) {}

    void add(std::size_t column, const QueryRun& list, std::size_t depth) {
        std::vector<ScoredDocument> ranked = list.documents;
        for (const ScoredDocument& document : ranked) {
            if (std::isfinite(document.score)) continue;
            refuse(list, document,
                   fmt::format("has score {}, expected a finite number", document.score));
        }
        if (depth > 0 && depth < ranked.size()) {
            rank_documents(ranked);
            ranked.resize(depth);
        }
        for (const ScoredDocument& document : ranked) {
            const auto [place, is_new] = rows_.try_emplace(document.document, documents_.size());
            if (is_new) {
                documents_.push_back({document.document, 0});
                scores_.resize(scores_.size() + lists_, kMissing);
            }
            double& score = scores_[place->second * lists_ + column];
            if (!std::isnan(score)) refuse(list, document, "is in its list twice");
            score = document.score;
        }
    }

    FusionPool pool(const std::vector<double>& features) const {
        return {lists_, scores_, features};
    }
    std::vector<double> features(const PlaceFinder& places) const {
        std::size_t width = 1;  // Where no document has a vector all lie nowhere.
        for (const ScoredDocument& document : documents_) {
            width = std::max(width, places(document.document).size());
        }
        std::vector<double> result(documents_.size() * width, 0);
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            const std::span<const float> place = places(documents_[i].document);
            std::copy(place.begin(), place.end(),
                      result.begin() + static_cast<std::ptrdiff_t>(i * width));
        }
        return result;
    }
    std::vector<ScoredDocument>& documents() { return documents_; }

  private:
    std::size_t lists_;
    std::unordered_map<std::string_view, std::size_t> rows_;
    std::vector<ScoredDocument> documents_;
    std::vector<double> scores_;
};

}  // namespace

std::vector<RunQuery> queries_of(std::span<const Run> runs) {
    std::vector<RunQuery> result;
    for (std::size_t first = 0; first < runs.size(); ++first) {
        for (const QueryRun& query : runs[first].queries()) {
            RunQuery entry{query.query, std::vector<const QueryRun*>(runs.size(), nullptr)};
            bool is_new = true;
            for (std::size_t r = 0; r < runs.size(); ++r) {
                entry.lists[r] = r == first ? &query : runs[r].find(query.query);
                if (r < first && entry.lists[r] != nullptr) is_new = false;
            }
            if (is_new) result.push_back(std::move(entry));
        }
    }
    return result;
}

QueryRun fuse_lists(const Fuser& fuser, const RunQuery& query, std::size_t depth,
                    const PlaceFinder& places) {
    PoolBuilder builder(query.lists.size());
    for (std::size_t r = 0; r < query.lists.size(); ++r) {
        if (query.lists[r] != nullptr) builder.add(r, *query.lists[r], depth);
    }
    const std::vector<double> features = places ? builder.features(places) : std::vector<double>();
    QueryRun result{query.query, std::move(builder.documents())};
    if (result.documents.empty()) return result;
    const std::vector<double> fused = fuser.fuse(builder.pool(features));
    for (std::size_t i = 0; i < fused.size(); ++i) result.documents[i].score = fused[i];
    rank_documents(result.documents);
    return result;
}

}  // namespace braid
