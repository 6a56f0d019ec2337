// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/tree_models.h"

namespace braid {
namespace {

constexpr std::size_t kDeepest = 512;
constexpr std::size_t kMostFeatures = 1000000;

// Bits of decision_type.
constexpr unsigned kCategorical = 1;
constexpr unsigned kMissingShift = 2;
constexpr unsigned kMissingMask = 3;
constexpr unsigned kZeroIsMissing = 1;

class LightGbmReader {
  public:
    LightGbmReader(std::string_view text, const std::string& path) : path_(path), lines_(text) {}

    TreeModel read() {
        read_header();
        while (section_ == Section::kTree) read_tree();
        if (model_.forest.roots.empty()) fail("found no tree, expected one at least");
        if (section_ != Section::kEnd) fail("ends before 'end of trees'");
        const double weight = averages_ ? 1 / static_cast<double>(trees_) : 1;
        model_.forest.weights.assign(model_.forest.roots.size(), weight);
        return std::move(model_);
    }

  private:
    enum class Section { kHeader, kTree, kEnd, kTruncated };

    [[noreturn]] void fail(const std::string& what) const {
        throw FormatError({path_, lines_.number()}, what);
    }

    // Fills `values_` with the key=value lines up to the next section.
    void read_values() {
        values_.clear();
        std::string_view line;
        while (lines_.next(line)) {
            line = trim(line);
            if (line == "end of trees") {
                section_ = Section::kEnd;
                return;
            }
            if (line.starts_with("Tree=")) {
                section_ = Section::kTree;
                return;
            }
            if (line.empty()) continue;
            const std::size_t mark = line.find('=');
            const auto key = std::string(line.substr(0, mark));
            if (!values_
                     .emplace(key, mark == std::string_view::npos ? std::string_view()
                                                                  : line.substr(mark + 1))
                     .second) {
                fail("found " + in_quotes(key) + " twice");
            }
        }
        section_ = Section::kTruncated;
    }

    std::string_view value(const std::string& key) const {
        const auto found = values_.find(key);
        if (found == values_.end()) fail("found no " + in_quotes(key + "="));
        return found->second;
    }

    void require_one(const std::string& key, const std::string& what) const {
        const auto found = values_.find(key);
        if (found == values_.end() || found->second == "1") return;
        fail(fmt::format("found {}={}, expected 1: {}", key, in_quotes(found->second), what));
    }

    void read_header() {
        read_values();
        const std::string_view version = value("version");
        if (version != "v2" && version != "v3" && version != "v4") {
            fail("found version " + in_quotes(version) + ", expected v2, v3 or v4");
        }
        require_one("num_class", "one score a document");
        require_one("num_tree_per_iteration", "one score a document");
        averages_ = values_.contains("average_output");
        const double last = number(value("max_feature_idx"), "max_feature_idx");
        if (!(last >= 0 && last < kMostFeatures && last == std::floor(last))) {
            fail(fmt::format("found max_feature_idx={}, expected a whole number from 0 up", last));
        }
        std::string_view names = value("feature_names");
        std::set<std::string> known;
        while (!trim(names).empty()) {
            std::string name(take_word(names));
            const bool is_number = name.starts_with("Column_") &&
                                   name.find_first_not_of("0123456789", 7) == std::string::npos &&
                                   name.size() > 7;
            if (is_number) name = name.substr(7);
            if (!known.insert(name).second) fail("found the feature " + in_quotes(name) + " twice");
            model_.features.push_back(std::move(name));
        }
        if (static_cast<double>(model_.features.size()) != last + 1) {
            fail(fmt::format("found {} feature_names and max_feature_idx={}, expected one more",
                             model_.features.size(), last));
        }
        model_.forest.rankers = model_.features.size();
    }

    double number(std::string_view text, const char* what) const {
        const std::optional<double> number = parse_number(text);
        if (number && std::isfinite(*number)) return *number;
        fail(fmt::format("found {} in {}, expected a finite number", in_quotes(text), what));
    }

    std::vector<double> numbers(const char* key, std::size_t count) const {
        std::string_view rest = value(key);
        std::vector<double> result;
        while (!trim(rest).empty()) result.push_back(number(take_word(rest), key));
        if (result.size() != count) {
            fail(fmt::format("found {} numbers {}, expected {}", result.size(), key, count));
        }
        return result;
    }

    std::vector<long> children(const char* key, std::size_t count) const {
        std::vector<long> result;
        for (const double child : numbers(key, count)) {
            if (!(std::abs(child) < 1e9) || child != std::floor(child)) {
                fail(fmt::format("found {} in {}, expected a whole number", child, key));
            }
            result.push_back(static_cast<long>(child));
        }
        return result;
    }

    void read_tree() {
        const std::size_t tree_number = trees_++;
        read_values();
        const double leaves = number(value("num_leaves"), "num_leaves");
        if (!(leaves >= 1 && leaves < 1e9 && leaves == std::floor(leaves))) {
            fail(fmt::format("found num_leaves={}, expected a whole number from 1 up", leaves));
        }
        if (values_.contains("num_cat") && trim(value("num_cat")) != "0") {
            fail("found categorical splits, expected comparisons with thresholds only");
        }
        if (values_.contains("is_linear") && trim(value("is_linear")) != "0") {
            fail("found linear models in leaves, expected a number in each leaf");
        }
        const auto count = static_cast<std::size_t>(leaves);
        LibraryTree tree;
        tree.leaves = numbers("leaf_value", count);
        if (count > 1) {
            for (const double feature : numbers("split_feature", count - 1)) {
                if (!(feature >= 0) || feature >= static_cast<double>(model_.features.size()) ||
                    feature != std::floor(feature)) {
                    fail(fmt::format("found the feature {}, expected 0 to {}", feature,
                                     model_.features.size() - 1));
                }
                tree.features.push_back(static_cast<std::size_t>(feature));
            }
            tree.thresholds = numbers("threshold", count - 1);
            tree.below = children("left_child", count - 1);
            tree.above = children("right_child", count - 1);
            for (const long type : children("decision_type", count - 1)) check_type(type);
        }
        append_tree(tree, tree_number, {path_, lines_.number()}, model_.forest);
    }

    void check_type(long type) const {
        if (type < 0 || type > 255) fail(fmt::format("found decision_type {}", type));
        const auto bits = static_cast<unsigned>(type);
        if ((bits & kCategorical) != 0) {
            fail("found categorical splits, expected comparisons with thresholds only");
        }
        if (((bits >> kMissingShift) & kMissingMask) == kZeroIsMissing) {
            fail("found splits for which 0 is a missing value, expected zero_as_missing=false");
        }
    }

    std::string path_;
    TextLines lines_;
    Section section_ = Section::kHeader;
    std::map<std::string, std::string_view> values_;
    TreeModel model_;
    std::size_t trees_ = 0;
    bool averages_ = false;
};

}  // namespace

void append_tree(const LibraryTree& tree, std::size_t number, const SourceLocation& where,
                 ForestFunction& forest) {
    const auto fail = [&](const std::string& what) {
        throw FormatError(where, fmt::format("tree {}: {}", number, what));
    };
    struct Open {
        long child;
        std::uint32_t node;
        std::size_t depth;
    };
    const auto root = static_cast<std::uint32_t>(forest.nodes.size());
    forest.roots.push_back(root);
    forest.nodes.emplace_back();
    std::vector<bool> was_split(tree.below.size(), false);
    std::vector<bool> was_leaf(tree.leaves.size(), false);
    std::vector<Open> open = {{tree.below.empty() ? -1 : 0, root, 0}};
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto [child, place, depth] = open[i];
        const auto at = static_cast<std::size_t>(child < 0 ? -1 - child : child);
        std::vector<bool>& was_there = child < 0 ? was_leaf : was_split;
        if (at >= was_there.size()) {
            fail(fmt::format("found {} {} of {}", child < 0 ? "leaf" : "split", at,
                             was_there.size()));
        }
        if (was_there[at]) {
            fail(fmt::format("found {} {} on two ways, expected a tree",
                             child < 0 ? "leaf" : "split", at));
        }
        was_there[at] = true;
        if (child < 0) {
            forest.nodes[place].value = tree.leaves[at];
            continue;
        }
        if (depth == kDeepest) fail(fmt::format("is deeper than {} splits", kDeepest));
        const auto next = static_cast<std::uint32_t>(forest.nodes.size());
        forest.nodes.resize(next + 2);
        TreeNode& node = forest.nodes[place];
        node.ranker = static_cast<std::uint32_t>(tree.features[at]);
        node.threshold = tree.thresholds[at];
        node.below = next;
        node.above = next + 1;
        open.push_back({tree.below[at], next, depth + 1});
        open.push_back({tree.above[at], next + 1, depth + 1});
    }
}

TreeModel read_lightgbm(std::string_view text, const std::string& path) {
    return LightGbmReader(text, path).read();
}

TreeModel read_tree_model(const std::string& path) { return read_tree_model(Input(path)); }

TreeModel read_tree_model(Input input) {
    const std::string path = input.path();
    const std::string text =
        read_whole(std::move(input), 0, std::numeric_limits<std::size_t>::max() / 2);
    const std::string_view start = trim(std::string_view(text).substr(0, 100));
    if (start.starts_with('{')) return read_xgboost(text, path);
    if (start == "tree" || start.starts_with("tree\n") || start.starts_with("tree\r")) {
        return read_lightgbm(text, path);
    }
    throw FormatError({path, 1}, "found " + in_quotes(start) +
                                     ", expected a model of LightGBM ('tree' in the first line) "
                                     "or XGBoost's JSON ('{')");
}

namespace {

// The splits of one tree of a forest, in LightGBM's numbers, from the root on.
LibraryTree library_tree(const ForestFunction& forest, std::size_t number) {
    LibraryTree tree;
    std::vector<std::uint32_t> order = {forest.roots[number]};
    std::vector<long> numbers(1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const TreeNode& node = forest.nodes[order[i]];
        if (node.below == 0) continue;
        order.push_back(node.below);
        order.push_back(node.above);
    }
    std::map<std::uint32_t, long> number_of;
    long splits = 0;
    long leaves = 0;
    for (const std::uint32_t place : order) {
        number_of[place] = forest.nodes[place].below == 0 ? -1 - leaves++ : splits++;
    }
    for (const std::uint32_t place : order) {
        const TreeNode& node = forest.nodes[place];
        if (node.below == 0) {
            tree.leaves.push_back(forest.weights[number] * node.value);
            continue;
        }
        tree.features.push_back(node.ranker);
        tree.thresholds.push_back(node.threshold);
        tree.below.push_back(number_of[node.below]);
        tree.above.push_back(number_of[node.above]);
    }
    return tree;
}

}  // namespace

void check_exportable(const TreeModel& model) {
    validate(model.forest);
    if (model.forest.combination == ForestFunction::Combination::kMedian) {
        throw InvalidArgument("a median of trees, expected a sum: other libraries add trees up");
    }
    if (!model.forest.linear.empty()) {
        throw InvalidArgument(
            "trees beside a linear part, expected trees alone: other libraries have no such part");
    }
    std::set<std::string> names;
    for (const std::string& name : model.features) {
        if (!names.insert(name).second) throw InvalidArgument("two features " + in_quotes(name));
    }
    if (names.size() != model.forest.rankers) {
        throw InvalidArgument(
            fmt::format("{} names for {} features", names.size(), model.forest.rankers));
    }
}

std::string lightgbm_text(const TreeModel& model) {
    check_exportable(model);
    std::string names;
    std::string infos;
    for (const std::string& name : model.features) {
        if (name.empty() || name.find_first_of(" \t\r\n=") != std::string::npos) {
            throw InvalidArgument("the feature " + in_quotes(name) +
                                  ", expected a name without blanks and '='");
        }
        const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
        names += (names.empty() ? "" : " ") + (is_number ? "Column_" + name : name);
        infos += infos.empty() ? "[-inf:inf]" : " [-inf:inf]";
    }
    std::string text = fmt::format(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
        "max_feature_idx={}\nobjective=lambdarank\nfeature_names={}\nfeature_infos={}\n\n",
        model.features.size() - 1, names, infos);
    for (std::size_t t = 0; t < model.forest.roots.size(); ++t) {
        const LibraryTree tree = library_tree(model.forest, t);
        const std::size_t splits = tree.below.size();
        text += fmt::format("Tree={}\nnum_leaves={}\nnum_cat=0\n", t, tree.leaves.size());
        if (splits > 0) {
            const std::vector<int> zeros(splits, 0);
            text += fmt::format(
                "split_feature={}\nsplit_gain={}\nthreshold={}\ndecision_type={}\n"
                "left_child={}\nright_child={}\n",
                fmt::join(tree.features, " "), fmt::join(zeros, " "),
                fmt::join(tree.thresholds, " "), fmt::join(zeros, " "), fmt::join(tree.below, " "),
                fmt::join(tree.above, " "));
        }
        text += fmt::format("leaf_value={}\n", fmt::join(tree.leaves, " "));
        if (splits > 0) {
            const std::vector<int> ones(tree.leaves.size(), 1);
            const std::vector<int> zeros(splits, 0);
            text += fmt::format(
                "leaf_weight={}\nleaf_count={}\ninternal_value={}\ninternal_weight={}\n"
                "internal_count={}\n",
                fmt::join(ones, " "), fmt::join(ones, " "), fmt::join(zeros, " "),
                fmt::join(zeros, " "), fmt::join(zeros, " "));
        }
        text += "is_linear=0\nshrinkage=1\n\n\n";
    }
    return text + "end of trees\n";
}

}  // namespace braid
