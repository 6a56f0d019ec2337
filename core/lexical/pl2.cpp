// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <numbers>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/logarithms.h"
#include "braid/core/lexical/rankers.h"

namespace braid::lexical {
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
        .name = "pl2",
        .summary = "Divergence from randomness, Poisson with Laplace after-effect",
        .formula =
            "sum over terms of qtf / (x+1) * (x log2(x/m) + (m-x) log2(e) + "
            "log2(2 pi x) / 2), x = tf log2(1 + c avg/len), m = cf/N; negative terms count 0",
        .parameters = {{"c", 1, 1e-6, 1e6,
                        "length normalisation: larger is weaker; 1 to 7 (Amati and van Rijsbergen "
                        "2002)"}},
        .make = [](const std::vector<double>& values) -> std::unique_ptr<const LexicalRanker> {
            return std::make_unique<FormulaRanker<Pl2Formula, Pl2Parameters>>(
                Pl2Parameters{values[0]});
        },
    };
}

}  // namespace braid::lexical
