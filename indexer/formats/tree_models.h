// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/model/forest.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"

namespace braid {

/// Boosted trees of other libraries. docs/guide/trees.md says what is read of them.
struct TreeModel {
    std::vector<std::string> features;  ///< Names, one a ranker of the forest.
    /// Its sum is the library's raw prediction: to 1e-6, for features that a float can hold in the
    /// case of XGBoost, whose numbers are floats.
    ForestFunction forest;
};

/// Reads LightGBM's text model, or XGBoost's JSON model, whichever it is. A feature without a name
/// has its number for one, as in a LETOR file. Throws FormatError for anything else: truncated
/// files, other formats and versions, trees that are cyclic or deeper than 512, categorical splits,
/// linear leaves, several classes, numbers that are not finite, zeros that count as missing.
TreeModel read_tree_model(const std::string& path);
TreeModel read_tree_model(Input input);

/// What LightGBM and XGBoost load. XGBoost's numbers are floats; a score that a float holds falls
/// on the same side of every split. Throws InvalidArgument for a median of trees, a linear part,
/// and names that repeat or that the format can't hold.
std::string lightgbm_text(const TreeModel& model);
std::string xgboost_json(const TreeModel& model);

// Private to the readers.

/// A tree as libraries have it: lists of splits. A child from 0 up is a split, one below 0 is the
/// leaf -1 - child.
struct LibraryTree {
    std::vector<std::size_t> features;
    std::vector<double> thresholds;  ///< Scores up to it go below.
    std::vector<long> below;
    std::vector<long> above;
    std::vector<double> leaves;
};

/// Appends the tree, each child behind its parent. Throws FormatError, where the library's tree of
/// that number is not a tree or a number in it is wrong.
void append_tree(const LibraryTree& tree, std::size_t number, const SourceLocation& where,
                 ForestFunction& forest);

/// Throws InvalidArgument for what no other library holds.
void check_exportable(const TreeModel& model);

TreeModel read_lightgbm(std::string_view text, const std::string& path);
TreeModel read_xgboost(std::string_view text, const std::string& path);

}  // namespace braid
