// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learned ensembles on the classic text collections, by the protocol of the papers on EnM and gEnM.
//
//     text_learners DATA CACHE [SETTING=VALUE ..]
//
// DATA is the folder of the classic collections, with stop/smart.571; CACHE a folder that keeps
// rankers' scores, each computed once. Two-fold cross-validation by query, over several seeds:
// each ranker's parameters (K among them) are those best on the training fold, and so is
// whatever a learner is tuned by, in folds of the training fold. Figures are means over judged
// queries, each the mean of its seeds; tests are paired, over queries. Settings:
//   collections=med,cran,..    (default: all four and merged)
//   rankers=papers|kinds|all|NAME,..  the papers' four, one of each kind, all, or ranker families
//                              (default: papers)
//   learners=NAME,..           rows of the table (default: all); NAME:PARAMETER=VALUE.. is one
//                              with another setting, for curves
//   seeds=N                    (default: 5)
//   normaliser=NAME            (default: z-score)
//   pool=N                     first documents of each ranker that are trained on (default: 500)
//   features=lists,words,topics  what weights by query may follow from (default: lists)
//   baseline=NAME              whose MAP differences are taken from, beside bm25's (uniform)
//   labels=N,..                instead, MAP after training on so many queries of each fold
//   picture=FILE.svg           of what labels=N,.. gives, for one collection
//   threads=N                  (default: as the machine has)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <sys/resource.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/bench/text_contenders.h"
#include "braid/bench/text_trials.h"
#include "braid/cli/report/charts.h"
#include "braid/cli/report/svg.h"
#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/learner.h"
#include "braid/core/learners/methods/coordinate.h"
#include "braid/core/random.h"
#include "braid/core/statistics/folds.h"
#include "braid/core/statistics/paired_tests.h"
#include "braid/core/statistics/summary.h"

namespace {

using braid::Executor;
using braid::LinearFunction;
using braid::RankingFunction;
using braid::TrainingMeasure;
using braid::TrainingSet;
using braid::bench::Contender;
using braid::bench::contenders;
using braid::bench::TextRankers;
using braid::bench::TextTrials;
using braid::bench::Trial;

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

struct Plan {
    std::string data;
    std::string cache;
    std::vector<std::string> collections = {"med", "cran", "cisi", "cacm", "merged"};
    std::string rankers = "papers";
    std::vector<std::string> learners;
    std::size_t seeds = 5;
    braid::bench::TrialOptions trial;
    std::string baseline = "uniform";
    std::vector<std::size_t> labels;
    std::string picture;
    std::size_t threads = 0;
};

Plan parse(int argc, char** argv) {
    if (argc < 3) throw std::runtime_error("usage: text_learners DATA CACHE [SETTING=VALUE ..]");
    Plan plan;
    plan.data = argv[1];
    plan.cache = argv[2];
    for (const Contender& contender : contenders()) plan.learners.push_back(contender.name);
    for (int i = 3; i < argc; ++i) {
        const std::string setting = argv[i];
        const std::size_t at = setting.find('=');
        if (at == std::string::npos) throw std::runtime_error(setting + ": expected NAME=VALUE");
        const std::string name = setting.substr(0, at);
        const std::string value = setting.substr(at + 1);
        if (name == "collections") {
            plan.collections = split(value);
        } else if (name == "rankers") {
            plan.rankers = value;
        } else if (name == "learners") {
            plan.learners = split(value);
        } else if (name == "seeds") {
            plan.seeds = std::stoul(value);
        } else if (name == "normaliser") {
            plan.trial.normaliser = value;
        } else if (name == "pool") {
            plan.trial.pool = std::stoul(value);
        } else if (name == "features") {
            plan.trial.features = split(value);
        } else if (name == "baseline") {
            plan.baseline = value;
        } else if (name == "labels") {
            for (const std::string& n : split(value)) plan.labels.push_back(std::stoul(n));
        } else if (name == "picture") {
            plan.picture = value;
        } else if (name == "threads") {
            plan.threads = std::stoul(value);
        } else {
            throw std::runtime_error("there is no setting " + name);
        }
    }
    return plan;
}

// Worse forms of rankers that `all` has.
bool is_paper_only(const std::string& family) {
    return family == "plsi-posterior" || family == "ldi-one-chain";
}

std::vector<std::string> families_of(const Plan& plan, const TextRankers& rankers) {
    if (plan.rankers == "papers") {
        return {"tf-idf-cosine", "lsa", "plsi-posterior", "ldi-one-chain"};
    }
    if (plan.rankers == "kinds") {
        return {"bm25",         "lm-dirichlet", "bm25-feedback", "lsa",
                "lsa-feedback", "ldi",          "ldi-feedback",  "lbdm"};
    }
    if (plan.rankers != "all") return split(plan.rankers);
    std::vector<std::string> names;
    for (const auto& family : rankers.families()) {
        if (!is_paper_only(family.name)) names.push_back(family.name);
    }
    return names;
}

const std::vector<std::string>& measures() {
    static const std::vector<std::string> names = {"map", "p@1", "p@5"};
    return names;
}

// MAPs that the papers print, for whatever rankers they had.
const char* published(const std::string& collection) {
    static const std::map<std::string, const char*> lines = {
        {"med", "EnM .6420, gEnM.BAT .6458, gEnM.ON .6467, UnsEnM .6465"},
        {"cran", "EnM .3766, gEnM.BAT .3937, gEnM.ON .3972, UnsEnM .3972"},
        {"cisi", "EnM .1637, gEnM.BAT .1945, gEnM.ON .1816, UnsEnM .1825"},
        {"cacm", "EnM .1890, gEnM.BAT .2166, gEnM.ON .2256, UnsEnM .1745"},
        {"merged", "EnM .2768, gEnM.BAT .3162, gEnM.ON .3099, UnsEnM .3169"}};
    return lines.at(collection);
}

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// Sums over the seeds.
struct Row {
    std::vector<std::vector<double>> values;  // A measure, then a query.
    std::vector<double> weights;
    double seconds = 0;  // Of the processor, tuning and testing among them.
};

class Run {
  public:
    Run(const Plan& plan, const std::string& collection, Executor& executor)
        : plan_(plan),
          collection_(collection),
          executor_(executor),
          rankers_(plan.data, collection, plan.cache, executor) {
        options_ = plan.trial;
        options_.families = families_of(plan, rankers_);
        trials_ = std::make_unique<TextTrials>(rankers_, options_, executor_);
        for (const auto& query : rankers_.collection().queries) names_.push_back(query.id);
    }

    void table() {
        std::map<std::string, Row> rows;
        for (std::size_t seed = 1; seed <= plan_.seeds; ++seed) {
            for (const braid::Fold& fold : braid::cross_validation_folds(names_, 2, seed)) {
                const Trial trial = trials_->make(fold.train, fold.test);
                for (const std::string& name : plan_.learners) add(trial, fold, name, rows[name]);
            }
        }
        fmt::print("\n{}: {} queries, {} seeds, {} rankers, {}\npublished: {}\n", collection_,
                   names_.size(), plan_.seeds, options_.families.size(), options_.normaliser,
                   published(collection_));
        fmt::print("{:<14} {:>7} {:>7} {:>7} {:>9} {:>7} {:>9} {:>7} {:>8}\n", "", "MAP", "P@1",
                   "P@5", "- " + plan_.baseline, "p", "- bm25", "p", "s");
        for (const std::string& name : plan_.learners) print(name, rows);
        fmt::print("mean weights of {}\n", fmt::join(options_.families, ", "));
        for (const std::string& name : plan_.learners) {
            const Row& row = rows[name];
            if (row.weights.empty()) continue;
            fmt::print("{:<14}", name);
            for (const double weight : row.weights) {
                fmt::print(" {:.3f}", weight / static_cast<double>(2 * plan_.seeds));
            }
            fmt::print("\n");
        }
        std::fflush(stdout);
    }

    void curve() {
        fmt::print("\n{}: MAP on the test folds by training queries\n{:<14}", collection_, "");
        for (const std::size_t count : plan_.labels) fmt::print(" {:>7}", count);
        fmt::print("\n");
        std::map<std::string, std::vector<double>> means;
        for (const std::size_t count : plan_.labels) {
            std::map<std::string, Row> rows;
            for (std::size_t seed = 1; seed <= plan_.seeds; ++seed) {
                for (braid::Fold fold : braid::cross_validation_folds(names_, 2, seed)) {
                    if (fold.train.size() < count) continue;
                    braid::Random(seed).shuffle(fold.train);
                    fold.train.resize(count);
                    std::sort(fold.train.begin(), fold.train.end());
                    const Trial trial = trials_->make(fold.train, fold.test);
                    for (const std::string& name : plan_.learners) {
                        add(trial, fold, name, rows[name]);
                    }
                }
            }
            for (const std::string& name : plan_.learners) {
                if (rows[name].values.empty()) continue;
                means[name].push_back(braid::mean(rows[name].values[0]) /
                                      static_cast<double>(plan_.seeds));
            }
        }
        for (const std::string& name : plan_.learners) {
            fmt::print("{:<14}", name);
            for (const double value : means[name]) fmt::print(" {:7.4f}", value);
            fmt::print("\n");
        }
        std::fflush(stdout);
        if (!plan_.picture.empty()) draw(means);
    }

  private:
    // The best with all labels first; the axis of labels is logarithmic.
    void draw(const std::map<std::string, std::vector<double>>& means) const {
        std::vector<std::string> names;
        for (const std::string& name : plan_.learners) {
            if (!means.at(name).empty()) names.push_back(name);
        }
        std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
            return means.at(a).back() > means.at(b).back();
        });
        braid::cli::LineChart chart = {.title = collection_ + ": MAP by training queries",
                                       .x_label = "training queries",
                                       .y_label = "MAP on the test folds",
                                       .lines = {},
                                       .height = 460};
        for (std::size_t i = 0; i < names.size(); ++i) {
            braid::cli::ChartLine line = {.label = names[i],
                                          .xs = {},
                                          .ys = means.at(names[i]),
                                          .kind = braid::cli::line_class(i),
                                          .dots = true};
            for (std::size_t j = 0; j < line.ys.size(); ++j) {
                line.xs.push_back(std::log2(static_cast<double>(plan_.labels[j])));
            }
            chart.lines.push_back(std::move(line));
        }
        for (const std::size_t count : plan_.labels) {
            chart.marks.emplace_back(std::log2(static_cast<double>(count)), std::to_string(count));
        }
        std::ofstream out(plan_.picture);
        out << braid::cli::standalone_svg(braid::cli::line_chart_svg(chart));
        if (!out) throw std::runtime_error(plan_.picture + ": can't be written");
    }

    void add(const Trial& trial, const braid::Fold& fold, const std::string& name, Row& row) {
        const double begin = processor_seconds();
        if (row.values.empty()) {
            row.values.assign(measures().size(), std::vector<double>(names_.size(), 0));
        }
        if (name == "oracle") {
            braid::LearnerOptions options{.parameters = {{"restarts", 0}}};
            const auto oracle = braid::find_query_oracle(trial.testing, options, executor_);
            for (std::size_t i = 0; i < oracle.values.size(); ++i) {
                row.values[0][trial.test[oracle.queries[i]]] += oracle.values[i];
            }
        } else if (name == "bm25" || name == "best-single") {
            const std::string variant = name == "bm25" ? trials_->best_variant(name, fold.train)
                                                       : trials_->best_single(fold.train);
            for (const std::size_t q : trial.test) {
                row.values[0][q] += trials_->precisions(variant)[q];
            }
        } else {
            learn(trial, name, row);
        }
        row.seconds += processor_seconds() - begin;
    }

    void learn(const Trial& trial, const std::string& name, Row& row) {
        const Contender contender = braid::bench::contender_of(name);
        const RankingFunction function =
            fit(contender, trial.training, braid::bench::tune(contender, trial.training, executor_),
                executor_);
        if (const auto* linear = std::get_if<LinearFunction>(&function)) {
            row.weights.resize(linear->weights.size(), 0);
            for (std::size_t k = 0; k < row.weights.size(); ++k) {
                row.weights[k] += linear->weights[k];
            }
        }
        for (std::size_t m = 0; m < measures().size(); ++m) {
            const TrainingMeasure measure(trial.testing, measures()[m]);
            const std::vector<double> values = measure.values(function, executor_);
            for (std::size_t i = 0; i < values.size(); ++i) {
                row.values[m][trial.test[measure.queries()[i]]] += values[i];
            }
        }
    }

    std::string against(const Row& row, const Row& other) const {
        if (other.values.empty()) return fmt::format("{:>9} {:>7}", "", "");
        std::vector<double> differences;
        for (std::size_t q = 0; q < names_.size(); ++q) {
            differences.push_back((row.values[0][q] - other.values[0][q]) /
                                  static_cast<double>(plan_.seeds));
        }
        return fmt::format("{:>+9.4f} {:7.4f}", braid::mean(differences),
                           braid::paired_t_test(differences).p);
    }

    void print(const std::string& name, std::map<std::string, Row>& rows) const {
        const Row& row = rows[name];
        fmt::print("{:<14}", name);
        for (const std::vector<double>& values : row.values) {
            // Precisions of what is no learner are not computed.
            const double value = braid::mean(values) / static_cast<double>(plan_.seeds);
            fmt::print(" {:>7}", value > 0 ? fmt::format("{:.4f}", value) : "");
        }
        fmt::print(" {} {} {:8.1f}\n", against(row, rows[plan_.baseline]),
                   against(row, rows["bm25"]), row.seconds);
    }

    const Plan& plan_;
    std::string collection_;
    Executor& executor_;
    TextRankers rankers_;
    braid::bench::TrialOptions options_;
    std::unique_ptr<TextTrials> trials_;
    std::vector<std::string> names_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const Plan plan = parse(argc, argv);
        const auto executor = braid::make_executor(plan.threads);
        for (const std::string& name : plan.collections) {
            Run run(plan, name, *executor);
            if (plan.labels.empty()) {
                run.table();
            } else {
                run.curve();
            }
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "text_learners: {}\n", error.what());
        return 1;
    }
}
