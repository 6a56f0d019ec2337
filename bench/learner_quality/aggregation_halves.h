// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "braid/parameters.h"
#include "braid/training_set.h"

namespace braid::bench {

/// A learner or a fusion method on LETOR 4.0's rank aggregation data, with a paper's figures.
struct AggregationMethod {
    std::string name;
    std::string learner;  ///< "": fusion
    double paper_ndcg = 0;
    double paper_recall = 0;
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    std::string fusion = {};
};

/// Means over queries with a document of grade 2. `printed` divides NDCG@5 by the ideal over all
/// relevant documents, `ideal` by that over the first five; recall by min(5, relevant).
struct AggregationValues {
    double printed = 0;
    double ideal = 0;
    double recall = 0;
};

struct AggregationFigures {
    AggregationValues mean;
    /// Sum of `ideal`, and how often the query was tested.
    std::map<std::string, std::pair<double, double>> by_query;
    std::size_t adaptive = 0;  ///< Splits in which weights by query were kept.
    double seconds = 0;        ///< Of the processor, a fit.
};

/// Five times two halves of the queries, one to learn from and the other to measure. A value is a
/// position in one of 25 lists; it becomes 10 / (position + 10), 0 where the list lacks the
/// document.
class AggregationHalves {
  public:
    static constexpr std::size_t kSeeds = 5;

    /// The folder has Fold1 .. Fold5, whose test files together are all queries.
    explicit AggregationHalves(const std::string& folder);

    AggregationFigures run(const AggregationMethod& method) const;

  private:
    using Scorer = std::function<std::vector<double>(const TrainingSet&, std::size_t)>;

    static Scorer fuse(const AggregationMethod& method);
    static Scorer learn(const AggregationMethod& method, const TrainingSet& train, std::size_t seed,
                        AggregationFigures& figures);
    static void measure(const TrainingSet& test, const Scorer& scorer, AggregationFigures& figures);

    TrainingSet lists_;
    TrainingSet filled_;
};

}  // namespace braid::bench
