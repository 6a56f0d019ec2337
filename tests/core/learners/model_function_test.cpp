// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/model_function.h"

#include <limits>

#include "braid/core/error.h"
#include "braid/core/learners/attention.h"
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

namespace {

braid::AttentionFunction two_dimensions() {
    return {.base = {0.5, -0.25},
            .dimensions = 2,
            .rankers = {1, 2, 3, 4},
            .features = {"length"},
            .means = {2},
            .deviations = {0.5},
            .matrix = {0.125, 1},
            .offset = {0, -1},
            .limit = 2,
            .known = {{"again", {7, 8}}, {"often", {9, 10}}}};
}

}  // namespace

TEST_CASE("Model function: weights that depend on the query") {
    FusionModel model = two_rankers();
    const braid::AttentionFunction function = two_dimensions();
    set_model_function(model, function);
    CHECK(model.function.form == "attention");
    CHECK_NOTHROW(validate(model));
    CHECK(model_function(model) == RankingFunction(function));
    for (const char* name : {"base", "dimensions", "rankers", "means", "deviations", "matrix",
                             "offset", "limit", "known"}) {
        FusionModel broken = model;
        broken.function.numbers.erase(name);
        CHECK_THROWS_AS(model_function(broken), braid::InvalidArgument);
        broken = model;
        broken.function.numbers.at(name).push_back(1);
        CHECK_THROWS_AS(model_function(broken), braid::InvalidArgument);
    }
    model.function.numbers.at("dimensions") = {1e300};
    CHECK_THROWS_AS(model_function(model), braid::InvalidArgument);
}

TEST_CASE("Model function: scales become part of weights, whatever the query") {
    const braid::AttentionFunction function = two_dimensions();
    const std::vector<double> scales = {2, 8};
    const auto divided = std::get<braid::AttentionFunction>(without_scales(function, scales));
    const std::vector<double> features = {2.25};
    for (const char* query : {"again", "new"}) {
        const std::vector<double> before = attention_weights(function, query, features);
        const std::vector<double> after = attention_weights(divided, query, features);
        for (std::size_t k = 0; k < 2; ++k) CHECK(after[k] == before[k] / scales[k]);
    }
    CHECK(without_scales(LinearFunction{{1, 2}}, {1, 2}) ==
          RankingFunction(LinearFunction{{0.5, 0.5}}));
    CHECK_THROWS_AS(without_scales(function, {1}), braid::InvalidArgument);
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
