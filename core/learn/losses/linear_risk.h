// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/simd.h"
#include "braid/core/learn/losses/score_loss.h"
#include "braid/error.h"
#include "braid/progress.h"
#include "braid/training_set.h"

namespace braid {

// Products of a few rows of factors with the rankers' scores of a pool.

/// sums (count x width) += F X: F has `count` rows of `documents` numbers, `stride` apart, X is
/// `rows`, documents x width. Each sum runs over the documents in order, so every instruction set
/// gives the same bits.
void add_row_products(const double* factors, std::size_t stride, std::size_t count,
                      std::span<const double> rows, std::size_t width, double* sums,
                      InstructionLevel level = best_instruction_level());

/// R(w): a score loss over all queries of a set, as a function of the weights. Handles the scores
/// of all rows as a vector, so a line of weights needs two products with the set instead of one a
/// point. The same bits at any number of threads. Borrows its arguments.
class LinearRisk {
  public:
    LinearRisk(const TrainingSet& set, const ScoreLoss& loss, Executor& executor);

    std::size_t rows() const { return set_.rows(); }
    std::size_t width() const { return set_.width(); }

    /// X w.
    std::vector<double> scores(std::span<const double> weights) const;
    /// R at these scores, and a subgradient with respect to them.
    double value(std::span<const double> scores, std::span<double> slopes) const;
    /// X' slopes: a subgradient with respect to the weights.
    std::vector<double> gradient(std::span<const double> slopes) const;

  private:
    struct Chunk {
        std::size_t first_query;
        std::size_t last_query;
    };

    const TrainingSet& set_;
    const ScoreLoss& loss_;
    Executor& executor_;
    std::vector<Chunk> chunks_;
};

}  // namespace braid
