// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/lambda_slopes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

// Equations are those of docs/algorithms/trees.md.

namespace braid {
namespace {

// (2) by a table, linear between its entries: within 3e-6, at a fifth of the price of exp.
class Share {
  public:
    static const Share& table() {
        static const Share share;
        return share;
    }

    /// 1 / (1 + e^x).
    double operator()(double x) const {
        const double at = std::clamp((x + kEnd) * kPerUnit, 0.0, kPerUnit * 2 * kEnd - 1e-6);
        const auto i = static_cast<std::size_t>(at);
        const double part = at - static_cast<double>(i);
        return values_[i] + part * (values_[i + 1] - values_[i]);
    }

  private:
    static constexpr double kEnd = 32;
    static constexpr double kPerUnit = 64;

    Share() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i] = 1 / (1 + std::exp(static_cast<double>(i) / kPerUnit - kEnd));
        }
    }

    std::array<double, static_cast<std::size_t>(2 * kEnd * kPerUnit) + 1> values_;
};

// A query's documents in ranked order, and what their pairs sum up to.
class Ranked {
  public:
    Ranked(const TrainingMeasure& measure, std::size_t query, std::span<const double> sums)
        : measure_(measure), order_(sums.size()) {
        const std::span<const std::uint32_t> ties = measure.tie_order(query);
        std::iota(order_.begin(), order_.end(), 0U);
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return sums[a] != sums[b] ? sums[a] > sums[b] : ties[a] < ties[b];
        });
        const std::span<const Grade> grades = measure.set().query_grades(query);
        for (const std::uint32_t d : order_) {
            sums_.push_back(sums[d]);
            grades_.push_back(grades[d]);
        }
        slopes_.resize(order_.size());
    }

    const std::vector<Grade>& grades() const { return grades_; }

    // Calls `gain(a, b)` for the pairs of ranks a < b of different `worth`.
    template <typename Worth, typename Gain>
    void add_pairs(const std::vector<Worth>& worth, const Gain& gain) {
        const std::size_t size = order_.size();
        // Documents of the commonest worth meet the others only.
        const Worth common = commonest(worth);
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < size; ++i) {
            if (worth[i] != common) others.push_back(i);
        }
        const Share& share = Share::table();
        // Below the cut-off of the measure no swap counts.
        const std::size_t end = std::min(size, measure_.measure().depth());
        std::size_t next = 0;  // In `others`, the first below a.
        for (std::size_t a = 0; a < end; ++a) {
            const bool is_common = worth[a] == common;
            if (next < others.size() && others[next] == a) ++next;
            RowSlope here;
            const auto meet = [&](std::size_t b) {
                const double size_of_gain = std::abs(gain(a, b));
                const double difference = sums_[a] - sums_[b];
                const bool is_right = worth[a] > worth[b];
                const double wrong = share(is_right ? difference : -difference);
                const double pull = size_of_gain * wrong;
                const double bend = pull * (1 - wrong);
                all_ += pull;
                const double signed_pull = is_right ? pull : -pull;
                here.gradient -= signed_pull;
                here.curvature += bend;
                slopes_[b].gradient += signed_pull;
                slopes_[b].curvature += bend;
            };
            if (is_common) {
                for (std::size_t i = next; i < others.size(); ++i) meet(others[i]);
            } else {
                for (std::size_t b = a + 1; b < size; ++b) {
                    if (worth[a] != worth[b]) meet(b);
                }
            }
            slopes_[a].gradient += here.gradient;
            slopes_[a].curvature += here.curvature;
        }
    }

    void write(bool even, std::span<RowSlope> slopes) const {
        const double factor = even && all_ > 0 ? std::log2(1 + all_) / all_ : 1;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            slopes[order_[i]] = {slopes_[i].gradient * factor, slopes_[i].curvature * factor};
        }
    }

  private:
    template <typename Worth>
    static Worth commonest(const std::vector<Worth>& worth) {
        std::vector<Worth> sorted = worth;
        std::sort(sorted.begin(), sorted.end());
        Worth best = sorted.empty() ? Worth{} : sorted.front();
        std::size_t most = 0;
        for (std::size_t begin = 0; begin < sorted.size();) {
            const auto end = std::upper_bound(sorted.begin(), sorted.end(), sorted[begin]);
            const auto count = static_cast<std::size_t>(end - sorted.begin()) - begin;
            if (count > most) best = sorted[begin];
            most = std::max(most, count);
            begin += count;
        }
        return best;
    }

    const TrainingMeasure& measure_;
    std::vector<std::uint32_t> order_;
    std::vector<double> sums_;
    std::vector<Grade> grades_;
    std::vector<RowSlope> slopes_;
    double all_ = 0;
};

// (5): sums over ranks.
class RankSums {
  public:
    RankSums(const TrainingMeasure& measure, std::size_t query, std::span<const Grade> ranked)
        : scale_(measure.scale(query)) {
        for (std::size_t i = 0; i < ranked.size(); ++i) {
            worth_.push_back(measure.measure().gain(ranked[i]));
            discounts_.push_back(measure.measure().discount(i, scale_) / scale_);
        }
    }

    const std::vector<double>& worth() const { return worth_; }
    double operator()(std::size_t a, std::size_t b) const {
        return (worth_[b] - worth_[a]) * (discounts_[a] - discounts_[b]);
    }

  private:
    double scale_;
    std::vector<double> worth_;
    std::vector<double> discounts_;
};

// (6), (7): average precision.
class PrecisionSums {
  public:
    PrecisionSums(const TrainingMeasure& measure, std::size_t query, std::span<const Grade> ranked)
        : scale_(measure.scale(query)), found_(1, 0), passed_(1, 0) {
        const std::size_t depth = measure.measure().depth();
        for (std::size_t i = 0; i < ranked.size(); ++i) {
            const bool is_relevant = ranked[i] >= measure.relevant_from();
            share_.push_back(i < depth ? 1 / static_cast<double>(i + 1) : 0);
            worth_.push_back(is_relevant ? 1 : 0);
            found_.push_back(found_.back() + (is_relevant ? 1 : 0));
            passed_.push_back(passed_.back() + (is_relevant ? share_.back() : 0));
        }
    }

    const std::vector<double>& worth() const { return worth_; }
    // Ranks from 0, counts up to and with them from 1 on.
    double operator()(std::size_t a, std::size_t b) const {
        if (worth_[a] == worth_[b]) return 0;
        const double between = passed_[b] - passed_[a + 1];
        if (worth_[a] > worth_[b]) {
            return -(found_[a + 1] * share_[a] + between - found_[b + 1] * share_[b]) / scale_;
        }
        return ((found_[a + 1] + 1) * share_[a] + between - found_[b + 1] * share_[b]) / scale_;
    }

  private:
    double scale_;
    std::vector<double> worth_;
    std::vector<double> share_;
    std::vector<double> found_;
    std::vector<double> passed_;
};

// Any measure: that of the swapped order, less that of the order.
class Swapped {
  public:
    Swapped(const TrainingMeasure& measure, std::size_t query, std::span<const Grade> ranked)
        : measure_(measure), query_(query), ranked_(ranked.begin(), ranked.end()) {
        for (const Grade grade : ranked) worth_.push_back(learning_grade(grade));
        before_ = value();
    }

    const std::vector<double>& worth() const { return worth_; }
    double operator()(std::size_t a, std::size_t b) const {
        std::swap(ranked_[a], ranked_[b]);
        const double after = value();
        std::swap(ranked_[a], ranked_[b]);
        return after - before_;
    }

  private:
    double value() const {
        return measure_.measure().evaluate({ranked_, measure_.pool(query_)},
                                           measure_.scale(query_));
    }

    const TrainingMeasure& measure_;
    std::size_t query_;
    mutable std::vector<Grade> ranked_;
    std::vector<double> worth_;
    double before_ = 0;
};

// Calls `use` with the gains of swaps by the measure's kind.
template <typename Use>
auto with_gains(const TrainingMeasure& measure, std::size_t query, std::span<const Grade> ranked,
                const Use& use) {
    if (measure.measure().is_rank_sum()) return use(RankSums(measure, query, ranked));
    if (measure.measure().is_average_precision()) {
        return use(PrecisionSums(measure, query, ranked));
    }
    return use(Swapped(measure, query, ranked));
}

}  // namespace

LambdaSlopes::LambdaSlopes(const TrainingMeasure& measure, const LambdaOptions& options)
    : measure_(measure), options_(options) {}

double LambdaSlopes::of_query(std::size_t query, std::span<const double> sums,
                              std::span<RowSlope> slopes) const {
    std::fill(slopes.begin(), slopes.end(), RowSlope{});
    if (!measure_.counts(query)) return 0;
    Ranked ranked(measure_, query, sums);
    with_gains(measure_, query, ranked.grades(),
               [&](const auto& gains) { ranked.add_pairs(gains.worth(), gains); });
    ranked.write(options_.even, slopes);
    return measure_.measure().evaluate({ranked.grades(), measure_.pool(query)},
                                       measure_.scale(query));
}

double LambdaSlopes::of_sums(std::span<const double> sums, std::span<RowSlope> slopes,
                             Executor& executor) const {
    const TrainingSet& set = measure_.set();
    std::vector<double> values(set.queries.size(), 0);
    executor.run(set.queries.size(), [&](std::size_t q) {
        const std::size_t begin = set.query_begin[q];
        const std::size_t size = set.pool_size(q);
        values[q] = of_query(q, sums.subspan(begin, size), slopes.subspan(begin, size));
    });
    const std::size_t count = measure_.queries().size();
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

double swap_gain(const TrainingMeasure& measure, std::size_t query, std::span<const Grade> ranked,
                 std::size_t a, std::size_t b) {
    return with_gains(measure, query, ranked,
                      [&](const auto& gains) { return gains(std::min(a, b), std::max(a, b)); });
}

}  // namespace braid
