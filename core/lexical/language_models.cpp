// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/rankers.h"

// Query likelihood, made non-negative by constants of the model and the query: the derivation and
// the equation numbers are those of docs/algorithms/lexical.md, section 3.
namespace braid::lexical {
namespace {

double share_of_collection(const TermStatistics& term) {
    return term.occurrences / term.collection.total_length;
}

// The document part of a language model from a formula of length and unique terms. An empty
// document has no language model and scores 0.
template <typename Formula>
class DocumentPart final : public LexicalScorer {
  public:
    explicit DocumentPart(const Formula& formula) : formula_(formula) {}

    double score(const DocumentStatistics& document) const override {
        if (!(document.length > 0)) return 0;
        return formula_(document.length, document.unique_terms);
    }

    double upper_bound(const BoundStatistics& bounds) const override {
        return formula_.bound(std::max(bounds.length_min, 1.0));
    }

  private:
    Formula formula_;
};

struct DirichletParameters {
    double mu, longest;
};

class DirichletFormula {
  public:
    DirichletFormula(const DirichletParameters& parameters, const TermStatistics& term)
        : query_occurrences_(term.query_occurrences),
          gain_(1 / (parameters.mu * share_of_collection(term))) {}

    double operator()(double occurrences, double) const {
        return query_occurrences_ * log_one_plus(gain_ * occurrences);
    }

    double bound(const Region& region) const { return corner_bound(*this, region); }

  private:
    double query_occurrences_, gain_;
};

struct DirichletLength {
    double query_length, mu, ceiling;

    double operator()(double length, double) const {
        return query_length * std::log(std::max(ceiling / (mu + length), 1.0));
    }
    double bound(double shortest) const { return (*this)(shortest, 0); }
};

class Dirichlet final : public LexicalRanker {
  public:
    explicit Dirichlet(const DirichletParameters& parameters) : parameters_(parameters) {}

    std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const override {
        return std::make_unique<FormulaScorer<DirichletFormula>>(
            DirichletFormula(parameters_, possible(term)));
    }

    std::unique_ptr<const LexicalScorer> document_scorer(
        const QueryStatistics& query) const override {
        const DirichletLength formula{std::max(query.length, 0.0), parameters_.mu,
                                      parameters_.mu + parameters_.longest};
        return std::make_unique<DocumentPart<DirichletLength>>(formula);
    }

  private:
    DirichletParameters parameters_;
};

struct MercerParameters {
    double lambda;
};

class MercerFormula {
  public:
    MercerFormula(const MercerParameters& parameters, const TermStatistics& term)
        : query_occurrences_(term.query_occurrences),
          gain_((1 - parameters.lambda) / (parameters.lambda * share_of_collection(term))) {}

    double operator()(double occurrences, double length) const {
        return query_occurrences_ * log_one_plus(gain_ * occurrences / length);
    }

    double bound(const Region& region) const { return corner_bound(*this, region); }

  private:
    double query_occurrences_, gain_;
};

struct DiscountParameters {
    double delta, longest;
};

// Unlike the other formulas this one needs the number of a document's unique terms. A database
// may count terms that are not words there, hence the clamp.
class DiscountTerm final : public LexicalScorer {
  public:
    DiscountTerm(const DiscountParameters& parameters, const TermStatistics& term)
        : query_occurrences_(term.query_occurrences),
          delta_(parameters.delta),
          gain_(1 / (parameters.delta * share_of_collection(term))) {}

    double score(const DocumentStatistics& document) const override {
        if (!(document.occurrences > 0)) return 0;
        const double length = std::max(document.length, document.occurrences);
        return value(document.occurrences, std::clamp(document.unique_terms, 1.0, length));
    }

    double upper_bound(const BoundStatistics& bounds) const override {
        if (!(bounds.occurrences_max > 0)) return 0;
        const Region region = region_of(bounds);
        // A document longer than the term's occurrences has a second term.
        return value(region.occurrences_max, region.length_min > region.occurrences_max ? 2 : 1);
    }

  private:
    double value(double occurrences, double unique_terms) const {
        const double kept = std::max(occurrences - delta_, 0.0);
        return query_occurrences_ * log_one_plus(gain_ * kept / unique_terms);
    }

    double query_occurrences_, delta_, gain_;
};

struct DiscountLength {
    double query_length, longest;

    double operator()(double length, double unique_terms) const {
        const double share = std::clamp(unique_terms, 1.0, length) / length;
        return query_length * std::log(std::max(longest * share, 1.0));
    }
    double bound(double) const { return query_length * std::log(longest); }
};

class AbsoluteDiscount final : public LexicalRanker {
  public:
    explicit AbsoluteDiscount(const DiscountParameters& parameters) : parameters_(parameters) {}

    std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const override {
        return std::make_unique<DiscountTerm>(parameters_, possible(term));
    }

    std::unique_ptr<const LexicalScorer> document_scorer(
        const QueryStatistics& query) const override {
        const DiscountLength formula{std::max(query.length, 0.0), parameters_.longest};
        return std::make_unique<DocumentPart<DiscountLength>>(formula);
    }

  private:
    DiscountParameters parameters_;
};

ParameterInfo longest_document() {
    return {"longest", 1e7, 1, 4294967295,
            "terms; the part of the score that falls with length stays 0 from here on"};
}

}  // namespace

LexicalRankerInfo lm_dirichlet() {
    return {
        .summary = "Query likelihood, Dirichlet smoothing",
        .formula =
            "sum over terms of qtf * log(1 + tf / (mu cf/T)) + "
            "qlen * log((mu + longest) / (mu + len))",
        .parameters = {{"mu", 2000, 1e-3, 1e9,
                        "terms of the collection mixed into a document (Zhai and Lafferty 2004)"},
                       longest_document()},
        .traits = {.has_document_part = true},
        .make = ranker_of<Dirichlet, DirichletParameters, 2>(),
    };
}

LexicalRankerInfo lm_jelinek_mercer() {
    return {
        .summary = "Query likelihood, Jelinek-Mercer smoothing",
        .formula = "sum over terms of qtf * log(1 + (1-lambda)/lambda * (tf/len) / (cf/T))",
        .parameters = {{"lambda", 0.1, 1e-6, 1 - 1e-6,
                        "share of the collection; .1 for a few words, .7 for long queries (Zhai "
                        "and Lafferty 2004)"}},
        .make = formula_ranker<MercerFormula, MercerParameters, 1>(),
    };
}

LexicalRankerInfo lm_absolute_discount() {
    return {
        .summary = "Query likelihood, absolute discounting; needs each document's unique terms",
        .formula =
            "sum over terms of qtf * log(1 + (tf - delta) / (delta u cf/T)) + "
            "qlen * log(longest u / len), u = unique terms",
        .parameters = {{"delta", 0.7, 1e-6, 1 - 1e-6,
                        "discount of each word's count (Zhai and Lafferty 2004)"},
                       longest_document()},
        .traits = {.needs_unique_terms = true, .has_document_part = true},
        .make = ranker_of<AbsoluteDiscount, DiscountParameters, 2>(),
    };
}

}  // namespace braid::lexical
