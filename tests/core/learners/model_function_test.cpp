// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/model_function.h"

#include <limits>

#include "braid/core/error.h"
#include "braid/tests/support/support.h"

using braid::FusionModel;
using braid::LinearFunction;
using braid::model_function;
using braid::RankingFunction;
using braid::set_model_function;
using Catch::Matchers::Contains;

namespace {

FusionModel two_rankers() {
    FusionModel model;
    model.rankers = {{.ranker = "bm25", .weight = 5}, {.ranker = "lsa"}};
    return model;
}

}  // namespace

TEST_CASE("Model function: weights from 0 up are the rankers'") {
    FusionModel model = two_rankers();
    set_model_function(model, LinearFunction{{0.25, 0}});
    CHECK(model.rankers[0].weight == 0.25);
    CHECK(model.rankers[1].weight == 0);
    CHECK(model.function == braid::FunctionForm{});
    CHECK(model_function(model) == RankingFunction(LinearFunction{{0.25, 0}}));
}

TEST_CASE("Model function: weights below 0 have a form of their own, and the model is valid") {
    FusionModel model = two_rankers();
    set_model_function(model, LinearFunction{{0.25, -1}});
    CHECK(model.function.form == "signed-linear");
    CHECK(model.rankers[0].weight == 1);
    CHECK_NOTHROW(validate(model));
    CHECK(model_function(model) == RankingFunction(LinearFunction{{0.25, -1}}));
    set_model_function(model, LinearFunction{{1, 2}});
    CHECK(model.function == braid::FunctionForm{});
}

TEST_CASE("Model function: what does not fit is refused") {
    FusionModel model = two_rankers();
    CHECK_THROWS_WITH(set_model_function(model, LinearFunction{{1}}),
                      Contains("1 numbers \"weights\", expected 2"));
    CHECK_THROWS_WITH(
        set_model_function(model, LinearFunction{{1, std::numeric_limits<double>::infinity()}}),
        Contains("inf"));
    model.function.form = "signed-linear";
    CHECK_THROWS_WITH(model_function(model), Contains("0 numbers \"weights\", expected 2"));
    model.function.form = "signed-lineal";
    CHECK_THROWS_AS(model_function(model), braid::UnknownComponent);
    CHECK_THROWS_WITH(model_function(model), Contains("signed-linear"));
}
