// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "braid/core/model/ranking_function.h"
#include "braid/error.h"
#include "braid/model.h"

namespace braid {

/// Throw InvalidArgument, naming form and numbers: the first if `got` differs from `expected`, the
/// second for a number that is not finite.
void check_count(const std::string& form, const std::string& name, std::size_t got,
                 std::size_t expected);
void check_finite(const std::string& form, const std::string& name,
                  const std::vector<double>& numbers);

/// The values of that name; empty if `all` lacks it.
template <typename Values>
Values values_of(const std::map<std::string, Values>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? Values{} : found->second;
}

/// The numbers of that name. Throws InvalidArgument if one is not finite.
std::vector<double> finite_numbers(const FunctionForm& form, const std::string& name);

/// Throw InvalidArgument unless there is exactly one number (the first two), and for a number that
/// is not a whole one from 0 to `most` (the last two).
double single_number(const FunctionForm& form, const std::string& name);
std::size_t single_count(const FunctionForm& form, const std::string& name, double most);
std::vector<std::size_t> counts(const FunctionForm& form, const std::string& name, double most);

inline constexpr const char* kStepsForm = "steps";
inline constexpr const char* kBordaForm = "borda";
inline constexpr const char* kSemiSupervisedForm = "semi-supervised";
inline constexpr const char* kForestForm = "forest";
inline constexpr const char* kMethodForm = "fusion";

/// As for all forms: `fill` writes a function into a model, its inverse reads it, `divide` turns a
/// function of scores divided by `scales` into one of raw scores. model_function.h says what they
/// throw.
void fill(const StepFunction& function, FusionModel& model);
RankingFunction read_steps(const FusionModel& model);
RankingFunction divide(StepFunction function, const std::vector<double>& scales);

void fill(const BordaFunction& function, FusionModel& model);
RankingFunction read_borda(const FusionModel& model);
RankingFunction divide(BordaFunction function, const std::vector<double>& scales);

/// `divide` throws: the neighbours depend on the scales.
void fill(const SemiSupervisedFunction& function, FusionModel& model);
RankingFunction read_semi_supervised(const FusionModel& model);
RankingFunction divide(const SemiSupervisedFunction& function, const std::vector<double>& scales);

void fill(const ForestFunction& function, FusionModel& model);
RankingFunction read_forest(const FusionModel& model);
RankingFunction divide(ForestFunction function, const std::vector<double>& scales);

/// Dividing leaves methods that use only the order unchanged and throws for others.
void fill(const MethodFunction& function, FusionModel& model);
RankingFunction read_method(const FusionModel& model);
RankingFunction divide(const MethodFunction& function, const std::vector<double>& scales);

/// Bounds of a sum of steps, known before any document is scored.
struct StepBounds {
    std::size_t rising = 0;   ///< Rankers whose part never falls as their score grows.
    std::size_t falling = 0;  ///< Rankers whose part never rises.
    std::size_t mixed = 0;    ///< Rankers whose part does both. (Rankers without steps: none.)
    double least = 0;         ///< Bounds of the score for any rankers' scores.
    double most = 0;
};

/// The function must be sorted, as `tidy` does. O(steps).
StepBounds step_bounds(const StepFunction& function);

/// The highest score of a document whose rankers' scores are at most `scores`, one a ranker: a
/// bound for pruning. A rising ranker contributes its part at that score. O(steps).
double step_bound(const StepFunction& function, std::span<const double> scores);

/// For explanations: "3 rankers rise, 1 falls, 2 do both; from -0.25 to 0.75".
BRAID_API std::string in_words(const StepBounds& bounds);

}  // namespace braid
