// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learned ensembles on the classic text collections, by the protocol of the papers on EnM and gEnM.
//
// Two-fold cross-validation by query, over several seeds: each ranker's parameters (K among them)
// are those best on the training fold, and so is whatever a learner is tuned by, in folds of the
// training fold. Figures are means over judged queries, each the mean of its seeds; tests are
// paired, over queries.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_quality/contenders.h"
#include "braid/bench/learner_quality/pictures.h"
#include "braid/bench/learner_quality/text_cells.h"
#include "braid/bench/learner_quality/text_plan.h"
#include "braid/bench/learner_quality/text_trials.h"
#include "braid/core/base/random.h"
#include "braid/core/eval/folds.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/methods/methods.h"

namespace braid::bench {
namespace {

using braid::Executor;
using braid::Fold;
using braid::LinearFunction;

void add_to(const std::vector<double>& parts, std::vector<double>& sums) {
    sums.resize(std::max(sums.size(), parts.size()), 0);
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i] += parts[i];
}

// A curve that ended stays at its last value.
void add_curve(std::vector<double> curve, std::vector<double>& sums) {
    if (curve.empty()) return;
    if (sums.size() < curve.size()) sums.resize(curve.size(), sums.empty() ? 0 : sums.back());
    curve.resize(sums.size(), curve.back());
    add_to(curve, sums);
}

// Sums over folds and seeds.
struct Row {
    std::vector<std::vector<double>> values;  // A measure, then a query.
    std::vector<double> weights;
    std::vector<double> recall;
    std::vector<double> curve;
    std::size_t folds = 0;
    double seconds = 0;

    void add(const Cell& cell, const std::vector<std::size_t>& test, std::size_t queries) {
        if (values.empty()) {
            values.assign(table_measures().size(), std::vector<double>(queries, 0));
        }
        for (std::size_t m = 0; m < cell.values.size(); ++m) {
            for (std::size_t i = 0; i < cell.values[m].size(); ++i) {
                values[m][test[i]] += cell.values[m][i];
            }
        }
        add_to(cell.weights, weights);
        add_to(cell.recall, recall);
        add_curve(cell.curve, curve);
        ++folds;
        seconds += cell.seconds;
    }
};

std::vector<double> divided(std::vector<double> values, double by) {
    for (double& value : values) value /= by;
    return values;
}

// One fold: its sets are made when a learner asks for them.
class FoldTrial {
  public:
    FoldTrial(TextTrials& trials, const Fold& fold) : trials_(trials), fold_(fold) {}

    const Fold& fold() const { return fold_; }
    const Trial& trial() {
        if (!trial_) trial_ = trials_.make(fold_.train, fold_.test);
        return *trial_;
    }
    const CellMeasures& measures() {
        if (!measures_) measures_.emplace(trial().testing);
        return *measures_;
    }

  private:
    TextTrials& trials_;
    Fold fold_;
    std::optional<Trial> trial_;
    std::optional<CellMeasures> measures_;
};

class TextRun {
  public:
    TextRun(const TextPlan& plan, const std::string& collection, TextCells& cells,
            Executor& executor)
        : plan_(plan),
          collection_(collection),
          cells_(cells),
          executor_(executor),
          rankers_(plan.data, collection, plan.cache, executor) {
        options_ = trial_options(plan, rankers_);
        trials_ = std::make_unique<TextTrials>(rankers_, options_, executor_);
        for (const auto& query : rankers_.collection().queries) names_.push_back(query.id);
    }

    void table() {
        std::map<std::string, Row> rows = run(0);
        const double seeds = plan_.in_sample ? 1 : static_cast<double>(plan_.seeds);
        fmt::print("\n{}: {} queries, {}, {} rankers, {}\npublished: {}\n", collection_,
                   names_.size(),
                   plan_.in_sample ? "in-sample" : fmt::format("{} seeds", plan_.seeds),
                   options_.families.size(), options_.normaliser, published_maps(collection_));
        fmt::print("{:<14} {:>7} {:>7} {:>7} {:>9} {:>7} {:>9} {:>7} {:>8}\n", "", "MAP", "P@1",
                   "P@5", "- " + plan_.baseline, "p", "- bm25", "p", "s");
        for (const std::string& name : plan_.learners) print(name, rows, seeds);
        fmt::print("mean weights of {}\n", fmt::join(options_.families, ", "));
        for (const std::string& name : plan_.learners) {
            const Row& row = rows[name];
            if (row.weights.empty()) continue;
            fmt::print("{:<14} {:.3f}\n", name,
                       fmt::join(divided(row.weights, static_cast<double>(row.folds)), " "));
        }
        std::fflush(stdout);
        draw(rows, seeds);
    }

    void labels() {
        LinesByLearner means;
        for (const std::size_t count : plan_.labels) {
            std::map<std::string, Row> rows = run(count);
            for (const std::string& name : plan_.learners) {
                if (rows[name].values.empty()) continue;
                means[name].push_back(braid::mean(rows[name].values[0]) /
                                      static_cast<double>(plan_.seeds));
            }
        }
        fmt::print("\n{}: MAP on the test folds by training queries, {} seeds\n{:<14} {:>7}\n",
                   collection_, plan_.seeds, "", fmt::join(plan_.labels, " "));
        for (const std::string& name : plan_.learners) {
            fmt::print("{:<14} {:7.4f}\n", name, fmt::join(means[name], " "));
        }
        std::fflush(stdout);
        if (!plan_.picture.empty()) {
            draw_gain_per_label(plan_.picture, collection_, plan_.labels, means);
        }
    }

  private:
    // Every learner in all folds; `labels`: training queries of each, 0: all.
    std::map<std::string, Row> run(std::size_t labels) {
        std::map<std::string, Row> rows;
        for (std::size_t seed = 1; seed <= (plan_.in_sample ? 1 : plan_.seeds); ++seed) {
            const std::vector<Fold> folds = folds_of(seed, labels);
            for (std::size_t f = 0; f < folds.size(); ++f) {
                FoldTrial trial(*trials_, folds[f]);
                for (const std::string& name : plan_.learners) {
                    const std::string key = fmt::format(
                        "{} {} {} {}{} {} {} {}{} {} {} {}", collection_,
                        fmt::join(options_.families, ","), options_.normaliser, options_.pool,
                        options_.adds_judged ? "" : " found", options_.topic_dimensions,
                        fmt::join(options_.features, ","),
                        plan_.curve_picture.empty() ? "" : "curve ",
                        plan_.in_sample ? "in-sample" : std::to_string(seed), f, labels, name);
                    const Cell* kept = cells_.find(key);
                    if (kept == nullptr) kept = &cells_.add(key, made(trial, name));
                    rows[name].add(*kept, folds[f].test, names_.size());
                }
            }
        }
        return rows;
    }

    std::vector<Fold> folds_of(std::size_t seed, std::size_t labels) const {
        if (plan_.in_sample) {
            std::vector<std::size_t> all(names_.size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            return {{all, all}};
        }
        std::vector<Fold> folds = braid::cross_validation_folds(names_, 2, seed);
        if (labels == 0) return folds;
        std::vector<Fold> cut;
        for (Fold& fold : folds) {
            if (fold.train.size() < labels) continue;
            braid::Random(seed).shuffle(fold.train);
            fold.train.resize(labels);
            std::sort(fold.train.begin(), fold.train.end());
            cut.push_back(std::move(fold));
        }
        return cut;
    }

    Cell made(FoldTrial& trial, const std::string& name) {
        // What all learners share is not the first one's time.
        trial.measures();
        const double begin = user_seconds();
        Cell cell;
        if (name == "oracle") {
            cell = best_by_query(trial.trial());
        } else if (name == "bm25" || name == "best-single") {
            const std::string variant = name == "bm25"
                                            ? trials_->best_variant(name, trial.fold().train)
                                            : trials_->best_single(trial.fold().train);
            const braid::TrainingSet alone = trials_->alone(variant, trial.fold().test);
            CellMeasures(alone).measure(LinearFunction{{1}}, executor_, cell);
        } else {
            learn(trial, name, cell);
        }
        cell.seconds = user_seconds() - begin;
        fmt::print(stderr, "{} {} {:.4f} {:.1f} s\n", collection_, name,
                   braid::mean(cell.values[0]), cell.seconds);
        return cell;
    }

    Cell best_by_query(const Trial& trial) {
        Cell cell;
        cell.values.assign(table_measures().size(), {});
        cell.values[0].assign(trial.test.size(), 0);
        const auto oracle =
            braid::find_query_oracle(trial.testing, {.parameters = {{"restarts", 0}}}, executor_);
        for (std::size_t i = 0; i < oracle.values.size(); ++i) {
            cell.values[0][oracle.queries[i]] = oracle.values[i];
        }
        return cell;
    }

    void learn(FoldTrial& fold, const std::string& name, Cell& cell) {
        const Trial& trial = fold.trial();
        const Contender contender = contender_of(name);
        std::vector<const braid::TrainingSet*> watched;
        if (!plan_.curve_picture.empty()) watched.push_back(&trial.testing);
        const braid::TrainingResult result =
            fit(contender, trial.training, tune(contender, trial.training, executor_), executor_,
                watched);
        if (const auto* linear = std::get_if<LinearFunction>(&result.function)) {
            cell.weights = linear->weights;
        }
        for (const braid::CurvePoint& point : result.curve) {
            if (!point.watched.empty()) cell.curve.push_back(point.watched[0]);
        }
        fold.measures().measure(result.function, executor_, cell);
    }

    void draw(const std::map<std::string, Row>& rows, double seeds) const {
        LinesByLearner recalls;
        LinesByLearner curves;
        for (const auto& [name, row] : rows) {
            recalls[name] = divided(row.recall, seeds * static_cast<double>(names_.size()));
            curves[name] = divided(row.curve, static_cast<double>(row.folds));
        }
        if (!plan_.recall_picture.empty()) {
            draw_precision(plan_.recall_picture, collection_, plan_.learners, recalls);
        }
        if (!plan_.curve_picture.empty()) {
            draw_steps(plan_.curve_picture, collection_, plan_.learners, curves);
        }
    }

    std::string against(const Row& row, const Row& other, double seeds) const {
        if (other.values.empty()) return fmt::format("{:>9} {:>7}", "", "");
        std::vector<double> differences;
        for (std::size_t q = 0; q < names_.size(); ++q) {
            differences.push_back((row.values[0][q] - other.values[0][q]) / seeds);
        }
        return fmt::format("{:>+9.4f} {:7.4f}", braid::mean(differences),
                           braid::paired_t_test(differences).p);
    }

    void print(const std::string& name, std::map<std::string, Row>& rows, double seeds) const {
        const Row& row = rows[name];
        fmt::print("{:<14}", name);
        for (const std::vector<double>& values : row.values) {
            // The oracle's precisions are not computed.
            const double value = braid::mean(values) / seeds;
            fmt::print(" {:>7}", value > 0 ? fmt::format("{:.4f}", value) : "");
        }
        fmt::print(" {} {} {:8.1f}\n", against(row, rows[plan_.baseline], seeds),
                   against(row, rows["bm25"], seeds), row.seconds);
    }

    const TextPlan& plan_;
    std::string collection_;
    TextCells& cells_;
    Executor& executor_;
    TextRankers rankers_;
    TrialOptions options_;
    std::unique_ptr<TextTrials> trials_;
    std::vector<std::string> names_;
};

void measure(const TextPlan& plan) {
    const auto executor = braid::make_executor(plan.threads);
    TextCells cells(plan.keep);
    for (const std::string& name : plan.collections) {
        TextRun run(plan, name, cells, *executor);
        if (plan.labels.empty()) {
            run.table();
        } else {
            run.labels();
        }
    }
}

}  // namespace

void add_texts(Program& program) {
    program.add("texts",
                "Learned ensembles on the classic collections, beside BM25 and published MAP",
                measure);
}

}  // namespace braid::bench
