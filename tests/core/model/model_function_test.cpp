// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/model_function.h"

#include <cmath>
#include <limits>

#include "braid/core/model/attention.h"
#include "braid/core/model/method_function.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

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
            .softmax = true,
            .non_negative = true,
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
                             "offset", "softmax", "limit", "known"}) {
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

TEST_CASE("Model function: steps of single rankers' scores") {
    const braid::StepFunction function{.width = 2,
                                       .rankers = {0, 0, 1},
                                       .thresholds = {0.5, 2, 0.25},
                                       .rises = {0.5, -0.25, 0.25}};
    FusionModel model = two_rankers();
    set_model_function(model, function);
    CHECK(model.function.form == "steps");
    CHECK_NOTHROW(validate(model));
    CHECK(model_function(model) == RankingFunction(function));

    FusionModel broken = model;
    broken.function.numbers.at("rises").pop_back();
    CHECK_THROWS_WITH(model_function(broken), Contains("expected as many of each"));
    broken = model;
    broken.function.numbers.at("rankers") = {0, 0, 2};
    CHECK_THROWS_WITH(model_function(broken),
                      Contains("\"rankers\" has 2, expected a whole number from 0 to 1"));
    broken.function.numbers.at("rankers") = {0, 0, 0.5};
    CHECK_THROWS_AS(model_function(broken), braid::InvalidArgument);
    broken = model;
    broken.function.numbers.at("thresholds") = {2, 0.5, 0.25};
    CHECK_THROWS_WITH(model_function(broken), Contains("step 2 is not behind step 1"));
    broken.function.numbers.at("thresholds") = {0.5, std::nan(""), 0.25};
    CHECK_THROWS_AS(model_function(broken), braid::InvalidArgument);
}

TEST_CASE("Model function: linear functions that vote") {
    const braid::BordaFunction function{{{1, -0.5}, {0.25, 0}}};
    FusionModel model = two_rankers();
    set_model_function(model, function);
    CHECK(model.function.form == "borda");
    CHECK(model_function(model) == RankingFunction(function));
    model.function.numbers.at("weights").push_back(1);
    CHECK_THROWS_WITH(model_function(model), Contains("5 numbers \"weights\""));
    model.rankers.clear();  // No number of weights is a multiple of 0.
    CHECK_THROWS_AS(model_function(model), braid::InvalidArgument);
    model = two_rankers();
    model.function.form = "borda";
    CHECK_THROWS_AS(model_function(model), braid::InvalidArgument);
}

TEST_CASE("Model function: weights that follow from the candidates") {
    braid::SemiSupervisedFunction function{.base = {0.75, 0.25},
                                           .margins = {1, 2, 3, 4},
                                           .alpha = {0.5, 0},
                                           .eta = {0, 0.125},
                                           .cost = 10,
                                           .gamma = 0.25,
                                           .neighbours = 7};
    FusionModel model = two_rankers();
    set_model_function(model, function);
    CHECK(model.function.form == "semi-supervised");
    CHECK(model_function(model) == RankingFunction(function));
    CHECK(model.function.names.empty());
    function.by_places = true;
    FusionModel in_topics = two_rankers();
    set_model_function(in_topics, function);
    CHECK(model_function(in_topics) == RankingFunction(function));
    in_topics.function.names.at("graph") = {"words"};
    CHECK_THROWS_WITH(model_function(in_topics),
                      Contains("graph \"words\", expected scores or topics"));
    CHECK_THROWS_WITH(without_scales(function, {1, 2}), Contains("train with a normaliser"));
    for (const char* name : {"base", "margins", "alpha", "eta", "cost", "gamma", "neighbours"}) {
        FusionModel broken = model;
        broken.function.numbers.erase(name);
        CHECK_THROWS_AS(model_function(broken), braid::InvalidArgument);
    }
    model.function.numbers.at("neighbours") = {0.5};
    CHECK_THROWS_WITH(model_function(model), Contains("whole number"));
}

TEST_CASE("Model function: fusion methods") {
    const braid::MethodFunction function{.rankers = 2,
                                         .method = "amanx",
                                         .parameters = {{"alpha", 0.25}},
                                         .choices = {{"graph", "features"}},
                                         .weights = {1, 3}};
    FusionModel model = two_rankers();
    set_model_function(model, function);
    CHECK(model.function.form == "fusion");
    CHECK(model_function(model) == RankingFunction(function));
    CHECK(needs_places(model_function(model)));
    CHECK_THROWS_WITH(without_scales(function, {1, 2}), Contains("use a normaliser"));
    const braid::MethodFunction ranks{.rankers = 2};
    CHECK(without_scales(ranks, {1, 2}) == RankingFunction(ranks));
    CHECK_FALSE(needs_places(ranks));

    const auto broken = [&](const auto& change) {
        FusionModel other = model;
        change(other);
        return model_function(other);
    };
    CHECK_THROWS_WITH(broken([](FusionModel& m) { m.function.names.erase("method"); }),
                      Contains("expected one of combsum"));
    CHECK_THROWS_AS(broken([](FusionModel& m) { m.function.names["method"] = {"sum"}; }),
                    braid::UnknownComponent);
    CHECK_THROWS_AS(broken([](FusionModel& m) { m.function.names["graph"] = {"words"}; }),
                    braid::UnknownComponent);
    CHECK_THROWS_AS(broken([](FusionModel& m) { m.function.numbers["k"] = {20}; }),
                    braid::UnknownComponent);
    CHECK_THROWS_WITH(broken([](FusionModel& m) {
                          m.function.numbers["weights"] = {1, 2, 3};
                      }),
                      Contains("3 numbers \"weights\""));
    CHECK_THROWS_AS(broken([](FusionModel& m) {
                        m.function.numbers["weights"] = {0, 0};
                    }),
                    braid::InvalidArgument);
    CHECK_THROWS_AS(broken([](FusionModel& m) {
                        m.function.numbers["alpha"] = {0.1, 0.2};
                    }),
                    braid::InvalidArgument);
    FusionModel bent = two_rankers();
    set_model_function(bent, ranks);
    bent.normaliser.normaliser = "min-max";
    CHECK_THROWS_WITH(model_function(bent), Contains("would have no effect"));
    FusionModel absent = two_rankers();
    absent.normaliser.missing = braid::MissingScore::kAbsent;
    CHECK_THROWS_WITH(model_function(absent), Contains("this is 'linear'"));
}

TEST_CASE("Model function: what a model weighs can be fused instead") {
    FusionModel model = two_rankers();
    model.rankers.push_back({.ranker = "dph", .weight = 0});
    model.provenance.learner = "wel";
    model.provenance.topic_models = {{"lsa", "x"}};
    const FusionModel ranks =
        braid::fused_model(model, {.method = "rrf", .parameters = {{"k", 5}}});
    CHECK(ranks.rankers.size() == 2);
    CHECK(ranks.normaliser.normaliser == "none");
    CHECK(ranks.normaliser.missing == braid::MissingScore::kAbsent);
    CHECK(ranks.provenance.learner.empty());
    CHECK(ranks.provenance.topic_models == model.provenance.topic_models);
    CHECK(std::get<braid::MethodFunction>(model_function(ranks)).parameters.at("k") == 5);
    CHECK(braid::fused_model(model, {.method = "combmnz"}).normaliser.normaliser == "min-max");
    CHECK(braid::fused_model(model, {.method = "combmnz", .normaliser = "z-score"})
              .normaliser.normaliser == "z-score");
    // The model's weights say what brings candidates.
    model.rankers[0].weight = 0.25;
    CHECK(braid::fused_model(model, {}).rankers[0].weight == 0.25);
    CHECK(braid::fused_model(model, {.weights = {0, 1}}).rankers[0].weight == 0);
    CHECK_THROWS_WITH(braid::fused_model(model, {.weights = {1, 1, 1}}),
                      Contains("3 weights for the 2 rankers that count"));
    model.rankers[0].weight = 0;
    CHECK_THROWS_WITH(braid::fused_model(model, {}), Contains("one ranker"));
    // A ranker that counts against documents is no list of good ones.
    FusionModel signed_model = model;
    set_model_function(signed_model, LinearFunction{{1, -1, 0.5}});
    const FusionModel kept = braid::fused_model(signed_model, {});
    REQUIRE(kept.rankers.size() == 2);
    CHECK(kept.rankers[1].label() == "dph");
    CHECK(kept.rankers[1].weight == 0.5);
}

TEST_CASE("Model function: a list lacks what its ranker gives 0") {
    braid::TrainingSet set;
    set.rankers = {"a", "b"};
    set.queries = {"1"};
    set.query_begin = {0, 3};
    set.scores = {4, 0, 2, 1, 0, std::nan("")};
    set.grades = {0, 1, 0};
    const RankingFunction function = braid::MethodFunction{.rankers = 2};
    braid::TrainingSet absent = set;
    normalise(absent, {.missing = braid::MissingScore::kAbsent});
    std::vector<double> scores(3);
    score_pool(function, absent, 0, scores);
    CHECK(scores == std::vector<double>{1.0 / 61, 1.0 / 62 + 1.0 / 61, 0});
    // Found, as the last.
    braid::TrainingSet last = set;
    normalise(last, {.missing = braid::MissingScore::kZero});
    score_pool(function, last, 0, scores);
    CHECK(scores[2] == 1.0 / 63 + 1.0 / 62.5);
    // Statistics of a list are of what it has.
    absent = set;
    normalise(absent, {.normaliser = "min-max", .missing = braid::MissingScore::kAbsent});
    CHECK(absent.scores[0] == 1);
    CHECK(absent.scores[2] == 0);
    CHECK(std::isnan(absent.scores[1]));
}

TEST_CASE("Model function: regression trees") {
    braid::ForestFunction function;
    function.rankers = 2;
    function.nodes = {{.ranker = 1, .threshold = 0.5, .below = 1, .above = 2},
                      {.value = -1},
                      {.value = 2},
                      {.value = 0.5}};
    function.roots = {0, 3};
    function.weights = {0.75, 0.25};
    function.combination = braid::ForestFunction::Combination::kMedian;
    FusionModel model = two_rankers();
    set_model_function(model, function);
    CHECK(model.function.form == "forest");
    CHECK(model_function(model) == RankingFunction(function));
    for (const char* name :
         {"ranker", "threshold", "below", "above", "value", "roots", "weights"}) {
        FusionModel broken = model;
        broken.function.numbers.erase(name);
        CHECK_THROWS_AS(model_function(broken), braid::InvalidArgument);
    }
    FusionModel broken = model;
    broken.function.numbers.at("below") = {0, 0, 0, 0};
    CHECK_THROWS_WITH(model_function(broken), Contains("node 0 has children"));
    braid::ForestFunction beside = function;
    beside.linear = {0.25, 3};
    beside.standardised = true;
    set_model_function(broken, beside);
    CHECK(model_function(broken) == RankingFunction(beside));
    CHECK(broken.rankers[1].weight == 3);
    CHECK(without_scales(beside, {2, 4}) == [&] {
        braid::ForestFunction raw = beside;
        raw.linear = {0.125, 0.75};
        return RankingFunction(raw);
    }());
    broken.function.names.at("scores") = {"raw"};
    CHECK_THROWS_WITH(model_function(broken), Contains("expected standardised"));
    model.function.names.at("combination") = {"mode"};
    CHECK_THROWS_WITH(model_function(model), Contains("expected mean or median"));
}

TEST_CASE("Model function: a model of two passes ranks by its first alone") {
    braid::ForestFunction trees;
    trees.rankers = 2;
    trees.nodes = {{.value = 1}};
    trees.roots = {0};
    trees.weights = {1};
    FusionModel model = two_rankers();
    set_model_function(model, trees);
    CHECK_FALSE(one_pass_form(model).has_value());  // Nobody set weights.
    model.rankers[0].weight = 0.5;
    FusionModel sum = two_rankers();
    set_model_function(sum, braid::LinearFunction{{0.5, 1}});
    CHECK(one_pass_form(model) == sum);
    model.normaliser.normaliser = "z-score";  // Of what the trees read.
    CHECK(one_pass_form(model) == sum);
    const braid::Calibration calibration{{0.25, 2}, {0.125, 0.5}};
    set_one_pass_calibration(model, calibration);
    CHECK(one_pass_form(model)->calibration == calibration);
    CHECK(model.calibration.empty());
    braid::validate(model);
    model.function.numbers.at(kOnePassProbabilities) = {0.5, 0.25};
    CHECK_THROWS_WITH(braid::validate(model), Contains("calibration of one pass"));
    // Weights beside trees stand before those of the first pass, unless one is negative.
    trees.linear = {2, 3};
    model = two_rankers();
    set_model_function(model, trees);
    model.rankers[0].weight = 9;
    CHECK(one_pass_form(model)->rankers[0].weight == 2);
    model.function.numbers.at("linear") = {2, -3};
    CHECK(one_pass_form(model)->rankers[0].weight == 9);
    model.normaliser.normaliser = "z-score";  // The weights are of normalised scores.
    CHECK_FALSE(one_pass_form(model).has_value());
    // A sum needs no other form, and a fusion method's weights are not a sum's.
    CHECK_FALSE(one_pass_form(sum).has_value());
    set_model_function(model, braid::LinearFunction{{-1, 2}});
    model.normaliser = {};
    model.rankers[1].weight = 4;
    CHECK(one_pass_form(model)->rankers[1].weight == 4);
}

TEST_CASE("Model function: scales become part of thresholds and of what votes") {
    braid::TrainingSet set;
    set.rankers = {"a", "b"};
    set.queries = {"1"};
    set.query_begin = {0, 3};
    set.scores = {1, 8, 4, 24, 2, 4};
    set.grades = {0, 1, 0};
    braid::TrainingSet divided = set;
    const std::vector<double> scales = {2, 8};
    for (std::size_t i = 0; i < set.scores.size(); ++i) divided.scores[i] /= scales[i % 2];
    const RankingFunction steps = braid::StepFunction{
        .width = 2, .rankers = {0, 1}, .thresholds = {0.75, 1}, .rises = {2, 1}};
    const RankingFunction borda = braid::BordaFunction{{{1, -0.5}, {-0.25, 1}}};
    braid::ForestFunction forest;
    forest.rankers = 2;
    forest.nodes = {{.ranker = 1, .threshold = 1.5, .below = 1, .above = 2}, {.value = 1}, {}};
    forest.roots = {0};
    forest.weights = {1};
    for (const RankingFunction& function : {steps, borda, RankingFunction(forest)}) {
        std::vector<double> expected(3);
        std::vector<double> got(3);
        score_pool(function, divided, 0, expected);
        score_pool(without_scales(function, scales), set, 0, got);
        CHECK(got == expected);
        CHECK_THROWS_AS(without_scales(function, {1}), braid::InvalidArgument);
    }
}

TEST_CASE("Model function: scales become part of weights, whatever the query") {
    braid::AttentionFunction function = two_dimensions();
    const std::vector<double> scales = {2, 8};
    CHECK_THROWS_WITH(without_scales(function, scales), Contains("softmax"));
    function.softmax = false;
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
