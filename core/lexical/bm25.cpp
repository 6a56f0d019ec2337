// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/rankers.h"

namespace braid::lexical {
namespace {

struct Bm25Parameters {
    double k1, b, k3, min_length;
    double delta = 0;
};

// docs/algorithms/lexical.md (1), (2).
double okapi_idf(const TermStatistics& term) {
    const double odds = (term.collection.documents - term.documents + 0.5) / (term.documents + 0.5);
    return std::log(odds < 2 ? 1 + odds / 2 : odds);
}

// docs/algorithms/lexical.md (5).
double plus_idf(const TermStatistics& term) {
    return std::log((term.collection.documents + 1) / term.documents);
}

// docs/algorithms/lexical.md (3), (4), and (6) where delta > 0.
class Bm25Formula {
  public:
    Bm25Formula(const Bm25Parameters& parameters, const TermStatistics& term, double idf)
        : k1_b_(parameters.k1 * parameters.b),
          k1_rest_(parameters.k1 * (1 - parameters.b)),
          min_length_(parameters.min_length),
          per_length_(1 / term.collection.average_length()) {
        const double query = term.query_occurrences;
        const double saturated =
            parameters.k3 + query > 0 ? (parameters.k3 + 1) * query / (parameters.k3 + query) : 0;
        // k3 = 0 says that repeating a word in the query changes nothing.
        weight_ = idf * saturated * (parameters.k1 + 1);
        floor_ = idf * saturated * parameters.delta;
    }

    double operator()(double occurrences, double length) const {
        const double relative = std::max(length * per_length_, min_length_);
        return weight_ * (occurrences / (k1_rest_ + k1_b_ * relative + occurrences)) + floor_;
    }

    double bound(const Region& region) const { return corner_bound(*this, region); }

  private:
    double k1_b_, k1_rest_, min_length_, per_length_;
    double weight_ = 0, floor_ = 0;
};

struct PlainFormula : Bm25Formula {
    PlainFormula(const Bm25Parameters& parameters, const TermStatistics& term)
        : Bm25Formula(parameters, term, okapi_idf(term)) {}
};

struct PlusFormula : Bm25Formula {
    PlusFormula(const Bm25Parameters& parameters, const TermStatistics& term)
        : Bm25Formula(parameters, term, plus_idf(term)) {}
};

class LogBm25 final : public FormulaRanker<PlainFormula, Bm25Parameters> {
  public:
    using FormulaRanker::FormulaRanker;
    double finish(double sum) const override { return std::log1p(sum); }
};

std::vector<ParameterInfo> okapi_parameters() {
    return {
        {"k1", 1.2, 0, 1000, "saturation of term frequency: larger is slower (Okapi)"},
        {"b", 0.75, 0, 1, "share of the length normalisation (Okapi)"},
        {"k3", 8, 0, 1e6, "like k1, for words repeated in the query (Okapi at TREC-7)"},
        {"min_length", 0, 0, 100,
         "least length of a document, in average lengths (0: none; Xapian has .5)"},
    };
}

}  // namespace

LexicalRankerInfo bm25() {
    return {
        .summary = "Okapi BM25, as Xapian's BM25Weight with k2 = 0",
        .formula =
            "sum over terms of idf * (k1+1) tf / (K + tf) * (k3+1) qtf / (k3 + qtf), "
            "K = k1 ((1-b) + b len/avg), idf = log r, r = (N-df+.5) / (df+.5), "
            "or log(1 + r/2) where r < 2",
        .parameters = okapi_parameters(),
        .make = formula_ranker<PlainFormula, Bm25Parameters, 4>(),
    };
}

LexicalRankerInfo log_bm25() {
    return {
        .summary = "Logarithm of the BM25 score (H2), for learners; ranks as bm25 does",
        .formula = "log(1 + bm25), bm25 with the same parameters",
        .parameters = okapi_parameters(),
        .traits = {.is_sum = false},
        .make = ranker_of<LogBm25, Bm25Parameters, 4>(),
    };
}

// docs/algorithms/bm25f.md: BM25 of weighted sums of occurrences, which the caller adds up.
LexicalRankerInfo bm25f() {
    LexicalRankerInfo info = bm25();
    info.summary = "BM25 with the occurrences in several fields weighed and added up first";
    info.formula =
        "as bm25, with tf = sum of weight * tf in the field, over `field` (name^5 title^2), and "
        "1 * tf in the whole text";
    info.traits.blends_fields = true;
    return info;
}

LexicalRankerInfo bm25_plus() {
    std::vector<ParameterInfo> parameters = okapi_parameters();
    parameters.push_back(
        {"delta", 1, 0, 100, "floor of a matching term at any length (Lv and Zhai 2011)"});
    return {
        .summary = "BM25 with a floor under each matching term, for long documents",
        .formula =
            "sum over terms of idf * ((k1+1) tf / (K + tf) + delta) * "
            "(k3+1) qtf / (k3 + qtf), K as in bm25, idf = log((N+1) / df)",
        .parameters = std::move(parameters),
        .make = formula_ranker<PlusFormula, Bm25Parameters, 5>(),
    };
}

}  // namespace braid::lexical
