// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cmath>
#include <numbers>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/rankers.h"

namespace braid::lexical {
namespace {

constexpr double kHalfPerLn2 = 0.5 / std::numbers::ln2;
constexpr double kLog2TwoPi = 2.6514961294723187;

// docs/algorithms/lexical.md (16): the part of the score without (1-f)^2, as a function of the
// occurrences, its two other arguments held: a = log2(f T/cf), c = log2(2 pi (1-f)) / 2.
struct Information {
    double a, c;

    double operator()(double occurrences) const {
        return (occurrences * a + 0.5 * std::log2(occurrences) + c) / (occurrences + 1);
    }
    // Has the sign of the derivative, and falls (17).
    double slope(double occurrences) const {
        return a - c + kHalfPerLn2 * (1 + 1 / occurrences - std::log(occurrences));
    }
    // The largest value over [low, high], or slightly more.
    double maximum(double low, double high) const {
        if (slope(high) >= 0) return (*this)(high);
        if (slope(low) <= 0) return (*this)(low);
        for (int i = 0; i < 20; ++i) {
            const double middle = 0.5 * (low + high);
            (slope(middle) >= 0 ? low : high) = middle;
        }
        return a + kHalfPerLn2 / low;  // (18)
    }
};

// docs/algorithms/lexical.md (15).
class DphFormula {
  public:
    DphFormula(const NoParameters&, const TermStatistics& term)
        : query_occurrences_(term.query_occurrences),
          log_rarity_(std::log2(term.collection.total_length / term.occurrences)) {}

    double operator()(double occurrences, double length) const {
        const double others = length - occurrences;
        if (!(others > 0)) return 0;
        const double log_length = logarithms_.log2(length);
        const double log_occurrences = logarithms_.log2(occurrences);
        const double information =
            occurrences * (log_occurrences - log_length + log_rarity_) +
            0.5 * (kLog2TwoPi + log_occurrences + logarithms_.log2(others) - log_length);
        const double rest = others / length;
        return query_occurrences_ * rest * rest * std::max(information, 0.0) / (occurrences + 1);
    }

    // Branch and bound over the share f = tf/len, section 4 of the docs page: the interval whose
    // bound is largest is halved, until some share attains nearly as much; each step leaves the
    // bound valid.
    double bound(const Region& region) const {
        std::array<Interval, kSplits + 1> intervals;
        std::size_t count = 0;
        const double lowest = 1 / region.length_max;
        double attained = 0;
        intervals[count++] = measured(region, lowest, 1);
        for (;;) {
            Interval& worst = *std::max_element(intervals.begin(), intervals.begin() + count);
            if (count == intervals.size() || worst.bound <= kNearly * attained) {
                return query_occurrences_ * worst.bound;
            }
            const double middle = std::sqrt(worst.low * worst.high);
            attained = std::max(attained, attained_at(region, middle));
            intervals[count++] = measured(region, middle, worst.high);
            worst = measured(region, worst.low, middle);
        }
    }

  private:
    static constexpr std::size_t kSplits = 32;
    static constexpr double kNearly = 1.01;

    struct Interval {
        double low = 0, high = 0, bound = 0;
        bool operator<(const Interval& other) const { return bound < other.bound; }
    };

    // docs/algorithms/lexical.md (19): over documents with low <= f <= high.
    Interval measured(const Region& region, double low, double high) const {
        const double fewest = std::max(1.0, low * region.length_min);
        const double most = std::min(region.occurrences_max, high * region.length_max);
        if (fewest > most || low >= 1) return {low, high, 0};
        const Information information{std::log2(high) + log_rarity_,
                                      0.5 * (kLog2TwoPi + std::log2(1 - low))};
        const double value = information.maximum(fewest, most);
        return {low, high, (1 - low) * (1 - low) * std::max(value, 0.0)};
    }

    // By documents with that share, and some number of occurrences that the region has.
    double attained_at(const Region& region, double share) const {
        const double fewest = std::max(1.0, share * region.length_min);
        const double most = std::min(region.occurrences_max, share * region.length_max);
        if (fewest > most || share >= 1) return 0;
        const Information information{std::log2(share) + log_rarity_,
                                      0.5 * (kLog2TwoPi + std::log2(1 - share))};
        const double value = std::max(information(fewest), information(most));
        return (1 - share) * (1 - share) * std::max(value, 0.0);
    }

    double query_occurrences_, log_rarity_;
    CountLogarithms logarithms_;
};

}  // namespace

LexicalRankerInfo dph() {
    return {
        .summary = "Divergence from randomness, hypergeometric, without parameters",
        .formula =
            "sum over terms of qtf * (1-f)^2 / (tf+1) * "
            "(tf log2(f T/cf) + log2(2 pi tf (1-f)) / 2), f = tf/len; negative terms count 0",
        .make = formula_ranker<DphFormula>(),
    };
}

namespace {

struct Pl2Parameters {
    double c;
};

// docs/algorithms/lexical.md (20) to (23).
class Pl2Formula {
  public:
    Pl2Formula(const Pl2Parameters& parameters, const TermStatistics& term)
        : query_occurrences_(term.query_occurrences),
          pivot_(parameters.c * term.collection.average_length()) {
        const double mean = term.occurrences / term.collection.documents;
        constant_ = mean * std::numbers::log2e + 0.5 * std::log2(2 * std::numbers::pi);
        slope_ = std::log2(mean) + std::numbers::log2e;
    }

    double operator()(double occurrences, double length) const {
        return query_occurrences_ * std::max(gain(normalised(occurrences, length)), 0.0);
    }

    double bound(const Region& region) const {
        const double low = normalised(1, region.length_max);
        const double high =
            normalised(region.occurrences_max, region.shortest_with(region.occurrences_max));
        const double best = std::max({gain(high), first_peak(low, high), 0.0});
        return query_occurrences_ * best;
    }

  private:
    double normalised(double occurrences, double length) const {
        return occurrences * log_one_plus(pivot_ / length) * std::numbers::log2e;
    }

    double gain(double x) const {
        return (constant_ + (x + 0.5) * std::log2(x) - slope_ * x) / (x + 1);
    }

    // Has the sign of gain's derivative (22); falls below 1/2 and rises above it.
    double turn(double x) const {
        return 0.5 * std::log2(x) + (x + 0.5) * (x + 1) / x * std::numbers::log2e - slope_ -
               constant_;
    }

    // The gain rises, may fall, and rises again: this bounds it where it first stops rising, or
    // at `low` where it starts by falling.
    double first_peak(double low, double high) const {
        if (low >= 0.5 || turn(std::min(high, 0.5)) >= 0) return gain(low);
        if (turn(low) <= 0) return gain(low);
        double rising = low;
        double falling = std::min(high, 0.5);
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (rising + falling);
            (turn(middle) >= 0 ? rising : falling) = middle;
        }
        return std::log2(rising) + (rising + 0.5) / rising * std::numbers::log2e - slope_;  // (23)
    }

    double query_occurrences_, pivot_;
    double constant_ = 0, slope_ = 0;
};

}  // namespace

LexicalRankerInfo pl2() {
    return {
        .summary = "Divergence from randomness, Poisson with Laplace after-effect",
        .formula =
            "sum over terms of qtf / (x+1) * (x log2(x/m) + (m-x) log2(e) + "
            "log2(2 pi x) / 2), x = tf log2(1 + c avg/len), m = cf/N; negative terms count 0",
        .parameters = {{"c", 1, 1e-6, 1e6,
                        "length normalisation: larger is weaker; 1 to 7 (Amati and van Rijsbergen "
                        "2002)"}},
        .make = formula_ranker<Pl2Formula, Pl2Parameters, 1>(),
    };
}

}  // namespace braid::lexical
