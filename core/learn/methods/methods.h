// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

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

}  // namespace braid
