// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/normalisers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid {

// Equations are those of docs/algorithms/normalisers.md.

namespace {

using Parameters = std::span<const double>;

void none(std::span<double>, double, Parameters) {}

// (1)
void bound(std::span<double> scores, double limit, Parameters) {
    for (double& score : scores) score = limit > 0 ? score / limit : 0;
}

// (2). Halves are subtracted, so that the spread of huge scores stays finite.
void min_max(std::span<double> scores, double, Parameters) {
    const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
    const double least = *low;
    const bool is_huge = !std::isfinite(*high - least);
    const double unit = is_huge ? 0.5 : 1;
    const double spread = *high * unit - least * unit;
    for (double& score : scores) {
        score = spread > 0 ? (score * unit - least * unit) / spread : 0;
    }
}

// (3). Scores are divided by the largest magnitude first: squares of huge or tiny ones would
// leave the range of a double.
void z_score(std::span<double> scores, double, Parameters) {
    double largest = 0;
    for (const double score : scores) largest = std::max(largest, std::abs(score));
    if (largest == 0) return;
    const auto count = static_cast<double>(scores.size());
    double mean = 0;
    for (double& score : scores) {
        score /= largest;
        mean += score / count;
    }
    double variance = 0;
    for (double& score : scores) {
        score -= mean;
        variance += score * score / count;
    }
    // A constant's mean is off by rounding, which must not be blown up to order 1.
    const double deviation = std::sqrt(variance);
    for (double& score : scores) score = deviation > 1e-14 ? score / deviation : 0;
}

// (4)
void sum(std::span<double> scores, double, Parameters none_given) {
    min_max(scores, 0, none_given);
    double total = 0;
    for (const double score : scores) total += score;
    for (double& score : scores) score = total > 0 ? score / total : 0;
}

// Calls `set(score, position)` with 1 + the number of scores above, so that equal scores share
// the best of their positions.
template <typename Set>
void by_position(std::span<double> scores, const Set& set) {
    std::vector<std::uint32_t> order(scores.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    double previous = 0;
    std::size_t position = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        double& score = scores[order[i]];
        if (i == 0 || score != previous) position = i + 1;
        previous = score;
        score = set(static_cast<double>(position));
    }
}

// (5)
void rank(std::span<double> scores, double, Parameters) {
    const auto count = static_cast<double>(scores.size());
    by_position(scores, [count](double position) { return 1 - (position - 1) / count; });
}

// (6)
void reciprocal_rank(std::span<double> scores, double, Parameters parameters) {
    const double offset = parameters[0];
    by_position(scores, [offset](double position) { return 1 / (offset + position); });
}

// (7)
void arctan(std::span<double> scores, double, Parameters parameters) {
    for (double& score : scores) {
        score = 2 / std::numbers::pi * std::atan(score * parameters[0]);
    }
}

// (8)
void sigmoid(std::span<double> scores, double, Parameters parameters) {
    for (double& score : scores) score = 1 / (1 + std::exp(-score * parameters[0]));
}

// (9)
void position(std::span<double> positions, double, Parameters parameters) {
    const double half = parameters[0];
    for (double& place : positions) place = place > 0 ? half / (half + place) : 0;
}

const ParameterInfo kScale = {"scale", 1, 1e-9, 1e9, "factor of scores"};

[[noreturn]] void refuse(const TrainingSet& set, std::size_t query, std::size_t row,
                         std::size_t ranker, const std::string& problem) {
    throw InvalidArgument(fmt::format("training set: ranker {}, document {} of query {}: {}",
                                      shown(set.rankers[ranker]), set.document_label(query, row),
                                      shown(set.queries[query]), problem));
}

// One ranker of one query at a time; keeps its memory.
class ColumnNormaliser {
  public:
    ColumnNormaliser(TrainingSet& set, std::size_t ranker, const Normalisation& how)
        : set_(set),
          ranker_(ranker),
          missing_(how.missing),
          info_(normalisers().find(how.normaliser)),
          parameters_(resolve_parameters(how.normaliser, info_.parameters, how.parameters)) {
        if (info_.needs_bounds && set.bounds.size() != set.queries.size() * set.width()) {
            throw InvalidArgument("normaliser " + how.normaliser +
                                  ": the training set has no bounds, expected one a query and "
                                  "ranker");
        }
        if (info_.of_positions && missing_ == MissingScore::kMinimum) {
            throw InvalidArgument("normaliser " + how.normaliser +
                                  ": the least position is the best, so it can't stand for a "
                                  "missing one; expected zero or refuse");
        }
    }

    void normalise(std::size_t query) {
        const double bound = info_.needs_bounds ? set_.bounds[query * set_.width() + ranker_] : 0;
        collect(query, bound);
        if (!present_.empty()) info_.normalise(present_, bound, parameters_);
        std::size_t next = 0;
        for (std::size_t i = 0; i < set_.pool_size(query); ++i) {
            double& score = at(query, i);
            if (!std::isnan(score)) {
                score = present_[next++];
            } else if (missing_ != MissingScore::kAbsent) {
                score = 0;
            }
        }
    }

  private:
    double& at(std::size_t query, std::size_t row) {
        return set_.scores[(set_.query_begin[query] + row) * set_.width() + ranker_];
    }

    void collect(std::size_t query, double bound) {
        present_.clear();
        for (std::size_t i = 0; i < set_.pool_size(query); ++i) {
            double& score = at(query, i);
            if (missing_ == MissingScore::kAbsent && score == 0) {
                score = std::numeric_limits<double>::quiet_NaN();
            }
            if (std::isinf(score)) refuse(set_, query, i, ranker_, "the score is infinite");
            if (info_.needs_bounds && score > bound) {
                refuse(set_, query, i, ranker_,
                       fmt::format("the score is {}, above the bound {}", score, bound));
            }
            if (info_.of_positions && score < 1 && score != 0) {
                refuse(set_, query, i, ranker_,
                       fmt::format("{} is no position in a list, expected 1 or more, or 0 where "
                                   "the list lacks the document",
                                   score));
            }
            if (std::isnan(score) && missing_ == MissingScore::kRefuse) {
                refuse(set_, query, i, ranker_, "the score is missing");
            }
            if (!std::isnan(score)) present_.push_back(score);
        }
        if (missing_ == MissingScore::kMinimum) fill_with_minimum(query);
    }

    void fill_with_minimum(std::size_t query) {
        const double least =
            present_.empty() ? 0 : *std::min_element(present_.begin(), present_.end());
        present_.clear();
        for (std::size_t i = 0; i < set_.pool_size(query); ++i) {
            double& score = at(query, i);
            if (std::isnan(score)) score = least;
            present_.push_back(score);
        }
    }

    TrainingSet& set_;
    std::size_t ranker_;
    MissingScore missing_;
    const NormaliserInfo& info_;
    std::vector<double> parameters_;
    std::vector<double> present_;
};

}  // namespace

const Registry<NormaliserInfo>& normalisers() {
    static const Registry<NormaliserInfo> registry(
        "normaliser",
        {
            {"none", "s", {}, true, false, none},
            {"bound", "s / the most the ranker can give for the query", {}, true, true, bound},
            {"min-max", "(s - min) / (max - min) over the pool", {}, false, false, min_max},
            {"z-score", "(s - mean) / standard deviation over the pool", {}, false, false, z_score},
            {"sum", "(s - min) / sum of (s - min) over the pool", {}, false, false, sum},
            {"rank", "1 - (position - 1) / documents", {}, false, false, rank},
            {"reciprocal-rank",
             "1 / (k + position)",
             {{"k", 60, 0, 1e6, "added to the position (60: Cormack, Clarke, Buettcher 2009)"}},
             false,
             false,
             reciprocal_rank},
            {"arctan", "2 / pi arctan(scale s)", {kScale}, true, false, arctan},
            {"sigmoid", "1 / (1 + exp(-scale s))", {kScale}, true, false, sigmoid},
            {"position",
             "k / (k + position), where scores are positions in lists; 0 for none",
             {{"k", 10, 1e-9, 1e9, "the position that counts half (10: Liu, Du, Wu 2023)"}},
             true,
             false,
             position,
             true},
        });
    return registry;
}

void normalise(TrainingSet& set, const Normalisation& how) {
    const std::vector<Normalisation> all(set.width(), how);
    normalise(set, all);
}

void normalise(TrainingSet& set, std::span<const Normalisation> how) {
    validate_shape(set);
    if (how.size() != set.width()) {
        throw InvalidArgument(fmt::format("{} normalisers for {} rankers, expected one a ranker",
                                          how.size(), set.width()));
    }
    for (std::size_t k = 0; k < set.width(); ++k) {
        ColumnNormaliser column(set, k, how[k]);
        for (std::size_t q = 0; q < set.queries.size(); ++q) column.normalise(q);
    }
}

namespace {

// One query's list: what it has of relevant documents and of others.
struct List {
    std::vector<double> positions;
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};

    bool could_be_one() {
        std::sort(positions.begin(), positions.end());
        return std::adjacent_find(positions.begin(), positions.end()) == positions.end();
    }

    // Above 0 where the relevant ones come first.
    int relevant_first() const {
        if (counts[0] == 0 || counts[1] == 0) return 0;
        const double apart = sums[0] / counts[0] - sums[1] / counts[1];
        return apart > 0 ? 1 : apart < 0 ? -1 : 0;
    }
};

bool could_be_position(double value) { return value >= 1 && value == std::floor(value); }

}  // namespace

bool looks_like_positions(const TrainingSet& set, Grade relevant_from) {
    long long in_favour = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (std::size_t k = 0; k < set.width(); ++k) {
            List list;
            for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
                const double value = set.row(i)[k];
                if (std::isnan(value)) continue;
                if (!could_be_position(value)) return false;
                const std::size_t side = set.grades[i] >= relevant_from ? 1 : 0;
                list.positions.push_back(value);
                list.sums[side] += value;
                list.counts[side] += 1;
            }
            if (!list.could_be_one()) return false;
            in_favour += list.relevant_first();
        }
    }
    return in_favour > 0;
}

}  // namespace braid
