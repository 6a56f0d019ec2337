// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/rankers.h"

namespace braid::lexical {
namespace {

// docs/algorithms/lexical.md (7).
class TfidfFormula {
  public:
    TfidfFormula(const NoParameters&, const TermStatistics& term)
        : weight_(term.query_occurrences * std::log(term.collection.documents / term.documents)) {}

    double operator()(double occurrences, double) const {
        return weight_ * (1 + std::log(occurrences));
    }

    double bound(const Region& region) const { return corner_bound(*this, region); }

  private:
    double weight_;
};

struct PivotedParameters {
    double slope;
};

// docs/algorithms/lexical.md (8).
class PivotedFormula {
  public:
    PivotedFormula(const PivotedParameters& parameters, const TermStatistics& term)
        : weight_(term.query_occurrences *
                  std::log((term.collection.documents + 1) / term.documents)),
          rest_(1 - parameters.slope),
          per_length_(parameters.slope / term.collection.average_length()) {}

    double operator()(double occurrences, double length) const {
        const double divisor = rest_ + per_length_ * length;
        if (occurrences == 1) return weight_ / divisor;  // Most often; the logarithms are 0.
        return weight_ * (1 + std::log(1 + std::log(occurrences))) / divisor;
    }

    // docs/algorithms/lexical.md (10): along length = occurrences the score rises, then falls.
    // The least integer from which it falls is found by bisection, so the bound is attained.
    double bound(const Region& region) const {
        const auto along = [&](double occurrences) {
            return (*this)(occurrences, region.shortest_with(occurrences));
        };
        double low = std::clamp(std::floor(region.length_min), 1.0, region.occurrences_max);
        double high = region.occurrences_max;
        while (high - low >= 1) {
            const double middle = std::floor((low + high) / 2);
            if (along(middle + 1) > along(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return std::max(along(low), along(high));
    }

  private:
    double weight_, rest_, per_length_;
};

// docs/algorithms/lexical.md (9).
class LuceneFormula {
  public:
    LuceneFormula(const NoParameters&, const TermStatistics& term) {
        const double idf = 1 + std::log((term.collection.documents + 1) / (term.documents + 1));
        weight_ = term.query_occurrences * idf * idf;
    }

    double operator()(double occurrences, double length) const {
        return weight_ * std::sqrt(occurrences / length);
    }

    double bound(const Region& region) const { return corner_bound(*this, region); }

  private:
    double weight_ = 0;
};

}  // namespace

LexicalRankerInfo tfidf() {
    return {
        .summary = "Logarithmic tf times idf, without length normalisation (SMART's ltn)",
        .formula = "sum over terms of qtf * (1 + log tf) * log(N/df)",
        .make = formula_ranker<TfidfFormula>(),
    };
}

LexicalRankerInfo tfidf_pivoted() {
    return {
        .summary = "tf-idf with pivoted length normalisation",
        .formula =
            "sum over terms of qtf * (1 + log(1 + log tf)) / ((1-slope) + slope len/avg) * "
            "log((N+1) / df)",
        .parameters = {{"slope", 0.2, 0, 1, "share of the length normalisation (Singhal 1999)"}},
        .make = formula_ranker<PivotedFormula, PivotedParameters, 1>(),
    };
}

LexicalRankerInfo tfidf_lucene() {
    return {
        .summary = "The tf-idf that Lucene's ClassicSimilarity computes, before its query norms",
        .formula = "sum over terms of qtf * sqrt(tf/len) * (1 + log((N+1) / (df+1)))^2",
        .make = formula_ranker<LuceneFormula>(),
    };
}

}  // namespace braid::lexical
