// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much weights that differ by query could gain on known items, and what of it is learned.
//
// Everything is fitted to the learning queries and measured by the reciprocal rank on the testing
// ones, whose items outside the pool count 0; differences are to the first learner, tests are
// paired t tests. Studies:
//   oracle      each testing query by its own best weights
//   clusters:N  N weight vectors, each learning query fitted by the best for it; each testing query
//               is then measured by the best for it
//   slopes      which query features the loss's derivatives by weights depend on
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_quality/contenders.h"
#include "braid/bench/learner_quality/set_file.h"
#include "braid/config.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/losses/list_objective.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/list_descent.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/attention.h"
#include "braid/error.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/training/feature_extractor.h"

namespace braid::bench {
namespace {

using braid::TrainingMeasure;
using braid::TrainingSet;

struct Plan : Arguments {
    std::string database =
        required("DATABASE", &database, "A database, as bench/known_items.py makes it");
    std::string model = required("MODEL", &model, "The rankers, a model file");
    std::string learning =
        required("LEARNING", &learning, "What comes before .tsv and .qrels, queries to learn from");
    std::string testing = required("TESTING", &testing, "The same of the queries to measure on");
    std::string cache =
        required("CACHE", &cache,
                 "What comes before .learning and .testing, files that keep all pools' scores");
    std::vector<std::string> learners =
        option("--learners", &learners, "Learners, as for the command texts", {"wel", "awelv"});
    std::vector<std::string> features = option(
        "--features", &features, "Query features: words, topics, lists", {"words", "topics"});
    std::size_t learn = option("--learning-queries", &learn, "The first queries only; 0: all", 0);
    std::size_t test = option("--testing-queries", &test, "The first queries only; 0: all", 0);
    std::size_t pool = option("--pool", &pool, "Documents a query", 100);
    std::string study =
        option("--study", &study, "oracle, clusters:N or slopes instead of learners");
};

braid::FeatureOptions feature_options(const Plan& plan) {
    braid::FeatureOptions options;
    options.query_features = {.words = true, .topics = true, .lists = false};
    options.pool.size = static_cast<Xapian::doccount>(plan.pool);
    options.tables = std::make_shared<braid::VectorTables>();
    options.search.vectors = options.tables;
    return options;
}

TrainingSet extract(const Plan& plan, const std::string& part, braid::Executor& executor) {
    const braid::Judgements judgements = braid::read_judgements(part + ".qrels");
    std::vector<braid::TrainingQuery> queries;
    std::ifstream in(part + ".tsv");
    for (std::string line; std::getline(in, line);) {
        const std::size_t tab = line.find('\t');
        queries.push_back({line.substr(0, tab), line.substr(tab + 1)});
    }
    const braid::FeatureOptions options = feature_options(plan);
    const braid::FusionModel model = braid::load_model(plan.model);
    return braid::make_training_set(
        queries, &judgements,
        [&] {
            return std::make_unique<braid::FeatureExtractor>(braid::open_databases({plan.database}),
                                                             model, options);
        },
        executor);
}

bool is_in(const std::string& feature, const std::vector<std::string>& groups) {
    const bool is_topic = feature.rfind("topic:", 0) == 0;
    const bool is_list = feature.rfind("list:", 0) == 0;
    const std::string group = is_topic ? "topics" : is_list ? "lists" : "words";
    return std::find(groups.begin(), groups.end(), group) != groups.end();
}

TrainingSet with_features(TrainingSet set, const std::vector<std::string>& groups) {
    std::vector<std::size_t> kept;
    std::vector<std::string> names;
    for (std::size_t f = 0; f < set.query_feature_names.size(); ++f) {
        if (!is_in(set.query_feature_names[f], groups)) continue;
        kept.push_back(f);
        names.push_back(set.query_feature_names[f]);
    }
    std::vector<double> values;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (const std::size_t f : kept) {
            values.push_back(set.query_features[q * set.query_feature_names.size() + f]);
        }
    }
    set.query_features = std::move(values);
    set.query_feature_names = std::move(names);
    return set;
}

TrainingSet loaded(const Plan& plan, bool is_learning, braid::Executor& executor) {
    const std::string path = plan.cache + (is_learning ? ".learning" : ".testing");
    if (!std::filesystem::exists(path)) {
        write_set(path, extract(plan, is_learning ? plan.learning : plan.testing, executor));
    }
    TrainingSet set = read_set(path);
    const std::size_t count = is_learning ? plan.learn : plan.test;
    if (count > 0 && count < set.queries.size()) {
        std::vector<std::size_t> first(count);
        for (std::size_t i = 0; i < count; ++i) first[i] = i;
        set = braid::subset(set, first);
    }
    return with_features(std::move(set), plan.features);
}

class Study {
  public:
    Study(const Plan& plan, braid::Executor& executor)
        : plan_(plan), executor_(executor), learning_(loaded(plan, true, executor)) {
        const std::vector<double> scales = braid::ranker_scales(learning_);
        learning_ = braid::prepared_set(std::move(learning_), {.scales = scales});
        testing_ = braid::prepared_set(loaded(plan, false, executor), {.scales = scales});
        measure_ = std::make_unique<TrainingMeasure>(testing_, "mrr");
        fmt::print("{} queries to learn from, {} to test on, {} rankers, {} features\n",
                   learning_.queries.size(), measure_->queries().size(), learning_.width(),
                   learning_.query_feature_names.size());
    }

    void learners() {
        std::vector<double> first;
        fmt::print("{:<44} {:>7} {:>8} {:>8} {:>7}\n", "", "MRR", "- first", "p", "s");
        for (const std::string& name : plan_.learners) {
            const double begin = user_seconds();
            const Contender contender = contender_of(name);
            braid::LearnerOptions options{
                .measure = "mrr", .parameters = contender.parameters, .choices = contender.choices};
            const braid::TrainingResult result =
                braid::fit_learner(contender.learner, learning_, options, executor_);
            const double end = user_seconds();
            const std::vector<double> values = measure_->values(result.function, executor_);
            if (first.empty()) first = values;
            print(name, values, first, end - begin);
            fmt::print("    {}; objective {:.4f}\n", result.stop_reason, result.objective);
            if (const auto* linear = std::get_if<braid::LinearFunction>(&result.function)) {
                for (std::size_t k = 0; k < linear->weights.size(); ++k) {
                    fmt::print("    {} {:.3f}", learning_.rankers[k], linear->weights[k]);
                }
                fmt::print("\n");
            }
            std::fflush(stdout);
        }
    }

    void oracle() {
        braid::LearnerOptions options{.measure = "mrr", .parameters = {{"restarts", 0}}};
        const auto oracle = braid::find_query_oracle(testing_, options, executor_);
        fmt::print("each query's best weights: {:.4f}\n", braid::mean(oracle.values));
        double reachable = 0;
        for (const std::size_t q : measure_->queries()) {
            const auto grades = testing_.query_grades(q);
            reachable += *std::max_element(grades.begin(), grades.end()) > 0 ? 1 : 0;
        }
        fmt::print("items in their pool: {:.4f}\n",
                   reachable / static_cast<double>(measure_->queries().size()));
    }

    void clusters(std::size_t count) {
        const braid::ListObjective objective(learning_, {});
        std::vector<std::size_t> cluster(objective.queries().size());
        for (std::size_t i = 0; i < cluster.size(); ++i) cluster[i] = i % count;
        std::vector<std::vector<double>> weights(count);
        for (int round = 0; round < 12; ++round) {
            for (std::size_t c = 0; c < count; ++c) {
                std::vector<std::size_t> own;
                for (std::size_t i = 0; i < cluster.size(); ++i) {
                    if (cluster[i] == c) own.push_back(objective.queries()[i]);
                }
                if (own.size() < 10) continue;
                const TrainingSet part = braid::subset(learning_, own);
                const braid::ListObjective of_part(part, {});
                braid::descend_fixed(of_part, {.passes = 30, .non_negative = true}, 0,
                                     [&](double, const std::vector<double>& w) {
                                         weights[c] = w;
                                         return true;
                                     });
            }
            for (std::size_t i = 0; i < cluster.size(); ++i) {
                double best = HUGE_VAL;
                for (std::size_t c = 0; c < count; ++c) {
                    const double value = objective.value(objective.whole(i), weights[c], {});
                    if (value < best) cluster[i] = c;
                    best = std::min(best, value);
                }
            }
        }
        std::vector<double> best(measure_->queries().size(), 0);
        for (std::size_t c = 0; c < count; ++c) {
            const auto size = std::count(cluster.begin(), cluster.end(), c);
            const auto values = measure_->values(braid::LinearFunction{weights[c]}, executor_);
            fmt::print("{:>6} {:.4f} {:.3f}\n", size, braid::mean(values),
                       fmt::join(weights[c], " "));
            for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], values[i]);
        }
        fmt::print("the best of {} for each query: {:.4f}\n", count, braid::mean(best));
    }

    // Were weights to follow from a feature z, the loss would fall first by the mean of z dl/dw.
    void slopes() {
        const auto fixed = braid::fit_learner("wel", learning_, {}, executor_);
        std::vector<double> weights = std::get<braid::LinearFunction>(fixed.function).weights;
        const braid::ListObjective objective(learning_, {});
        braid::descend_fixed(objective, {}, 0, [&](double, const std::vector<double>& w) {
            weights = w;
            return true;
        });
        braid::AttentionFunction described;
        braid::describe_queries(learning_, described);
        const std::size_t features = described.features.size();
        struct Line {
            double t;
            std::size_t feature, ranker;
        };
        std::vector<std::vector<double>> gradients;
        std::vector<std::vector<double>> standard;
        for (std::size_t i = 0; i < objective.queries().size(); ++i) {
            std::vector<double> gradient(weights.size());
            objective.value(objective.whole(i), weights, gradient);
            gradients.push_back(gradient);
            const std::span<const double> all = learning_.query_features;
            standard.push_back(braid::standard_features(
                described, all.subspan(objective.queries()[i] * features, features)));
        }
        std::vector<Line> lines;
        for (std::size_t f = 0; f < features; ++f) {
            for (std::size_t k = 0; k < weights.size(); ++k) {
                double sum = 0;
                double squares = 0;
                for (std::size_t i = 0; i < gradients.size(); ++i) {
                    const double x = -standard[i][f] * gradients[i][k];
                    sum += x;
                    squares += x * x;
                }
                if (squares > 0) lines.push_back({sum / std::sqrt(squares), f, k});
            }
        }
        std::sort(lines.begin(), lines.end(),
                  [](const Line& a, const Line& b) { return std::abs(a.t) > std::abs(b.t); });
        for (std::size_t i = 0; i < std::min<std::size_t>(40, lines.size()); ++i) {
            fmt::print("{:+7.2f} {:<16} {}\n", lines[i].t, described.features[lines[i].feature],
                       learning_.rankers[lines[i].ranker]);
        }
    }

  private:
    void print(const std::string& name, const std::vector<double>& values,
               const std::vector<double>& first, double time) const {
        std::vector<double> differences;
        for (std::size_t i = 0; i < values.size(); ++i) {
            differences.push_back(values[i] - first[i]);
        }
        fmt::print("{:<44} {:7.4f} {:+8.4f} {:8.2g} {:7.1f}\n", name, braid::mean(values),
                   braid::mean(differences), braid::paired_t_test(differences).p, time);
    }

    const Plan& plan_;
    braid::Executor& executor_;
    TrainingSet learning_;
    TrainingSet testing_;
    std::unique_ptr<TrainingMeasure> measure_;
};

void measure(const Plan& plan) {
    const auto executor = braid::make_executor(1);
    Study study(plan, *executor);
    if (plan.study.empty()) {
        study.learners();
    } else if (plan.study == "oracle") {
        study.oracle();
    } else if (plan.study == "slopes") {
        study.slopes();
    } else if (plan.study.rfind("clusters:", 0) == 0) {
        study.clusters(std::stoul(plan.study.substr(9)));
    } else {
        throw braid::UnknownComponent("study", plan.study, {"oracle", "clusters:N", "slopes"});
    }
}

}  // namespace

void add_known_items(Program& program) {
    program.add("known-items", "Weights by query on known items, beside fixed weights", measure);
}

}  // namespace braid::bench
