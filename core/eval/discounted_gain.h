// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (9): ndcg, ndcg@k; the gain is the grade.
std::unique_ptr<const Measure> make_ndcg(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (10): ndcg-exp, ndcg-exp@k; the gain is 2^grade - 1.
std::unique_ptr<const Measure> make_ndcg_exp(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (11), (12): ndcg-letor, ndcg-letor@k.
std::unique_ptr<const Measure> make_ndcg_letor(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid
