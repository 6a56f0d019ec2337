// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/click_model.h"

#include <algorithm>
#include <array>
#include <cmath>

// Equations are those of docs/algorithms/clicks.md.

namespace braid {
namespace {

constexpr std::size_t kIrrelevant = 0;
constexpr std::size_t kRelevant = 1;
constexpr std::array<double, 2> kStart = {0.05, 0.5};
constexpr double kStartShare = 0.2;
constexpr double kPriorShown = 20;  // Showings of each kind with the clicks of the start.
constexpr double kPriorAll = 10;    // Pairs of the start's share,
constexpr double kPriorPairs = 5;   // and of the mean share for each usual position.
constexpr double kMostIterations = 500;
constexpr double kConverged = 1e-7;
constexpr double kLeast = 1e-9;

double first_look(std::size_t position) {
    return position == 0 ? 1 : 1 / static_cast<double>(position);
}

// A document can't be clicked more often than it was shown.
double shown_at(double shown, double clicks) { return std::max(shown, clicks); }

}  // namespace

void ClickCounts::add(std::string_view query, std::string_view document, std::size_t position,
                      double shown, double clicks) {
    std::string name(query);
    name += '\0';
    name += document;
    const auto [found, is_new] = by_name_.emplace(std::move(name), pairs_.size());
    if (is_new) pairs_.push_back({std::string(query), std::string(document), {}});
    std::vector<Place>& places = pairs_[found->second].places;
    const auto place = std::find_if(places.begin(), places.end(),
                                    [&](const Place& one) { return one.position == position; });
    if (place == places.end()) {
        places.push_back({position, shown, clicks});
    } else {
        place->shown += shown;
        place->clicks += clicks;
    }
}

double ClickCounts::shown(std::size_t pair) const {
    double sum = 0;
    for (const Place& place : pairs_[pair].places) sum += shown_at(place.shown, place.clicks);
    return sum;
}

double ClickCounts::clicks(std::size_t pair) const {
    double sum = 0;
    for (const Place& place : pairs_[pair].places) sum += place.clicks;
    return sum;
}

std::size_t ClickCounts::unshown() const {
    return static_cast<std::size_t>(
        std::count_if(pairs_.begin(), pairs_.end(), [](const Pair& pair) {
            return std::any_of(pair.places.begin(), pair.places.end(),
                               [](const Place& place) { return place.clicks > place.shown; });
        }));
}

double ClickCounts::moved() const {
    double all = 0;
    double moved = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const double count = shown(i);
        all += count;
        if (pairs_[i].places.size() > 1) moved += count;
    }
    return all > 0 ? moved / all : 0;
}

/// The model as it is being fitted.
class ClickCounts::Fit {
  public:
    explicit Fit(const std::vector<Pair>& pairs) : pairs_(pairs), clicks_(kStart) {
        relevance_.assign(pairs.size(), kStartShare);
        for (const Pair& pair : pairs) {
            double shown = 0;
            double positions = 0;
            for (const Place& place : pair.places) {
                const double count = shown_at(place.shown, place.clicks);
                looks_.emplace(place.position, first_look(place.position));
                shown += count;
                positions += count * static_cast<double>(place.position);
            }
            const double mean = shown > 0 ? positions / shown : 0;
            usual_.push_back(static_cast<std::size_t>(std::lround(mean)));
            shares_[usual_.back()] = kStartShare;
        }
    }

    // Returns how far the probabilities moved.
    double step() {
        for (std::size_t i = 0; i < pairs_.size(); ++i) relevance_[i] = relevance_of(i);  // (2)
        const std::array<double, 2> before = clicks_;
        const std::map<std::size_t, double> looks_before = looks_;
        update_clicks_and_looks();
        update_shares();
        double change =
            std::max(std::abs(clicks_[0] - before[0]), std::abs(clicks_[1] - before[1]));
        for (const auto& [position, look] : looks_) {
            change = std::max(change, std::abs(look - looks_before.at(position)));
        }
        return change;
    }

    ClickModel model() const {
        return {.looks = looks_,
                .clicks_relevant = clicks_[kRelevant],
                .clicks_irrelevant = clicks_[kIrrelevant],
                .relevance = relevance_};
    }

  private:
    double relevance_of(std::size_t pair) const {
        const double share = shares_.at(usual_[pair]);
        std::array<double, 2> log_likelihood = {std::log(1 - share), std::log(share)};
        for (const Place& place : pairs_[pair].places) {
            const double look = looks_.at(place.position);
            const double left = shown_at(place.shown, place.clicks) - place.clicks;
            for (std::size_t kind = 0; kind < 2; ++kind) {
                const double click = std::clamp(look * clicks_[kind], kLeast, 1 - kLeast);
                log_likelihood[kind] += place.clicks * std::log(click) + left * std::log(1 - click);
            }
        }
        return 1 / (1 + std::exp(log_likelihood[kIrrelevant] - log_likelihood[kRelevant]));
    }

    // (3) to (5)
    void update_clicks_and_looks() {
        struct Sums {
            double found = 0;
            double shown = 0;
        };
        std::map<std::size_t, Sums> looked;
        std::array<Sums, 2> clicked;
        for (std::size_t kind = 0; kind < 2; ++kind) {
            clicked[kind] = {kPriorShown * kStart[kind], kPriorShown};
        }
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            for (const Place& place : pairs_[i].places) {
                const double look = looks_.at(place.position);
                const double shown = shown_at(place.shown, place.clicks);
                Sums& here = looked[place.position];
                here.shown += shown;
                for (std::size_t kind = 0; kind < 2; ++kind) {
                    const double weight = kind == kRelevant ? relevance_[i] : 1 - relevance_[i];
                    const double none = std::max(1 - look * clicks_[kind], kLeast);
                    const double left = shown - place.clicks;
                    here.found +=
                        weight * (place.clicks + left * look * (1 - clicks_[kind]) / none);
                    clicked[kind].found +=
                        weight * (place.clicks + left * clicks_[kind] * (1 - look) / none);
                    clicked[kind].shown += weight * shown;
                }
            }
        }
        double most = 0;
        for (const auto& [position, sums] : looked) {
            looks_[position] = (sums.found + first_look(position)) / (sums.shown + 1);
            most = std::max(most, looks_[position]);
        }
        for (auto& [position, look] : looks_) look /= most;
        for (std::size_t kind = 0; kind < 2; ++kind) {
            clicks_[kind] =
                std::clamp(clicked[kind].found / clicked[kind].shown * most, kLeast, 1 - kLeast);
        }
        // Relevant is what is clicked more.
        if (clicks_[kRelevant] < clicks_[kIrrelevant]) std::swap(clicks_[0], clicks_[1]);
    }

    // (6)
    void update_shares() {
        double mean = kPriorAll * kStartShare;
        for (const double relevance : relevance_) mean += relevance;
        mean /= kPriorAll + static_cast<double>(relevance_.size());
        std::map<std::size_t, std::pair<double, double>> sums;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            sums[usual_[i]].first += relevance_[i];
            sums[usual_[i]].second += 1;
        }
        for (const auto& [position, sum] : sums) {
            const double share = (sum.first + kPriorPairs * mean) / (sum.second + kPriorPairs);
            shares_[position] = std::clamp(share, 1e-3, 1 - 1e-3);
        }
    }

    const std::vector<Pair>& pairs_;
    std::vector<std::size_t> usual_;  ///< By pair: its mean position, rounded.
    std::map<std::size_t, double> looks_;
    std::array<double, 2> clicks_;
    std::map<std::size_t, double> shares_;  ///< Of relevant pairs, by usual position.
    std::vector<double> relevance_;
};

ClickModel ClickCounts::fit() const {
    if (pairs_.empty()) return {};
    Fit fit(pairs_);
    std::size_t iterations = 0;
    while (iterations < kMostIterations) {
        ++iterations;
        if (fit.step() < kConverged) break;
    }
    ClickModel model = fit.model();
    model.iterations = iterations;
    return model;
}

Judgements ClickCounts::judge(const ClickModel& model, double least_shown) const {
    Judgements judgements;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (clicks(i) == 0 && shown(i) < least_shown) continue;
        judgements.add(pairs_[i].query, pairs_[i].document, model.relevance[i] > 0.5 ? 1 : 0);
    }
    return judgements;
}

}  // namespace braid
