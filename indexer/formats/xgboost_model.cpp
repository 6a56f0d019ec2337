// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/tree_models.h"

namespace braid {
namespace {

using Json = nlohmann::json;

constexpr double kMostNamedFeatures = 1000000;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// XGBoost sends x down if the float nearest to it is less than t, here x goes down up to this.
double up_to(float t) {
    const float before = std::nextafter(t, -kInfinity);
    if (std::isinf(before)) return std::numeric_limits<double>::lowest();
    const double middle = (static_cast<double>(before) + static_cast<double>(t)) / 2;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &before, sizeof(bits));
    // What lies in the middle becomes the float whose last bit is 0.
    return (bits & 1U) == 0 ? middle : std::nextafter(middle, -HUGE_VAL);
}

// The least float above a threshold.
float above(double threshold) {
    const auto nearest = static_cast<float>(threshold);
    const bool is_above = static_cast<double>(nearest) > threshold;
    return is_above ? nearest : std::nextafter(nearest, kInfinity);
}

class XgboostReader {
  public:
    XgboostReader(std::string_view text, const std::string& path) : path_(path) {
        try {
            file_ = Json::parse(text);
        } catch (const Json::exception& error) {
            fail("not JSON (" + std::string(error.what()) +
                 "); XGBoost writes JSON where the file is called *.json");
        }
    }

    TreeModel read() {
        const Json& learner = member(file_, "learner");
        check_version();
        read_features(learner);
        const Json& booster = member(learner, "gradient_booster");
        const std::string name = text(member(booster, "name"), "name of the booster");
        const bool is_dart = name == "dart";
        if (name != "gbtree" && !is_dart) {
            fail("found the booster " + in_quotes(name) + ", expected gbtree or dart");
        }
        const Json& model = member(is_dart ? member(booster, "gbtree") : booster, "model");
        for (const Json& group : list(member(model, "tree_info"), "tree_info")) {
            if (number(group, "tree_info") != 0) {
                fail("found trees of several classes, expected one score a document");
            }
        }
        const Json& trees = list(member(model, "trees"), "trees");
        for (std::size_t t = 0; t < trees.size(); ++t) add_tree(trees[t], t);
        if (trees.empty()) fail("found no tree, expected one at least");
        ForestFunction& forest = model_.forest;
        forest.weights.assign(trees.size(), 1);
        if (is_dart) {
            const std::vector<double> dropped = numbers(booster, "weight_drop", trees.size());
            for (std::size_t t = 0; t < trees.size(); ++t) {
                for (std::size_t i = forest.roots[t];
                     i < (t + 1 < trees.size() ? forest.roots[t + 1] : forest.nodes.size()); ++i) {
                    forest.nodes[i].value *= dropped[t];
                }
            }
        }
        add_base(learner);
        return std::move(model_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw FormatError({path_, 0}, what); }

    const Json& member(const Json& object, const char* key) const {
        if (!object.is_object() || !object.contains(key)) {
            fail(fmt::format("found no {}, expected XGBoost's JSON of version 1.0 or later",
                             in_quotes(key)));
        }
        return object[key];
    }

    // [1, 7, 4]. Files of all versions from 1 to 3 say the same in the same way.
    void check_version() const {
        const Json& version = list(member(file_, "version"), "version");
        const double major = version.empty() ? 0 : number(version[0], "version");
        if (major >= 1 && major < 4) return;
        fail(fmt::format("found version {}, expected 1 to 3", in_quotes(version.dump())));
    }

    const Json& list(const Json& value, const char* what) const {
        if (!value.is_array()) fail(fmt::format("found no list {}", what));
        return value;
    }

    std::string text(const Json& value, const char* what) const {
        if (!value.is_string()) fail(fmt::format("found no text as {}", what));
        return value.get<std::string>();
    }

    double number(const Json& value, const char* what) const {
        if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
        if (!value.is_number())
            fail(fmt::format("found {} in {}, expected a number",
                             in_quotes(value.dump(-1, ' ', false, Json::error_handler_t::replace)),
                             what));
        const auto found = value.get<double>();
        if (!std::isfinite(found)) fail(fmt::format("found {} in {}", found, what));
        return found;
    }

    // Numbers that XGBoost writes as text.
    double written(const Json& object, const char* key) const {
        std::string written = text(member(object, key), key);
        if (written.size() > 2 && written.front() == '[' && written.back() == ']') {
            written = written.substr(1, written.size() - 2);
        }
        const auto found = parse_number(written);
        if (!found || !std::isfinite(*found)) {
            fail(fmt::format("found {} as {}, expected a number", in_quotes(written), key));
        }
        return *found;
    }

    std::vector<double> numbers(const Json& object, const char* key, std::size_t count) const {
        std::vector<double> result;
        for (const Json& value : list(member(object, key), key)) {
            result.push_back(number(value, key));
        }
        if (result.size() != count) {
            fail(fmt::format("found {} numbers {}, expected {}", result.size(), key, count));
        }
        return result;
    }

    void read_features(const Json& learner) {
        const Json& parameters = member(learner, "learner_model_param");
        const double count = written(parameters, "num_feature");
        if (!(count >= 1 && count <= kMostNamedFeatures && count == std::floor(count))) {
            fail(fmt::format("found num_feature {}, expected 1 to {}", count, kMostNamedFeatures));
        }
        if (written(parameters, "num_class") > 1 ||
            (parameters.contains("num_target") && written(parameters, "num_target") > 1)) {
            fail("found several classes or targets, expected one score a document");
        }
        std::set<std::string> known;
        const bool is_named =
            learner.contains("feature_names") && !learner["feature_names"].empty();
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            std::string name = std::to_string(i);
            if (is_named) {
                const Json& names = list(learner["feature_names"], "feature_names");
                if (names.size() != static_cast<std::size_t>(count)) {
                    fail(fmt::format("found {} feature_names and num_feature {}", names.size(),
                                     count));
                }
                name = text(names[i], "feature_names");
            }
            if (!known.insert(name).second) fail("found the feature " + in_quotes(name) + " twice");
            model_.features.push_back(std::move(name));
        }
        model_.forest.rankers = model_.features.size();
    }

    void add_tree(const Json& json, std::size_t tree_number) {
        const std::size_t count = list(member(json, "left_children"), "left_children").size();
        const std::vector<double> below = numbers(json, "left_children", count);
        const std::vector<double> above = numbers(json, "right_children", count);
        const std::vector<double> features = numbers(json, "split_indices", count);
        const std::vector<double> conditions = numbers(json, "split_conditions", count);
        if (json.contains("split_type")) {
            for (const double type : numbers(json, "split_type", count)) {
                if (type != 0) {
                    fail(
                        fmt::format("tree {}: found categorical splits, expected comparisons "
                                    "with thresholds only",
                                    tree_number));
                }
            }
        }
        if (count == 0) fail(fmt::format("tree {}: has no node", tree_number));
        const auto is_leaf = [&](double node) {
            return below[static_cast<std::size_t>(node)] == -1;
        };
        const auto child = [&](double node) {
            if (!(node >= 0 && node < static_cast<double>(count) && node == std::floor(node))) {
                fail(fmt::format("tree {}: found child {} of {} nodes", tree_number, node, count));
            }
            const auto place = static_cast<long>(node);
            return is_leaf(node) ? -1 - place : place;
        };
        LibraryTree tree;
        tree.leaves = conditions;
        if (is_leaf(0)) {
            append_tree(tree, tree_number, {path_, 0}, model_.forest);
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const bool splits = !is_leaf(static_cast<double>(i));
            tree.below.push_back(splits ? child(below[i]) : 0);
            tree.above.push_back(splits ? child(above[i]) : 0);
            if (splits && (!(features[i] >= 0) || features[i] != std::floor(features[i]) ||
                           features[i] >= static_cast<double>(model_.features.size()))) {
                fail(fmt::format("tree {}: found feature {}, expected 0 to {}", tree_number,
                                 features[i], model_.features.size() - 1));
            }
            tree.features.push_back(splits ? static_cast<std::size_t>(features[i]) : 0);
            const auto threshold = static_cast<float>(conditions[i]);
            if (!std::isfinite(threshold)) {
                fail(fmt::format("tree {}: found {} as threshold", tree_number, conditions[i]));
            }
            tree.thresholds.push_back(up_to(threshold));
        }
        append_tree(tree, tree_number, {path_, 0}, model_.forest);
    }

    // What is added to all trees: a tree of one leaf.
    void add_base(const Json& learner) {
        double base = written(member(learner, "learner_model_param"), "base_score");
        const std::string objective =
            text(member(member(learner, "objective"), "name"), "name of the objective");
        const bool is_logistic = objective == "binary:logistic" || objective == "reg:logistic" ||
                                 objective == "binary:logitraw";
        if (!is_logistic && !objective.starts_with("rank:") && objective != "reg:squarederror") {
            fail("found the objective " + in_quotes(objective) +
                 ", expected rank:*, reg:squarederror, reg:logistic, binary:logistic or "
                 "binary:logitraw");
        }
        if (is_logistic) {
            if (!(base > 0 && base < 1)) {
                fail(fmt::format("found base_score {}, expected a number between 0 and 1", base));
            }
            base = -std::log(1 / base - 1);
        }
        if (base == 0) return;
        ForestFunction& forest = model_.forest;
        forest.roots.push_back(static_cast<std::uint32_t>(forest.nodes.size()));
        forest.nodes.push_back({.value = base});
        forest.weights.push_back(1);
    }

    std::string path_;
    Json file_;
    TreeModel model_;
};

Json tree_json(const ForestFunction& forest, std::size_t number) {
    std::vector<std::uint32_t> order = {forest.roots[number]};
    std::vector<int> parents = {std::numeric_limits<int>::max()};
    std::vector<int> below;
    std::vector<int> above_of;
    std::vector<std::uint32_t> features;
    std::vector<float> conditions;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const TreeNode& node = forest.nodes[order[i]];
        if (node.below == 0) {
            below.push_back(-1);
            above_of.push_back(-1);
            features.push_back(0);
            conditions.push_back(static_cast<float>(forest.weights[number] * node.value));
        } else {
            below.push_back(static_cast<int>(order.size()));
            above_of.push_back(static_cast<int>(order.size()) + 1);
            order.insert(order.end(), {node.below, node.above});
            parents.insert(parents.end(), 2, static_cast<int>(i));
            features.push_back(node.ranker);
            conditions.push_back(above(node.threshold));
        }
        if (!std::isfinite(conditions.back())) {
            throw InvalidArgument("trees with numbers beyond the floats of XGBoost");
        }
    }
    const std::size_t count = order.size();
    const std::vector<float> zeros(count, 0);
    const std::vector<int> none(count, 0);
    return {{"base_weights", zeros},
            {"categories", Json::array()},
            {"categories_nodes", Json::array()},
            {"categories_segments", Json::array()},
            {"categories_sizes", Json::array()},
            {"default_left", none},
            {"id", number},
            {"left_children", below},
            {"loss_changes", zeros},
            {"parents", parents},
            {"right_children", above_of},
            {"split_conditions", conditions},
            {"split_indices", features},
            {"split_type", none},
            {"sum_hessian", std::vector<float>(count, 1)},
            {"tree_param",
             {{"num_deleted", "0"},
              {"num_feature", std::to_string(forest.rankers)},
              {"num_nodes", std::to_string(count)},
              {"size_leaf_vector", "0"}}}};
}

}  // namespace

TreeModel read_xgboost(std::string_view text, const std::string& path) {
    return XgboostReader(text, path).read();
}

std::string xgboost_json(const TreeModel& model) {
    check_exportable(model);
    for (const std::string& name : model.features) {
        if (name.find_first_of("[]<") == std::string::npos) continue;
        throw InvalidArgument("the feature " + in_quotes(name) +
                              ", expected a name without '[', ']' and '<'");
    }
    const std::size_t count = model.forest.roots.size();
    Json trees = Json::array();
    for (std::size_t t = 0; t < count; ++t) trees.push_back(tree_json(model.forest, t));
    const Json booster = {{"model",
                           {{"gbtree_model_param",
                             {{"num_parallel_tree", "1"},
                              {"num_trees", std::to_string(count)},
                              {"size_leaf_vector", "0"}}},
                            {"tree_info", std::vector<int>(count, 0)},
                            {"trees", std::move(trees)}}},
                          {"name", "gbtree"}};
    const Json file = {
        {"learner",
         {{"attributes", Json::object()},
          {"feature_names", model.features},
          {"feature_types", std::vector<std::string>(model.features.size(), "float")},
          {"gradient_booster", booster},
          {"learner_model_param",
           {{"base_score", "0E0"},
            {"boost_from_average", "1"},
            {"num_class", "0"},
            {"num_feature", std::to_string(model.features.size())},
            {"num_target", "1"}}},
          {"objective",
           {{"name", "reg:squarederror"}, {"reg_loss_param", {{"scale_pos_weight", "1"}}}}}}},
        {"version", {1, 7, 4}}};
    return file.dump() + "\n";
}

}  // namespace braid
