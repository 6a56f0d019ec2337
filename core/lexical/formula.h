// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "braid/core/lexical/ranker.h"

namespace braid::lexical {

/// log(1 + x) for x >= 0, to 2e-13 relative. std::log1p takes twice as long as std::log and is
/// needed only for small x.
inline double log_one_plus(double x) { return x > 1e-3 ? std::log(1 + x) : std::log1p(x); }

/// Binary logarithms of counts; a table holds the small ones, which are nearly all. A copy is a
/// pointer to the program's one table.
class CountLogarithms {
  public:
    /// `count` is a non-negative integer.
    double log2(double count) const {
        return count < kSize ? (*table_)[static_cast<std::size_t>(count)] : std::log2(count);
    }

  private:
    static constexpr std::size_t kSize = 1024;
    using Table = std::array<double, kSize>;

    static const Table& table() {
        static const Table values = [] {
            Table result;
            for (std::size_t i = 0; i < kSize; ++i) result[i] = std::log2(static_cast<double>(i));
            return result;
        }();
        return values;
    }

    const Table* table_ = &table();
};

/// The nearest consistent statistics: 1 <= df <= N, 1 <= cf <= total length. Formulas on them never
/// divide by zero and never take its logarithm.
inline TermStatistics possible(TermStatistics term) {
    term.collection.documents = std::max(term.collection.documents, 1.0);
    term.documents = std::clamp(term.documents, 1.0, term.collection.documents);
    term.occurrences = std::max(term.occurrences, 1.0);
    term.collection.total_length = std::max(term.collection.total_length, term.occurrences);
    term.query_occurrences = std::max(term.query_occurrences, 0.0);
    return term;
}

/// The range of a term's statistics: 1 <= occurrences <= occurrences_max and max(length_min,
/// occurrences) <= length <= length_max.
struct Region {
    double occurrences_max = 0;
    double length_min = 0;
    double length_max = 0;

    double shortest_with(double occurrences) const { return std::max(length_min, occurrences); }
};

/// The region of documents that have the term, from `bounds`.
inline Region region_of(const BoundStatistics& bounds) {
    Region region;
    region.length_min = std::max(bounds.length_min, 1.0);
    region.length_max = std::max(bounds.length_max, region.length_min);
    region.occurrences_max = std::min(bounds.occurrences_max, region.length_max);
    return region;
}

/// A term scorer from a formula: a value class with `operator()(occurrences, length)`, called with
/// 1 <= occurrences <= length, and `bound(region)`, an upper bound over a region.
template <typename Formula>
class FormulaScorer final : public LexicalScorer {
  public:
    explicit FormulaScorer(Formula formula) : formula_(std::move(formula)) {}

    double score(const DocumentStatistics& document) const override {
        if (!(document.occurrences > 0)) return 0;
        return formula_(document.occurrences, std::max(document.length, document.occurrences));
    }

    double upper_bound(const BoundStatistics& bounds) const override {
        if (!(bounds.occurrences_max > 0)) return 0;
        return formula_.bound(region_of(bounds));
    }

  private:
    Formula formula_;
};

/// A ranker without a document part: `Formula(parameters, term)` makes a term's formula.
template <typename Formula, typename Parameters>
class FormulaRanker : public LexicalRanker {
  public:
    explicit FormulaRanker(const Parameters& parameters) : parameters_(parameters) {}

    std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const override {
        return std::make_unique<FormulaScorer<Formula>>(Formula(parameters_, possible(term)));
    }

  private:
    Parameters parameters_;
};

struct NoParameters {};

/// What LexicalRankerInfo::make is for a Ranker of `Parameters`, whose first `count` members are
/// the ranker's parameters in their order.
template <typename Ranker, typename Parameters, std::size_t count>
auto ranker_of() {
    return []([[maybe_unused]] const std::vector<double>& values)
               -> std::unique_ptr<const LexicalRanker> {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::make_unique<Ranker>(Parameters{values[I]...});
        }
        (std::make_index_sequence<count>());
    };
}

/// The same for a FormulaRanker.
template <typename Formula, typename Parameters = NoParameters, std::size_t count = 0>
auto formula_ranker() {
    return ranker_of<FormulaRanker<Formula, Parameters>, Parameters, count>();
}

/// The bound of a formula that never falls with occurrences, never rises with length, and doesn't
/// fall if both grow equally: its value at the most occurrences in the shortest document that can
/// hold them. Attained if such a document exists.
template <typename Formula>
double corner_bound(const Formula& formula, const Region& region) {
    return formula(region.occurrences_max, region.shortest_with(region.occurrences_max));
}

}  // namespace braid::lexical
