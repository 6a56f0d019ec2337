// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/searchable.h"

#include "braid/core/base/error.h"
#include "braid/core/model/model_rankers.h"
#include "braid/tests/support/support.h"

using braid::FusionModel;
using braid::why_not_searchable;
using Catch::Matchers::Contains;

TEST_CASE("Searchable model: the sum of what a database computes is one") {
    CHECK(why_not_searchable({}).empty());
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 0.5}, {.ranker = "lbdm"}};
    CHECK(why_not_searchable(model).empty());
    CHECK_NOTHROW(braid::require_searchable(model));
}

TEST_CASE("Searchable model: what is none says why") {
    FusionModel features;
    features.rankers = {{.ranker = "bm25"}, {.ranker = "feature", .name = "17"}};
    CHECK_THAT(why_not_searchable(features), Contains("ranker '17' is a feature"));
    FusionModel normalised;
    normalised.normaliser.normaliser = "min-max";
    CHECK_THAT(why_not_searchable(normalised), Contains("scores of all documents of a query"));
    normalised.normaliser.normaliser = "arctan";
    CHECK_THAT(why_not_searchable(normalised), Contains("whole score for a document"));
    FusionModel formed;
    formed.function = {.form = "signed-linear", .numbers = {{"weights", {-1}}}};
    CHECK_THAT(why_not_searchable(formed), Contains("'signed-linear'"));
    CHECK_THROWS_AS(braid::require_searchable(formed), braid::ModelMismatch);
    CHECK_FALSE(braid::weighs_by_query(formed));

    FusionModel by_query;
    by_query.function = {.form = "attention", .numbers = {{"softmax", {0}}}};
    CHECK(braid::weighs_by_query(by_query));
    CHECK_THAT(why_not_searchable(by_query), Contains("may be negative"));
    by_query.function.numbers["non-negative"] = {1};
    CHECK(why_not_searchable(by_query).empty());
    by_query.normaliser.normaliser = "rank";
    CHECK_FALSE(why_not_searchable(by_query).empty());
}

TEST_CASE("Searchable model: parts keep what decides, and drop what only learning needs") {
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa"}};
    model.normaliser.normaliser = "rank";
    model.function.form = "steps";
    model.provenance = {.learner = "genm-on", .learning = {.state = {{"steps", {1}}}}};
    for (const FusionModel& part : {lexical_part(model), source_part(model)}) {
        CHECK(part.rankers.size() == 1);
        CHECK(part.normaliser == model.normaliser);
        CHECK(part.function == model.function);
        CHECK(part.provenance.learner == "genm-on");
        CHECK(part.provenance.learning == braid::LearningRecord{});
    }
}
