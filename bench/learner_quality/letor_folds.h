// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// A LETOR collection in five folds, and what is fitted to it.

#include <string>
#include <vector>

#include "braid/core/learn/learner.h"

namespace braid::bench {

constexpr std::size_t kFolds = 5;

/// A learner and the small grid of settings that validation queries choose from.
struct Method {
    std::string name;
    std::string learner;
    std::string measure;
    ChoiceMap choices = {};
    ParameterMap parameters = {};
    std::string tuned = {};         // A parameter that takes the values of `grid` in turn.
    std::vector<double> grid = {};  // The most restrained fit first.
};

/// The methods of these names in the order they were asked for; all if none was. Throws
/// UnknownComponent.
std::vector<Method> letor_methods(const std::vector<std::string>& names);

struct Fold {
    TrainingSet train;
    TrainingSet validation;
    TrainingSet test;
};

/// All queries of a file, its features as rankers f1, f2 ...
TrainingSet read_letor_set(const std::string& path);

/// `folder` has Fold1 .. Fold5 with train, vali and test.txt.gz.
std::vector<Fold> read_folds(const std::string& folder);

/// How many settings a method has: 1 without a grid.
std::size_t settings_of(const Method& method);
LearnerOptions options_of(const Method& method, std::size_t setting);

/// What help says of the folder.
constexpr const char* kFoldsHelp = "A folder with Fold1 .. Fold5, each train, vali and test.txt.gz";

/// The mean over all queries, those on which nothing can score among them.
double mean_of_all(const TrainingSet& set, const std::string& measure,
                   const RankingFunction& function);

}  // namespace braid::bench
