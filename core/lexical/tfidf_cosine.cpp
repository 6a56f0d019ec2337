// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/rankers.h"

namespace braid {

double tfidf_component(const TermStatistics& given) {
    const TermStatistics term = lexical::possible(given);
    if (!(term.query_occurrences > 0)) return 0;
    const double local = 1 + std::log(std::max(term.query_occurrences, 1.0));
    return local * std::log(term.collection.documents / term.documents);
}

namespace lexical {
namespace {

// docs/algorithms/lexical.md (7a): a term's share of the cosine.
class CosineTerm final : public LexicalScorer {
  public:
    explicit CosineTerm(const TermStatistics& term) {
        const double component = tfidf_component(term);
        weight_ =
            term.query_norm > 0 ? component / std::max(term.query_norm, component) : component;
    }

    double score(const DocumentStatistics& document) const override {
        if (!(document.occurrences > 0) || !(document.norm > 0)) return 0;
        // A term that is none of the document's counted words may be above its norm.
        const double share = std::min((1 + std::log(document.occurrences)) / document.norm, 1.0);
        return weight_ * share;
    }

    double upper_bound(const BoundStatistics& bounds) const override {
        return bounds.occurrences_max > 0 ? weight_ : 0;
    }

  private:
    double weight_ = 0;
};

class Cosine final : public LexicalRanker {
  public:
    std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const override {
        return std::make_unique<CosineTerm>(possible(term));
    }
};

}  // namespace

LexicalRankerInfo tfidf_cosine() {
    return {
        .summary =
            "Cosine of the query's tf-idf vector and the document's logarithmic tf (SMART's "
            "lnc.ltc); needs documents' statistics",
        .formula =
            "sum over terms of (1 + log tf) / |d| * (1 + log qtf) log(N/df) / |q|, |d| and "
            "|q| the lengths of the vectors",
        .traits = {.needs_norm = true},
        .make = [](const std::vector<double>&) -> std::unique_ptr<const LexicalRanker> {
            return std::make_unique<Cosine>();
        },
    };
}

}  // namespace lexical
}  // namespace braid
