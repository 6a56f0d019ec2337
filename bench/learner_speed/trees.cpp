// SPDX-License-Identifier: GPL-2.0-or-later
//
// lambdamart, beside XGBoost where it is installed, and what serving trees costs. On one thread.
//
// Both grow trees of 31 leaves, the leaf of most gain first, with steps of .1. Seconds are the
// processor's, of the fit alone; validation is the best over the trees, the mean over queries with
// a relevant document. A peer takes a random pair for each document, lambdamart all pairs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#ifdef BRAID_HAVE_XGBOOST
#include <xgboost/c_api.h>
#endif

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_quality/letor_folds.h"
#include "braid/bench/learner_speed/generated_training.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/training_measure.h"

namespace braid::bench {
namespace {

constexpr std::size_t kLeaves = 31;

void print_row(const std::string& name, const std::string& measure, double seconds, double best) {
    fmt::print("{:<12} {:<12} {:8.2f} {:12.4f}\n", name, measure, seconds, best);
    std::fflush(stdout);
}

void run_lambdamart(const TrainingSet& training, const TrainingSet& validation,
                    const std::string& measure, std::size_t trees) {
    const auto executor = make_executor(1);
    LearnerOptions options;
    options.measure = measure;
    options.parameters = {{"trees", static_cast<double>(trees)}};
    options = resolve_options(learners().find("lambdamart"), options);
    const double start = user_seconds();
    TreeBoosting boosting(training, options, *executor);
    for (std::size_t t = 0; t < trees; ++t) {
        boosting.measure();
        if (!boosting.add_tree()) break;
    }
    const double seconds = user_seconds() - start;
    FollowedTrees followed(validation, options);
    double best = followed.mean();
    for (std::size_t t = 1; t <= boosting.forest().roots.size(); ++t) {
        followed.add(first_trees(boosting.forest(), t));
        best = std::max(best, followed.mean());
    }
    print_row("lambdamart", measure, seconds, best);
}

#ifdef BRAID_HAVE_XGBOOST
void check(int code) {
    if (code != 0) throw Error(std::string("XGBoost: ") + XGBGetLastError());
}

class Matrix {
  public:
    explicit Matrix(const TrainingSet& set) {
        const std::vector<float> scores(set.scores.begin(), set.scores.end());
        check(XGDMatrixCreateFromMat(scores.data(), set.rows(), set.width(), std::nanf(""),
                                     &handle_));
        std::vector<float> grades;
        for (const Grade grade : set.grades) {
            grades.push_back(static_cast<float>(learning_grade(grade)));
        }
        std::vector<unsigned> sizes;
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            sizes.push_back(static_cast<unsigned>(set.pool_size(q)));
        }
        check(XGDMatrixSetFloatInfo(handle_, "label", grades.data(), grades.size()));
        check(XGDMatrixSetUIntInfo(handle_, "group", sizes.data(), sizes.size()));
    }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    ~Matrix() { XGDMatrixFree(handle_); }

    DMatrixHandle handle() const { return handle_; }

  private:
    DMatrixHandle handle_ = nullptr;
};

void run_xgboost(const TrainingSet& training, const TrainingSet& validation,
                 const std::string& measure, std::size_t trees) {
    const Matrix rows(training);
    const Matrix other(validation);
    const DMatrixHandle learned_from = rows.handle();
    const double start = user_seconds();
    BoosterHandle booster = nullptr;
    check(XGBoosterCreate(&learned_from, 1, &booster));
    const auto set = [&](const char* name, const std::string& value) {
        check(XGBoosterSetParam(booster, name, value.c_str()));
    };
    set("objective", measure == "map" ? "rank:map" : "rank:ndcg");
    set("tree_method", "hist");
    set("grow_policy", "lossguide");
    set("max_leaves", std::to_string(kLeaves));
    set("max_depth", "0");
    set("eta", "0.1");
    set("nthread", "1");
    set("verbosity", "0");
    for (std::size_t t = 0; t < trees; ++t) {
        check(XGBoosterUpdateOneIter(booster, static_cast<int>(t), rows.handle()));
    }
    const double seconds = user_seconds() - start;
    const TrainingMeasure judge(validation, measure);
    std::vector<double> sums(validation.rows(), 0);
    double best = 0;
    for (std::size_t t = 0; t < trees; ++t) {
        const std::string how = fmt::format(
            R"({{"type": 1, "training": false, "iteration_begin": {}, "iteration_end": {}, )"
            R"("strict_shape": false}})",
            t, t + 1);
        const bst_ulong* shape = nullptr;
        bst_ulong dimensions = 0;
        const float* values = nullptr;
        check(XGBoosterPredictFromDMatrix(booster, other.handle(), how.c_str(), &shape, &dimensions,
                                          &values));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(values[i]);
        double mean = 0;
        for (const std::size_t q : judge.queries()) {
            mean += judge.of_scores(
                q, {sums.data() + validation.query_begin[q], validation.pool_size(q)});
        }
        best = std::max(best, mean / static_cast<double>(judge.queries().size()));
    }
    XGBoosterFree(booster);
    print_row("XGBoost", measure, seconds, best);
}
#endif

struct Options : Arguments {
    std::string fold =
        required("FOLD", &fold,
                 "A folder with train.txt.gz and vali.txt.gz, as LETOR has them, or generated: 500 "
                 "queries of 100 documents, 10 relevant, and 25 columns");
    std::size_t trees = option("--trees", &trees, "Trees", 300);
};

void compare_on(const Options& options) {
    TrainingSet training;
    TrainingSet validation;
    if (options.fold == "generated") {
        const TrainingSet set = generate({700, 100, 25, 10});
        std::vector<std::size_t> first(500);
        std::vector<std::size_t> last(200);
        for (std::size_t q = 0; q < 700; ++q) (q < 500 ? first[q] : last[q - 500]) = q;
        training = subset(set, first);
        validation = subset(set, last);
    } else {
        training = read_letor_set(options.fold + "/train.txt.gz");
        validation = read_letor_set(options.fold + "/vali.txt.gz");
    }
    fmt::print("{:<12} {:<12} {:>8} {:>12}\n", "", "", "s", "validation");
    for (const char* measure : {"ndcg-exp@10", "map"}) {
        run_lambdamart(training, validation, measure, options.trees);
#ifdef BRAID_HAVE_XGBOOST
        run_xgboost(training, validation, measure, options.trees);
#endif
    }
}

// Splits the leaf of the lowest number, so that trees are as deep as their leaves allow at least.
ForestFunction random_forest(std::size_t rankers, std::size_t trees, Random& random) {
    ForestFunction forest;
    forest.rankers = rankers;
    for (std::size_t t = 0; t < trees; ++t) {
        const std::size_t root = forest.nodes.size();
        forest.roots.push_back(static_cast<std::uint32_t>(root));
        forest.weights.push_back(1);
        forest.nodes.emplace_back();
        for (std::size_t split = 0; split + 1 < kLeaves; ++split) {
            TreeNode& node = forest.nodes[root + split];
            node.ranker = static_cast<std::uint32_t>(random.below(rankers));
            node.threshold = random.uniform();
            node.below = static_cast<std::uint32_t>(root + 2 * split + 1);
            node.above = node.below + 1;
            forest.nodes.resize(forest.nodes.size() + 2);
        }
        for (std::size_t i = root; i < forest.nodes.size(); ++i) {
            forest.nodes[i].value = random.uniform();
        }
    }
    return forest;
}

struct Shape : Arguments {
    std::size_t documents = option("--documents", &documents, "Documents", 1000);
    std::size_t columns = option("--columns", &columns, "Columns", 20);
    std::size_t trees = option("--trees", &trees, "Trees of 31 leaves", 300);
};

void serve(const Shape& shape) {
    Random random;
    const ForestFunction forest = random_forest(shape.columns, shape.trees, random);
    std::vector<double> rows(shape.documents * shape.columns);
    for (double& score : rows) score = random.uniform();
    std::vector<double> walked(shape.documents);
    const double walk = median_processor_seconds(5, [&] {
        for (std::size_t i = 0; i < walked.size(); ++i) {
            walked[i] = forest_score(forest, {rows.data() + i * shape.columns, shape.columns});
        }
    });
    const auto served = [&](const char* name, InstructionLevel level) {
        const FlatForest flat(forest, level);
        std::vector<double> scores(shape.documents);
        const double seconds = median_processor_seconds(25, [&] { flat.score(rows, scores); });
        fmt::print("{:<24} {:8.3f} ms, {}\n", name, 1000 * seconds,
                   scores == walked ? "the same bits" : "OTHER SCORES");
    };
    fmt::print("{:<24} {:8.3f} ms\n", "node after node", 1000 * walk);
    served("laid out", InstructionLevel::kPlain);
    served("the best instructions", best_instruction_level());
}

}  // namespace

void add_trees(Program& program) {
    program.add("trees", "lambdamart, beside XGBoost", compare_on);
    program.add("forest", "What serving trees costs", serve);
}

}  // namespace braid::bench
