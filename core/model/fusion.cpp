// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/fusion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/fuse.h"

namespace braid {

// Equations are those of docs/algorithms/fusion.md.

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Documents that lie somewhere, ascending.
std::vector<std::size_t> placed_documents(std::span<const double> features, std::size_t documents,
                                          bool zero_is_nowhere) {
    const std::size_t width = features.size() / documents;
    std::vector<std::size_t> placed;
    for (std::size_t d = 0; d < documents; ++d) {
        const std::span<const double> own = features.subspan(d * width, width);
        if (!zero_is_nowhere ||
            std::any_of(own.begin(), own.end(), [](double x) { return x != 0; }))
            placed.push_back(d);
    }
    return placed;
}

std::vector<std::size_t> best_of(std::span<const double> scores, std::vector<std::size_t> order,
                                 std::size_t count) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    order.resize(std::min(count, order.size()));
    return order;
}

// One document's row of Z: (6).
void tie_to_nearest(std::span<const double> distances, std::size_t neighbours,
                    std::vector<std::size_t>& nearest, Eigen::Ref<Eigen::RowVectorXd> ties) {
    nearest.resize(distances.size());
    std::iota(nearest.begin(), nearest.end(), std::size_t{0});
    neighbours = std::min(neighbours, nearest.size());
    const auto is_nearer = [&](std::size_t a, std::size_t b) {
        return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
    };
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(neighbours),
                      nearest.end(), is_nearer);
    nearest.resize(neighbours);
    double width = 0;
    for (const std::size_t j : nearest) width += distances[j] / static_cast<double>(neighbours);
    double sum = 0;
    for (const std::size_t j : nearest) {
        const double tie = width > 0 ? std::exp(-distances[j] / width) : 1;
        ties(static_cast<Eigen::Index>(j)) = tie;
        sum += tie;
    }
    ties /= sum;  // The nearest is no further than `width`, so its tie is 1/e or more.
}

Matrix ties_to_anchors(std::span<const double> features, std::size_t documents,
                       const std::vector<std::size_t>& placed,
                       const std::vector<std::size_t>& anchors, std::size_t neighbours) {
    const std::size_t width = features.size() / documents;
    // Squares of huge features would leave the range of a double.
    double largest = 0;
    for (const double feature : features) largest = std::max(largest, std::abs(feature));
    const double unit = largest > 0 ? largest : 1;
    Matrix ties = Matrix::Zero(static_cast<Eigen::Index>(documents),
                               static_cast<Eigen::Index>(anchors.size()));
    std::vector<double> distances(anchors.size());
    std::vector<std::size_t> nearest;
    for (const std::size_t d : placed) {
        for (std::size_t j = 0; j < anchors.size(); ++j) {
            double sum = 0;
            for (std::size_t f = 0; f < width; ++f) {
                const double step =
                    features[d * width + f] / unit - features[anchors[j] * width + f] / unit;
                sum += step * step;
            }
            distances[j] = sum;
        }
        tie_to_nearest(distances, neighbours, nearest, ties.row(static_cast<Eigen::Index>(d)));
    }
    return ties;
}

}  // namespace

void smooth_over_anchors(std::span<const double> features, const AnchorGraphOptions& options,
                         double alpha, std::span<double> scores) {
    if (scores.empty()) return;
    const std::vector<std::size_t> placed =
        placed_documents(features, scores.size(), options.zero_is_nowhere);
    if (placed.empty()) return;
    const std::vector<std::size_t> anchors = best_of(scores, placed, options.anchors);
    Matrix ties = ties_to_anchors(features, scores.size(), placed, anchors, options.neighbours);
    for (Eigen::Index j = 0; j < ties.cols(); ++j) {  // (7)
        const double sum = ties.col(j).sum();
        if (sum > 0) ties.col(j) /= std::sqrt(sum);
    }
    Eigen::Map<Eigen::VectorXd> y(scores.data(), static_cast<Eigen::Index>(scores.size()));
    const Matrix system =
        Matrix::Identity(ties.cols(), ties.cols()) - alpha * (ties.transpose() * ties);
    const Eigen::VectorXd inner = system.llt().solve(ties.transpose() * y);
    const Eigen::VectorXd smooth = (1 - alpha) * (y + alpha * (ties * inner));  // (9)
    for (const std::size_t d : placed) scores[d] = smooth(static_cast<Eigen::Index>(d));
}

namespace {

// A document's scores, added up, and how many and how weighty the lists are that have it.
struct Votes {
    double sum = 0;
    double weight = 0;
    double count = 0;
};

Votes votes(const FusionPool& pool, const FusionSettings& settings, std::size_t document) {
    Votes result;
    for (std::size_t k = 0; k < pool.lists; ++k) {
        const double score = pool.scores[document * pool.lists + k];
        if (std::isnan(score) || settings.weights[k] == 0) continue;
        result.sum += settings.weights[k] * score;
        result.weight += settings.weights[k];
        ++result.count;
    }
    return result;
}

// (1)
void comb_sum(const FusionPool& pool, const FusionSettings& settings, std::span<double> fused) {
    for (std::size_t d = 0; d < fused.size(); ++d) fused[d] = votes(pool, settings, d).sum;
}

// (2)
void comb_anz(const FusionPool& pool, const FusionSettings& settings, std::span<double> fused) {
    for (std::size_t d = 0; d < fused.size(); ++d) {
        const Votes all = votes(pool, settings, d);
        fused[d] = all.weight > 0 ? all.sum / all.weight : 0;
    }
}

// (3)
void comb_mnz(const FusionPool& pool, const FusionSettings& settings, std::span<double> fused) {
    for (std::size_t d = 0; d < fused.size(); ++d) {
        const Votes all = votes(pool, settings, d);
        fused[d] = all.sum * all.count;
    }
}

// Calls `take(list, length)` and then `add(document, position)` for each document of the list;
// positions count from 1, and equal scores share the mean of theirs.
template <typename Take, typename Add>
void by_position(const FusionPool& pool, const Take& take, const Add& add) {
    std::vector<std::uint32_t> order;
    for (std::size_t k = 0; k < pool.lists; ++k) {
        const auto score = [&](std::uint32_t d) { return pool.scores[d * pool.lists + k]; };
        order.clear();
        for (std::uint32_t d = 0; d < pool.documents(); ++d) {
            if (!std::isnan(score(d))) order.push_back(d);
        }
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return score(a) > score(b); });
        take(k, order.size());
        for (std::size_t i = 0; i < order.size();) {
            std::size_t end = i + 1;
            while (end < order.size() && score(order[end]) == score(order[i])) ++end;
            const double position = static_cast<double>(i + end + 1) / 2;
            for (; i < end; ++i) add(order[i], position);
        }
    }
}

// (4)
void borda(const FusionPool& pool, const FusionSettings& settings, std::span<double> fused) {
    const bool shares = settings.choices.at("missing") == "share";
    const auto all = static_cast<double>(pool.documents());
    // What every document has of the lists so far unless it is found: only differences count
    // from there, so a list costs its length.
    double unfound = 0;
    double share = 0;
    double weight = 0;
    by_position(
        pool,
        [&](std::size_t list, std::size_t length) {
            weight = settings.weights[list];
            share = shares ? (all - static_cast<double>(length) + 1) / 2 : 0;
            unfound += weight * share;
        },
        [&](std::uint32_t document, double position) {
            fused[document] += weight * (all - position + 1 - share);
        });
    for (double& points : fused) points += unfound;
}

// (5)
void reciprocal_rank_fusion(const FusionPool& pool, const FusionSettings& settings,
                            std::span<double> fused) {
    const double k = settings.parameters.at("k");
    double weight = 0;
    by_position(
        pool, [&](std::size_t list, std::size_t) { weight = settings.weights[list]; },
        [&](std::uint32_t document, double position) {
            fused[document] += weight / (k + position);
        });
}

// (6) to (9)
void manifold(const FusionPool& pool, const FusionSettings& settings, std::span<double> fused) {
    if (settings.choices.at("scores") == "combsum") {
        comb_sum(pool, settings, fused);
    } else {
        comb_mnz(pool, settings, fused);
    }
    std::vector<double> places;
    std::span<const double> features = pool.features;
    const bool by_scores = settings.choices.at("graph") == "scores";
    if (!by_scores && features.empty()) {
        throw InvalidArgument(
            "amanx: graph=features needs a vector for each document, and there are none");
    }
    if (by_scores) {
        for (std::size_t i = 0; i < pool.scores.size(); ++i) {
            const bool counts = settings.weights[i % pool.lists] > 0 && !std::isnan(pool.scores[i]);
            places.push_back(counts ? pool.scores[i] : 0);
        }
        features = places;
    }
    const AnchorGraphOptions options{
        .anchors = static_cast<std::size_t>(settings.parameters.at("anchors")),
        .neighbours = static_cast<std::size_t>(settings.parameters.at("neighbours")),
        .zero_is_nowhere = !by_scores};
    smooth_over_anchors(features, options, settings.parameters.at("alpha"), fused);
}

const ChoiceInfo kBordaMissing = {
    "missing", "share", {"share", "none"}, "documents a list lacks share what is left, or get 0"};

const ChoiceInfo kSmoothed = {
    "scores", "combsum", {"combsum", "combmnz"}, "what is smoothed over the graph"};

const ChoiceInfo kGraph = {"graph",
                           "scores",
                           {"scores", "features"},
                           "where documents are near: by scores, or by vectors"};

// Those that are given; none means all alike.
void check_weights(const std::vector<double>& weights) {
    for (const double weight : weights) {
        if (weight >= 0 && std::isfinite(weight)) continue;
        throw InvalidArgument(
            fmt::format("the weight of a list is {}, expected a number from 0 up", weight));
    }
    if (weights.empty() || *std::max_element(weights.begin(), weights.end()) > 0) return;
    throw InvalidArgument("all lists have the weight 0, expected one above it");
}

void check(const FusionPool& pool) {
    if (pool.lists == 0 || pool.scores.size() % pool.lists != 0) {
        throw InvalidArgument(fmt::format("{} scores of {} lists, expected one a document and list",
                                          pool.scores.size(), pool.lists));
    }
    const std::size_t documents = pool.documents();
    if (documents > 0 && pool.features.size() % documents != 0) {
        throw InvalidArgument(
            fmt::format("{} features of {} documents, expected as many for "
                        "each",
                        pool.features.size(), documents));
    }
    for (std::size_t i = 0; i < pool.scores.size(); ++i) {
        if (!std::isinf(pool.scores[i])) continue;
        throw InvalidArgument(
            fmt::format("the score of row {} in list {} is {}, expected a finite "
                        "number",
                        i / pool.lists, i % pool.lists, pool.scores[i]));
    }
    for (const double feature : pool.features) {
        if (std::isfinite(feature)) continue;
        throw InvalidArgument(
            fmt::format("a feature of a document is {}, expected a finite number", feature));
    }
}

}  // namespace

const Registry<FusionInfo>& fusion_methods() {
    static const Registry<FusionInfo> registry(
        "fusion method",
        {
            {"combsum", "sum of scores", "Fox, Shaw 1994", {}, {}, true, true, comb_sum},
            {"combanz",
             "mean over the lists that have it",
             "Fox, Shaw 1994",
             {},
             {},
             true,
             false,
             comb_anz},
            {"combmnz",
             "sum of scores x lists that have it",
             "Fox, Shaw 1994",
             {},
             {},
             true,
             false,
             comb_mnz},
            {"borda",
             "sum of (documents - position + 1)",
             "Aslam, Montague 2001",
             {},
             {kBordaMissing},
             false,
             true,
             borda},
            {"rrf",
             "sum of 1 / (k + position)",
             "Cormack, Clarke, Buettcher 2009",
             {{"k", 60, 0, 1e6, "added to the position (2009: 60)"}},
             {},
             false,
             true,
             reciprocal_rank_fusion},
            {"amanx",
             "scores smoothed over a graph through anchors",
             "Liang et al. 2018",
             {{"alpha", 0.5, 0, 0.999, "how much comes from neighbours"},
              {"anchors", 20, 1, 1000, "best documents that the others are tied to", kWhole},
              {"neighbours", 3, 1, 1000, "nearest anchors a document is tied to", kWhole}},
             {kSmoothed, kGraph},
             true,
             false,
             manifold},
        });
    return registry;
}

Fuser::Fuser(const FusionOptions& options)
    : info_(&fusion_methods().find(options.method)), normaliser_(options.normaliser) {
    const std::vector<double> values =
        resolve_parameters(info_->name, info_->parameters, options.parameters);
    for (std::size_t i = 0; i < values.size(); ++i) {
        settings_.parameters[info_->parameters[i].name] = values[i];
    }
    settings_.choices = resolve_choices(info_->name, info_->choices, options.choices);
    settings_.weights = options.weights;
    check_weights(settings_.weights);
    if (!info_->uses_scores && !normaliser_.empty()) {
        throw InvalidArgument(
            fmt::format("{} looks at the order of each list only: normaliser {} would have no "
                        "effect",
                        info_->name, normaliser_));
    }
    if (normaliser_.empty()) normaliser_ = info_->uses_scores ? "min-max" : "none";
    const NormaliserInfo& normaliser = normalisers().find(normaliser_);
    normaliser_parameters_ =
        resolve_parameters(normaliser_, normaliser.parameters, options.normaliser_parameters);
    if (normaliser.needs_bounds) {
        throw InvalidArgument("normaliser " + normaliser_ +
                              " needs bounds, which lists don't have");
    }
    if (normaliser.of_positions) {
        throw InvalidArgument("normaliser " + normaliser_ +
                              " takes positions, and lists have scores; borda and rrf look at the "
                              "positions of theirs");
    }
}

void Fuser::normalise(std::vector<double>& scores, std::size_t lists) const {
    const NormaliserInfo& normaliser = normalisers().find(normaliser_);
    std::vector<double> present;
    for (std::size_t k = 0; k < lists; ++k) {
        present.clear();
        for (std::size_t i = k; i < scores.size(); i += lists) {
            if (!std::isnan(scores[i])) present.push_back(scores[i]);
        }
        if (present.empty()) continue;
        normaliser.normalise(present, 0, normaliser_parameters_);
        std::size_t next = 0;
        for (std::size_t i = k; i < scores.size(); i += lists) {
            if (!std::isnan(scores[i])) scores[i] = present[next++];
        }
    }
}

std::vector<double> Fuser::weights_for(std::size_t lists) const {
    if (settings_.weights.empty()) return std::vector<double>(lists, 1);
    if (settings_.weights.size() == lists) return settings_.weights;
    throw InvalidArgument(fmt::format("{} weights of {} lists, expected one a list",
                                      settings_.weights.size(), lists));
}

std::vector<double> Fuser::fuse(const FusionPool& pool, std::vector<double> weights) const {
    std::vector<double> fused(pool.documents(), 0);
    if (fused.empty()) return fused;
    std::vector<double> scores(pool.scores.begin(), pool.scores.end());
    if (info_->uses_scores) normalise(scores, pool.lists);
    FusionSettings settings = settings_;
    settings.weights = std::move(weights);
    info_->fuse({pool.lists, scores, pool.features}, settings, fused);
    return fused;
}

std::vector<double> Fuser::fuse(const FusionPool& pool) const {
    check(pool);
    return fuse(pool, weights_for(pool.lists));
}

std::vector<double> Fuser::part(const FusionPool& pool, std::size_t list) const {
    check(pool);
    std::vector<double> weights(pool.lists, 0);
    weights.at(list) = weights_for(pool.lists).at(list);
    return fuse(pool, std::move(weights));
}

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
