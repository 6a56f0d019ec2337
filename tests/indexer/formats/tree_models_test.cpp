// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/tree_models.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

const std::string kFolder = (test::source_dir() / "tests/indexer/formats/trees/").string();

TreeModel read(const std::string& text) {
    return read_tree_model(Input::from_memory(text, "model"));
}

double predict(const TreeModel& model, const std::vector<double>& row) {
    return forest_score(model.forest, row);
}

// Rows as XGBoost was given them, and its raw prediction at their end.
void check_predictions(const TreeModel& model, const std::string& file) {
    std::ifstream in(kFolder + file);
    std::string line;
    std::size_t rows = 0;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::vector<double> row;
        double number = 0;
        while (words >> number) row.push_back(number);
        const double expected = row.back();
        row.pop_back();
        REQUIRE(row.size() == model.features.size());
        CHECK(std::abs(predict(model, row) - expected) < 1e-6);
        ++rows;
    }
    CHECK(rows == 80);
}

// As LightGBM's documentation describes its text, with what we don't read left out.
std::string lightgbm(const std::string& tree = "", const std::string& header = "") {
    return "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
           "max_feature_idx=2\nobjective=lambdarank\nfeature_names=bm25 lsa age\n" +
           header +
           "feature_infos=[0:1] [0:1] none\ntree_sizes=300\n\n"
           "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=1 0\nsplit_gain=2 1\n"
           "threshold=0.5 7.25\ndecision_type=2 2\nleft_child=1 -1\nright_child=-2 -3\n"
           "leaf_value=-1.5 0.25 2\nleaf_weight=1 1 1\nleaf_count=4 5 6\n"
           "internal_value=0 0\ninternal_weight=0 0\ninternal_count=15 10\nis_linear=0\n"
           "shrinkage=1\n" +
           tree +
           "\n\nTree=1\nnum_leaves=1\nleaf_value=0.125\n\n\nend of trees\n\nfeature_importances:\n"
           "lsa=1\n\nparameters:\n[boosting: gbdt]\nend of parameters\n\npandas_categorical:null\n";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

void check_refused(const std::string& text, const std::string& why) {
    INFO(why);
    try {
        read(text);
        FAIL("was read");
    } catch (const FormatError& error) {
        CHECK_THAT(error.what(), Contains(why));
    }
}

TreeModel random_model(Random& random) {
    TreeModel model;
    model.features = {"bm25", "lsa:title", "7"};
    model.forest.rankers = 3;
    for (int t = 0; t < 12; ++t) {
        const auto root = static_cast<std::uint32_t>(model.forest.nodes.size());
        model.forest.roots.push_back(root);
        model.forest.weights.push_back(0.25 + random.uniform());
        model.forest.nodes.emplace_back();
        std::vector<std::uint32_t> open = {root};
        while (open.size() < 1 + random.below(20)) {
            const std::size_t i = random.below(open.size());
            const auto next = static_cast<std::uint32_t>(model.forest.nodes.size());
            model.forest.nodes.resize(next + 2);
            TreeNode& node = model.forest.nodes[open[i]];
            node.ranker = static_cast<std::uint32_t>(random.below(3));
            node.threshold = random.normal();
            node.below = next;
            node.above = next + 1;
            open[i] = next;
            open.push_back(next + 1);
        }
        for (const std::uint32_t leaf : open) model.forest.nodes[leaf].value = random.normal();
    }
    return model;
}

}  // namespace

TEST_CASE("Tree models: XGBoost's own predictions", "[golden]") {
    const TreeModel ranked = read_tree_model(kFolder + "ranked.json");
    CHECK(ranked.features == std::vector<std::string>{"bm25", "lsa", "ldi", "title", "age"});
    check_predictions(ranked, "ranked.txt");
    const TreeModel dart = read_tree_model(kFolder + "dart.json");
    CHECK(dart.features == std::vector<std::string>{"0", "1", "2", "3", "4"});
    check_predictions(dart, "dart.txt");
}

TEST_CASE("Tree models: LightGBM by hand") {
    const TreeModel model = read(lightgbm());
    CHECK(model.features == std::vector<std::string>{"bm25", "lsa", "age"});
    CHECK(predict(model, {7.25, 0.5, 0}) == -1.5 + 0.125);
    CHECK(predict(model, {7.26, 0.5, 0}) == 2 + 0.125);
    CHECK(predict(model, {7.25, 0.51, 0}) == 0.25 + 0.125);
    // A random forest's mean; numbers for names.
    const TreeModel mean = read(lightgbm("", "average_output\n"));
    CHECK(predict(mean, {7.25, 0.5, 0}) == (-1.5 + 0.125) / 2);
    const TreeModel nameless =
        read(replaced(lightgbm(), "bm25 lsa age", "Column_0 Column_1 Column_2"));
    CHECK(nameless.features == std::vector<std::string>{"0", "1", "2"});
}

TEST_CASE("Tree models: what is written is read again", "[property]") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        Random random(braid::test::seed() + i);
        const TreeModel model = random_model(random);
        REQUIRE_NOTHROW(validate(model.forest));
        const TreeModel text = read(lightgbm_text(model));
        const TreeModel json = read(xgboost_json(model));
        CHECK(text.features == model.features);
        CHECK(json.features == model.features);
        for (int d = 0; d < 50; ++d) {
            std::vector<double> row;
            for (int k = 0; k < 3; ++k) row.push_back(random.normal());
            CHECK(predict(text, row) == Approx(predict(model, row)).epsilon(1e-14));
            for (double& score : row) score = static_cast<float>(score);
            CHECK(std::abs(predict(json, row) - predict(model, row)) < 1e-5);
        }
    }
}

// A double is above a split where its float is not less than the split's.
TEST_CASE("Tree models: XGBoost's splits are of floats", "[property]") {
    Random random(braid::test::seed());
    for (int i = 0; i < 200; ++i) {
        TreeModel model;
        model.features = {"a"};
        model.forest.rankers = 1;
        model.forest.nodes = {{.ranker = 0, .threshold = random.normal(), .below = 1, .above = 2},
                              {.value = 1},
                              {.value = 2}};
        model.forest.roots = {0};
        model.forest.weights = {1};
        const Json file = Json::parse(xgboost_json(model));
        const auto split =
            file["learner"]["gradient_booster"]["model"]["trees"][0]["split_conditions"][0]
                .get<float>();
        const TreeModel again = read(file.dump());
        const float before = std::nextafter(split, -1e30F);
        const double middle = (static_cast<double>(before) + static_cast<double>(split)) / 2;
        for (const double x : {static_cast<double>(before), static_cast<double>(split), middle,
                               std::nextafter(middle, 1e9), std::nextafter(middle, -1e9)}) {
            CHECK(predict(again, {x}) == (static_cast<float>(x) < split ? 1 : 2));
        }
    }
}

TEST_CASE("Tree models: wrong input of LightGBM is refused with what is wrong") {
    check_refused("", "expected a model of LightGBM");
    check_refused("booster\n", "expected a model of LightGBM");
    check_refused(replaced(lightgbm(), "v4", "v9"), "found version 'v9'");
    check_refused(replaced(lightgbm(), "num_class=1", "num_class=3"), "num_class='3'");
    check_refused(replaced(lightgbm(), "lsa age", "lsa lsa"), "the feature 'lsa' twice");
    check_refused(replaced(lightgbm(), "lsa age", "lsa"), "found 2 feature_names");
    check_refused(replaced(lightgbm(), "num_cat=0", "num_cat=1"), "categorical splits");
    check_refused(replaced(lightgbm(), "type=2 2", "type=2 1"), "categorical splits");
    check_refused(replaced(lightgbm(), "type=2 2", "type=2 4"), "0 is a missing value");
    check_refused(replaced(lightgbm(), "is_linear=0", "is_linear=1"), "linear models");
    check_refused(replaced(lightgbm(), "0.5 7.25", "nan 7.25"), "expected a finite number");
    check_refused(replaced(lightgbm(), "0.5 7.25", "0.5"), "found 1 numbers threshold");
    check_refused(replaced(lightgbm(), "-1.5 0.25 2", "-1.5 inf 2"), "expected a finite number");
    check_refused(replaced(lightgbm(), "split_feature=1 0", "split_feature=1 3"),
                  "found the feature 3, expected 0 to 2");
    check_refused(replaced(lightgbm(), "left_child=1 -1", "left_child=0 -1"), "on two ways");
    check_refused(replaced(lightgbm(), "left_child=1 -1", "left_child=1 -2"), "on two ways");
    check_refused(replaced(lightgbm(), "left_child=1 -1", "left_child=5 -1"), "found split 5 of 2");
    check_refused(replaced(lightgbm(), "num_leaves=3", "num_leaves=1e9"), "num_leaves");
    check_refused(replaced(lightgbm(), "end of trees", "end of t"), "ends before 'end of trees'");
    const std::string whole = lightgbm();
    for (std::size_t i = 0; i < whole.find("end of trees"); i += 3) {
        CHECK_THROWS_AS(read(whole.substr(0, i)), FormatError);
    }
}

TEST_CASE("Tree models: wrong input of XGBoost is refused with what is wrong") {
    std::ifstream in(kFolder + "ranked.json");
    const Json good = Json::parse(in);
    const auto broken = [&](const auto& change) {
        Json file = good;
        change(file["learner"], file["learner"]["gradient_booster"]["model"]["trees"][0]);
        return file.dump();
    };
    check_refused("{", "not JSON");
    check_refused("{}", "found no 'learner'");
    for (const Json& version : {Json{4, 0, 0}, Json{0, 90}, Json::array()}) {
        Json file = good;
        file["version"] = version;
        check_refused(file.dump(), "found version '" + version.dump() + "', expected 1 to 3");
    }
    check_refused(
        broken([](Json& l, Json&) { l["learner_model_param"]["base_score"] = "[5E-1,2E-1]"; }),
        "found '5E-1,2E-1' as base_score");
    check_refused(broken([](Json& l, Json&) { l["gradient_booster"]["name"] = "gblinear"; }),
                  "found the booster 'gblinear'");
    check_refused(broken([](Json& l, Json&) { l["objective"]["name"] = "survival:cox"; }),
                  "found the objective 'survival:cox'");
    check_refused(broken([](Json& l, Json&) { l["learner_model_param"]["num_class"] = "3"; }),
                  "several classes");
    check_refused(broken([](Json& l, Json&) { l["learner_model_param"]["base_score"] = "x"; }),
                  "found 'x' as base_score");
    check_refused(broken([](Json& l, Json&) { l["feature_names"].erase(0); }), "4 feature_names");
    check_refused(broken([](Json&, Json& t) { t["split_type"][0] = 1; }), "categorical splits");
    check_refused(broken([](Json&, Json& t) { t["split_conditions"][0] = nullptr; }),
                  "expected a number");
    check_refused(broken([](Json&, Json& t) { t["split_conditions"][0] = 1e39; }), "as threshold");
    check_refused(broken([](Json&, Json& t) { t["split_indices"][0] = 9; }), "found feature 9");
    check_refused(broken([](Json&, Json& t) { t["left_children"][0] = 0; }), "on two ways");
    check_refused(broken([](Json&, Json& t) { t["left_children"][0] = 99; }), "found child 99");
    check_refused(broken([](Json&, Json& t) { t["right_children"].erase(0); }),
                  "numbers right_children");
    // As version 3 writes it.
    Json newer = good;
    newer["version"] = {3, 1, 0};
    newer["learner"]["learner_model_param"]["base_score"] = "[2.5E-1]";
    CHECK(read(newer.dump()).forest == read(good.dump()).forest);
    std::string text = good.dump();
    const std::string list = "\"split_conditions\":[";
    text.insert(text.find(list) + list.size(), "NaN,");
    check_refused(text, "not JSON");
    const std::string whole = good.dump();
    for (std::size_t i = 0; i < whole.size(); i += 97) {
        CHECK_THROWS_AS(read(whole.substr(0, i)), FormatError);
    }
}

TEST_CASE("Tree models: a tree that is too deep") {
    TreeModel model;
    model.features = {"a"};
    model.forest.rankers = 1;
    for (std::uint32_t i = 0; i < 600; ++i) {
        model.forest.nodes.push_back(
            {.ranker = 0, .threshold = -1.0 * i, .below = 2 * i + 2, .above = 2 * i + 1});
        model.forest.nodes.push_back({.value = 1});
    }
    model.forest.nodes.push_back({});
    model.forest.roots = {0};
    model.forest.weights = {1};
    REQUIRE_NOTHROW(validate(model.forest));
    check_refused(lightgbm_text(model), "deeper than 512");
    check_refused(xgboost_json(model), "deeper than 512");
}

TEST_CASE("Tree models: what other libraries can't hold is refused") {
    Random random(braid::test::seed());
    TreeModel model = random_model(random);
    model.forest.linear = {1, 0, 0};
    CHECK_THROWS_WITH(lightgbm_text(model), Contains("linear part"));
    model.forest.linear = {};
    model.forest.combination = ForestFunction::Combination::kMedian;
    CHECK_THROWS_WITH(xgboost_json(model), Contains("median of trees"));
    model.forest.combination = ForestFunction::Combination::kMean;
    model.features[0] = "a b";
    CHECK_THROWS_WITH(lightgbm_text(model), Contains("without blanks"));
    model.features[0] = "a<b";
    CHECK_THROWS_WITH(xgboost_json(model), Contains("without '['"));
    model.features[0] = "7";
    CHECK_THROWS_WITH(xgboost_json(model), Contains("two features '7'"));
}
