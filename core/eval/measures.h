// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "braid/core/eval/measure.h"
#include "braid/error.h"

namespace braid {

/// docs/algorithms/measures.md (1): map, map@k.
std::unique_ptr<const Measure> make_average_precision(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (14): bpref; `cutoff` is not used.
std::unique_ptr<const Measure> make_bpref(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (16): adds one query's interpolated precision at recall 0, 1/(n-1),
/// .., 1 to the n >= 2 numbers of `sums`. Adds nothing if no judged document has `relevant_from` or
/// above.
void add_interpolated_precision(const JudgedRanking& ranking, Grade relevant_from,
                                std::span<double> sums);

/// docs/algorithms/measures.md (9): ndcg, ndcg@k; the gain is the grade.
std::unique_ptr<const Measure> make_ndcg(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (9a): ndcg-whole@k; ndcg@k by the ideal of all relevant documents.
std::unique_ptr<const Measure> make_ndcg_whole(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (10): ndcg-exp, ndcg-exp@k; the gain is 2^grade - 1.
std::unique_ptr<const Measure> make_ndcg_exp(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (11), (12): ndcg-letor, ndcg-letor@k.
std::unique_ptr<const Measure> make_ndcg_letor(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (13): err, err@k.
std::unique_ptr<const Measure> make_err(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (6): mrr, mrr@k.
std::unique_ptr<const Measure> make_reciprocal_rank(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (7): success@k.
std::unique_ptr<const Measure> make_success(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (8): wta; `cutoff` is not used.
std::unique_ptr<const Measure> make_winner_takes_all(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (2): p@k.
std::unique_ptr<const Measure> make_precision(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (3): rprec; `cutoff` is not used.
std::unique_ptr<const Measure> make_r_precision(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (4): recall, recall@k.
std::unique_ptr<const Measure> make_recall(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (5): recall-min@k.
std::unique_ptr<const Measure> make_recall_min(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (15): judged, judged@k.
std::unique_ptr<const Measure> make_judged_share(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid
