// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// Checks that the model ranks the raw scores of `set` as the function that was learned ranks the
/// prepared scores that the learner saw.
inline void check_ranks_raw_scores(const TrainedModel& trained, const TrainingSet& set) {
    const TrainingSet ready = prepared_set(set, trained.preparation);
    const TrainingMeasure by_raw(set, "map");
    const TrainingMeasure by_ready(ready, "map");
    for (const std::size_t q : by_raw.queries()) {
        CHECK(by_raw.of_query(q, model_function(trained.model)) ==
              by_ready.of_query(q, trained.result.function));
    }
}

}  // namespace braid::test
