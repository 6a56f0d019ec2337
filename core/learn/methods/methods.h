// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/forest.h"

namespace braid {

/// Softmax weights computed from the query's features, by the logistic loss of single documents;
/// docs/algorithms/regression.md section 4.
LearnerInfo aem_info();

/// ListNet with non-negative weights and a pull towards LearnerOptions::anchor;
/// docs/algorithms/anchored.md.
LearnerInfo anchored_info();

/// Query-dependent weights by the loss of lists, without and with diversity;
/// docs/algorithms/list-loss.md section 4.
LearnerInfo awel_info();
LearnerInfo awelv_info();

/// Non-negative weights by least squares with sparsity and diversity; docs/algorithms/regression.md
/// section 3.
LearnerInfo convexds_info();

/// Boosting of rankers, weighted by the ensemble's failure on each query; docs/algorithms/enm-b.md.
LearnerInfo enm_b_info();

/// Interior point method for a smooth measure over non-negative weights of sum 1;
/// docs/algorithms/genm.md section 3.
LearnerInfo genm_ip_info();

/// Stochastic gradient ascent on a smooth measure, one query at a time; can continue on new
/// queries; docs/algorithms/genm.md section 2.
LearnerInfo genm_on_info();

/// Likelihoods of rankings; docs/algorithms/listwise.md.
LearnerInfo listnet_info();
LearnerInfo listmle_info();

/// A hyperplane for every pair of grades, which then vote; docs/algorithms/mhr-bc.md.
LearnerInfo mhr_bc_info();

/// Perfect against imperfect rankings, on working sets; docs/algorithms/permurank.md.
LearnerInfo permurank_info();

/// Boosting of thresholds on single rankers by pairs of documents; docs/algorithms/rankboost.md.
LearnerInfo rankboost_info();

/// Ranking SVM: the hinge loss of pairs; docs/algorithms/ranksvm.md.
LearnerInfo ranksvm_info();

/// Regression of grades by regression ensembles; docs/algorithms/regression.md.
LearnerInfo bagging_reg_info();
LearnerInfo adaboost_reg_info();

/// One margin a query between 1 and the rankers' agreement with the grades, and the same with
/// weights computed from each query's candidates; docs/algorithms/ser.md.
LearnerInfo ser_info();
LearnerInfo sser_info();

/// Structured hinge losses of average precision and of ndcg; docs/algorithms/svm-map.md.
LearnerInfo svm_map_info();
LearnerInfo svm_ndcg_info();

/// The same weight for every ranker (UniEnM): the baseline of all other learners.
LearnerInfo uniform_info();

/// Learns without judgements: each ranker's best documents teach the others;
/// docs/algorithms/genm.md section 4.
LearnerInfo uns_enm_info();

/// Fixed weights by the loss of pairs, of lists, and of lists with diversity;
/// docs/algorithms/list-loss.md.
LearnerInfo wep_info();
LearnerInfo wel_info();
LearnerInfo welv_info();

/// Boosting of single rankers on any measure in [0, 1]; docs/algorithms/adarank.md.
LearnerInfo adarank_info();

struct AdaRankOptions {
    std::size_t rounds = 500;
    /// How often one ranker may be chosen; 0: no limit.
    std::size_t turns = 0;
    /// A round that gains no more than this excludes its ranker until another round gains more. -1:
    /// never, as in the paper.
    double tolerance = 0;
    double longest_step = 10;  ///< Step for a perfect ranker, which would be infinite.
    bool reverse = false;      ///< Rankers may be reversed.
};

struct AdaRankRound {
    std::size_t ranker = 0;
    double step = 0;   ///< Added to the ranker's weight; negative for a reversed one.
    double edge = 0;   ///< The chosen ranker's measure over weighted queries.
    double mean = 0;   ///< The ensemble's measure after the round.
    double bound = 0;  ///< Lower bound of `mean` by theorem 4.
};

/// Runs the rounds. Calls `record` with each round and the weights after it; it returns whether to
/// continue. Returns the stop reason. The same bits at any number of threads.
std::string run_adarank(
    const TrainingMeasure& measure, const AdaRankOptions& options, Executor& executor,
    const std::function<bool(const AdaRankRound&, const std::vector<double>&)>& record);

/// Exact line searches on the measure itself, along rankers and at random;
/// docs/algorithms/coordinate.md.
LearnerInfo coordinate_info();

/// The best weights that `coordinate` finds for each query alone: a ceiling for fixed weights and
/// the goal of query-dependent ones.
struct QueryOracle {
    std::vector<std::size_t> queries;          ///< Queries on which something can score.
    std::vector<std::vector<double>> weights;  ///< One vector a query of `queries`.
    std::vector<double> values;
    double mean = 0;
};

/// `options` as for the learner; state and validation are ignored.
QueryOracle find_query_oracle(const TrainingSet& set, const LearnerOptions& options,
                              Executor& executor, const Progress& progress = {});

/// Newton's method on a smooth measure from many starts; docs/algorithms/genm.md section 1.
LearnerInfo genm_bat_info();

/// Up to `count` of the 2^rankers - 1 non-zero vectors of zeros and ones, scaled to sum 1: all of
/// them if there are no more, otherwise all ones, each ranker alone, and the rest at random without
/// repetition.
std::vector<std::vector<double>> binary_starts(std::size_t rankers, std::size_t count,
                                               std::uint64_t seed);

/// The choice "start" and the parameter "starts" of learners that ascend from one point or, as the
/// paper, from several; and the points, each of sum 1.
ChoiceInfo start_choice(std::string usual);
ParameterInfo starts_parameter();
std::vector<std::vector<double>> chosen_starts(const LearnerOptions& options, std::size_t rankers);

/// What decides between starts, given what each fit kept: the measure on the validation queries, or
/// else on the training queries.
double worth_of_start(const TrainingSet& set, const LearnerOptions& options,
                      const TrainingResult& result, Executor& executor);

/// Boosted trees by the gradient of any measure; docs/algorithms/trees.md.
LearnerInfo lambdamart_info();

/// A set that is measured after each tree. Borrows the set.
class FollowedTrees {
  public:
    /// `start`: sums before the first tree, one a row; empty: zeros.
    FollowedTrees(const TrainingSet& set, const LearnerOptions& options,
                  std::vector<double> start = {});

    /// Adds the forest's last tree, times `weight`.
    void add(const ForestFunction& forest, double weight = 1);

    /// The mean of the measure, and its values by query (TrainingMeasure::queries).
    double mean() const;
    std::vector<double> values() const;

  private:
    TrainingMeasure measure_;
    std::vector<double> sums_;
};

/// Grows the trees of lambdamart one after the other; docs/algorithms/trees.md. Borrows set and
/// executor.
class TreeBoosting {
  public:
    /// Options as lambdamart's, resolved. `start` as above: trees add to it.
    TreeBoosting(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                 std::vector<double> start = {});
    ~TreeBoosting();

    /// The mean of the measure by the trees so far. Call it once before each tree.
    double measure();
    /// False: nothing gains, and there is no other tree.
    bool add_tree();
    const ForestFunction& forest() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// The first trees of a forest, as many as it has at most.
ForestFunction first_trees(const ForestFunction& forest, std::size_t count);

}  // namespace braid
