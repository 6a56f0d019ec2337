// SPDX-License-Identifier: GPL-2.0-or-later
//
// What lambda, the strength of diversity, and c, where it is taken, do to welv and awelv.
//
// The texts' rankers are one of each kind, their normaliser is min-max. Every figure is the gain
// over lambda 0: Recall@5 over five pairs of halves on MQ2008-agg, with weights by query as they
// are learned (folds=0), and MAP over pairs of folds on the text collections, fixed weights. Writes
// diversity-lambda.svg and diversity-interpolation.svg; lambda is .01 in the second on MQ2008-agg,
// .1 on texts.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/learner_quality/aggregation_halves.h"
#include "braid/bench/learner_quality/pictures.h"
#include "braid/bench/learner_quality/text_trials.h"
#include "braid/cli/report/charts.h"
#include "braid/cli/report/svg.h"
#include "braid/core/eval/folds.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid::bench {
namespace {

using braid::ParameterMap;

// The paper's.
const std::vector<double> kLambdas = {0, 0.001, 0.01, 0.1, 1, 5};
const std::vector<double> kPlaces = {0, 0.25, 0.5, 0.75, 1};

// A collection with a learner.
struct Subject {
    std::string name;
    double lambda;  ///< Of the curve over c.
    std::function<double(const ParameterMap&)> measure;
};

Subject aggregation(const AggregationHalves& halves, const std::string& learner) {
    return {"MQ2008-agg " + learner, 0.01, [&halves, learner](const ParameterMap& parameters) {
                AggregationMethod method{learner, learner};
                method.parameters = parameters;
                if (learner == "awelv") method.parameters["folds"] = 0;
                return halves.run(method).mean.recall;
            }};
}

class Texts {
  public:
    Texts(const std::string& data, const std::string& cache, const std::string& collection,
          std::size_t seeds, braid::Executor& executor)
        : executor_(executor), rankers_(data, collection, cache, executor) {
        TrialOptions options;
        options.families = one_of_each_kind();
        options.normaliser = "min-max";
        options.features = {};
        TextTrials trials(rankers_, options, executor);
        std::vector<std::string> names;
        for (const auto& query : rankers_.collection().queries) names.push_back(query.id);
        for (std::size_t seed = 1; seed <= seeds; ++seed) {
            for (const braid::Fold& fold : braid::cross_validation_folds(names, 2, seed)) {
                trials_.push_back(trials.make(fold.train, fold.test));
            }
        }
    }

    double measure(const ParameterMap& parameters) const {
        double sum = 0;
        for (const Trial& trial : trials_) {
            const braid::RankingFunction function =
                braid::fit_learner("welv", trial.training, {.parameters = parameters}, executor_)
                    .function;
            sum += braid::TrainingMeasure(trial.testing, "map").mean(function, executor_);
        }
        return sum / static_cast<double>(trials_.size());
    }

  private:
    braid::Executor& executor_;
    TextRankers rankers_;
    std::vector<Trial> trials_;
};

// Draws what the first of the values gives as 0.
class Curve {
  public:
    Curve(std::string title, std::string x_label, const std::vector<double>& values)
        : values_(values) {
        chart_.title = std::move(title);
        chart_.x_label = std::move(x_label);
        chart_.y_label = "gain over lambda 0";
        chart_.height = 420;
        for (std::size_t i = 0; i < values.size(); ++i) {
            chart_.marks.emplace_back(static_cast<double>(i), fmt::format("{:g}", values[i]));
        }
    }

    void add(const Subject& subject, double base,
             const std::function<ParameterMap(double)>& parameters) {
        braid::cli::ChartLine line = {.label = subject.name,
                                      .xs = {},
                                      .ys = {},
                                      .kind = braid::cli::line_class(chart_.lines.size()),
                                      .dots = true};
        fmt::print("{:<18}", subject.name);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const double value = subject.measure(parameters(values_[i]));
            line.xs.push_back(static_cast<double>(i));
            line.ys.push_back(value - base);
            fmt::print(" {:.4f}", value);
            std::fflush(stdout);
        }
        fmt::print("\n");
        chart_.lines.push_back(std::move(line));
    }

    const braid::cli::LineChart& chart() const { return chart_; }

  private:
    std::vector<double> values_;
    braid::cli::LineChart chart_;
};

void draw(const std::vector<Subject>& subjects, const std::string& folder) {
    Curve lambda("What the strength of diversity changes", "lambda", kLambdas);
    Curve place("What the place where diversity is taken changes", "c", kPlaces);
    for (const Subject& subject : subjects) {
        const double base = subject.measure({{"lambda", 0}});
        lambda.add(subject, base, [](double x) { return ParameterMap{{"lambda", x}}; });
        place.add(subject, base, [&](double x) {
            return ParameterMap{{"lambda", subject.lambda}, {"interpolation", x}};
        });
        write_chart(folder + "/diversity-lambda.svg", lambda.chart());
        write_chart(folder + "/diversity-interpolation.svg", place.chart());
    }
}

struct Options : Arguments {
    std::string aggregation = required("AGGREGATION", &aggregation, "LETOR 4.0's MQ2008-agg");
    std::string data = required("DATA", &data, kClassicHelp);
    std::string cache = required("CACHE", &cache, kCacheHelp);
    std::string pictures = required("PICTURES", &pictures, "The folder that the pictures go to");
    std::size_t seeds = option("--seeds", &seeds, "Pairs of folds of each text collection", 2);
    std::vector<std::string> collections = option(
        "--collections", &collections, "The text collections", {"med", "cran", "cisi", "cacm"});
};

void measure(const Options& options) {
    const auto executor = braid::make_executor(1);
    const AggregationHalves halves(options.aggregation);
    std::vector<Subject> subjects = {aggregation(halves, "welv"), aggregation(halves, "awelv")};
    std::vector<std::unique_ptr<Texts>> texts;
    for (const std::string& name : options.collections) {
        texts.push_back(
            std::make_unique<Texts>(options.data, options.cache, name, options.seeds, *executor));
        subjects.push_back({name + " welv", 0.1, [&own = *texts.back()](const auto& parameters) {
                                return own.measure(parameters);
                            }});
    }
    draw(subjects, options.pictures);
}

}  // namespace

void add_diversity(Program& program) {
    program.add("diversity", "What lambda and c of welv and awelv change, as pictures", measure);
}

}  // namespace braid::bench
