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
LearnerMethod aem_method();

/// ListNet with non-negative weights and a pull towards LearnerOptions::anchor;
/// docs/algorithms/anchored.md.
LearnerMethod anchored_method();

/// Query-dependent weights by the loss of lists, without and with diversity;
/// docs/algorithms/list-loss.md section 4.
LearnerMethod awel_method();
LearnerMethod awelv_method();

/// Non-negative weights by least squares with sparsity and diversity; docs/algorithms/regression.md
/// section 3.
LearnerMethod convexds_method();

/// Boosting of rankers, weighted by the ensemble's failure on each query; docs/algorithms/enm-b.md.
LearnerMethod enm_b_method();
/// The same paper's baseline of all other learners (UniEnM): the same weight for every ranker.
LearnerMethod uniform_method();

/// Interior point method for a smooth measure over non-negative weights of sum 1;
/// docs/algorithms/genm.md section 3.
LearnerMethod genm_ip_method();

/// Stochastic gradient ascent on a smooth measure, one query at a time; can continue on new
/// queries; docs/algorithms/genm.md section 2.
LearnerMethod genm_on_method();

/// Likelihoods of rankings; docs/algorithms/listwise.md.
LearnerMethod listnet_method();
LearnerMethod listmle_method();

/// A hyperplane for every pair of grades, which then vote; docs/algorithms/mhr-bc.md.
LearnerMethod mhr_bc_method();

/// Perfect against imperfect rankings, on working sets; docs/algorithms/permurank.md.
LearnerMethod permurank_method();

/// Boosting of thresholds on single rankers by pairs of documents; docs/algorithms/rankboost.md.
LearnerMethod rankboost_method();

/// Ranking SVM: the hinge loss of pairs; docs/algorithms/ranksvm.md.
LearnerMethod ranksvm_method();

/// Regression of grades by regression ensembles; docs/algorithms/regression.md.
LearnerMethod bagging_reg_method();
LearnerMethod adaboost_reg_method();

/// One margin a query between 1 and the rankers' agreement with the grades, and the same with
/// weights computed from each query's candidates; docs/algorithms/ser.md.
LearnerMethod ser_method();
LearnerMethod sser_method();

/// Structured hinge losses of average precision and of ndcg; docs/algorithms/svm-map.md.
LearnerMethod svm_map_method();
LearnerMethod svm_ndcg_method();

/// Learns without judgements: each ranker's best documents teach the others;
/// docs/algorithms/genm.md section 4.
LearnerMethod uns_enm_method();

/// Fixed weights by the loss of pairs, of lists, and of lists with diversity;
/// docs/algorithms/list-loss.md.
LearnerMethod wep_method();
LearnerMethod wel_method();
LearnerMethod welv_method();

/// Boosting of single rankers on any measure in [0, 1]; docs/algorithms/adarank.md.
LearnerMethod adarank_method();

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
LearnerMethod coordinate_method();

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
LearnerMethod genm_bat_method();

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

/// The best fit from these starts, with the curves of all: by the measure of what each kept, on the
/// validation queries, or else on the training queries.
TrainingResult best_fit_from(
    const std::vector<std::vector<double>>& starts, const TrainingSet& set,
    const LearnerOptions& options, Executor& executor,
    const std::function<TrainingResult(const std::vector<double>& start)>& fit);

/// Boosted trees by the gradient of any measure; docs/algorithms/trees.md.
LearnerMethod lambdamart_method();

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
