// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits>

#include "braid/core/pool/normalisers.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/support/support.h"

namespace {

using braid::looks_like_positions;
using braid::TrainingSet;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// Two lists; the first document is relevant, and first in both.
TrainingSet lists(const std::vector<double>& scores) {
    return {.rankers = {"a", "b"},
            .queries = {"q"},
            .query_begin = {0, scores.size() / 2},
            .scores = scores,
            .grades = std::vector<braid::Grade>{1, 0, 0}};
}

}  // namespace

TEST_CASE("Positions: are whole from 1 up, each once a list, and small where documents are good") {
    CHECK(looks_like_positions(lists({1, 2, 5, kAbsent, 9, 3})));
    CHECK_FALSE(looks_like_positions(lists({9, 5, 5, kAbsent, 1, 3})));
    CHECK_FALSE(looks_like_positions(lists({1, 2, 5, kAbsent, 5, 3})));
    CHECK_FALSE(looks_like_positions(lists({1, 2, 5, kAbsent, 9.5, 3})));
    CHECK_FALSE(looks_like_positions(lists({0, 2, 5, kAbsent, 9, 3})));
    CHECK_FALSE(looks_like_positions(lists({-1, 2, 5, kAbsent, 9, 3})));
    // Nothing says which end is good.
    CHECK_FALSE(looks_like_positions(lists({1, kAbsent, kAbsent, 1, kAbsent, 2})));
    TrainingSet graded = lists({1, 2, 5, kAbsent, 9, 3});
    CHECK_FALSE(looks_like_positions(graded, 2));
    graded.grades = {2, 1, 1};
    CHECK(looks_like_positions(graded, 2));
}

TEST_CASE("Positions: LETOR's aggregation data has them, its features are none") {
    const auto lists_file = braid::test::shared_file("data/letor/MQ2008-agg/Fold1/vali.txt.gz");
    const auto features = braid::test::shared_file("data/letor/MQ2008/Fold1/vali.txt.gz");
    BRAID_SKIP_WITHOUT(lists_file);
    BRAID_SKIP_WITHOUT(features);
    CHECK(looks_like_positions(braid::training_set(braid::read_letor(lists_file->string()))));
    CHECK_FALSE(looks_like_positions(braid::training_set(braid::read_letor(features->string()))));
}
