// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/contenders.h"

#include <sstream>

#include "braid/bench/common/program.h"
#include "braid/core/eval/folds.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"

namespace braid::bench {

const std::vector<Contender>& contenders() {
    static const std::vector<double> pulls = {0, 0.1, 1, 10};
    static const std::vector<double> strengths = {1, 10, 100, 1000, 1e4};
    static const std::vector<Contender> all = {
        {"bm25"},
        {"best-single"},
        {"uniform", "uniform"},
        {"enm-b", "enm-b"},
        {"genm-bat", "genm-bat", {{"starts", 32}}},
        {"genm-bat-l2", "genm-bat", {{"starts", 16}}, {}, "l2", pulls},
        {"genm-on", "genm-on"},
        {"genm-ip", "genm-ip"},
        {"uns-enm", "uns-enm"},
        {"coordinate", "coordinate", {{"restarts", 1}}},
        {"adarank", "adarank"},
        {"ranksvm", "ranksvm", {}, {}, "c", strengths},
        {"svm-map", "svm-map", {}, {}, "c", strengths},
        {"svm-ndcg", "svm-ndcg", {}, {}, "c", strengths},
        {"permurank", "permurank", {}, {}, "c", {0.2, 0.5, 1, 2, 5, 20}},
        {"listnet", "listnet", {}, {}, "c", strengths},
        {"listmle", "listmle", {}, {}, "c", strengths},
        {"rankboost", "rankboost", {}, {}, "rounds", {10, 30, 100, 300}},
        {"mhr-bc", "mhr-bc", {}, {}, "c", strengths},
        {"wep", "wep"},
        {"wel", "wel"},
        {"welv", "welv"},
        {"awel", "awel"},
        {"awelv", "awelv"},
        {"ser", "ser"},
        {"sser", "sser"},
        {"convexds", "convexds"},
        {"aem", "aem"},
        {"bagging-reg", "bagging-reg"},
        {"adaboost-reg", "adaboost-reg"},
        {"oracle"},
    };
    return all;
}

std::vector<std::string> contender_names() {
    std::vector<std::string> names;
    for (const Contender& contender : contenders()) names.push_back(contender.name);
    return names;
}

Contender contender_of(const std::string& name) {
    std::istringstream parts(name);
    std::string part;
    std::getline(parts, part, ':');
    Contender contender = asked_of(contenders(), {part}, &Contender::name).front();
    while (std::getline(parts, part, ':')) {
        const auto [key, value] = name_and_value(part);
        if (key == "hold") {
            contender.hold = std::stoul(value);
        } else {
            add_setting(part, contender.parameters, contender.choices);
        }
    }
    return contender;
}

TrainingResult fit(const Contender& contender, const TrainingSet& set, double tuned,
                   Executor& executor, std::vector<const TrainingSet*> watched) {
    LearnerOptions options{.parameters = contender.parameters,
                           .choices = contender.choices,
                           .watched = std::move(watched)};
    if (!contender.tuned.empty()) options.parameters[contender.tuned] = tuned;
    return fit_held_back(contender.learner, set, options, contender.hold, executor);
}

double tune(const Contender& contender, const TrainingSet& set, Executor& executor) {
    if (contender.grid.size() < 2) return contender.grid.empty() ? 0 : contender.grid[0];
    const auto folds = cross_validation_folds(set.queries, 2);
    double best = contender.grid[0];
    double best_sum = -1;
    for (const double value : contender.grid) {
        double sum = 0;
        for (const Fold& fold : folds) {
            const TrainingSet train = subset(set, fold.train);
            const TrainingSet test = subset(set, fold.test);
            const RankingFunction function = fit(contender, train, value, executor).function;
            for (const double x : TrainingMeasure(test, "map").values(function, executor)) sum += x;
        }
        if (sum <= best_sum) continue;
        best = value;
        best_sum = sum;
    }
    return best;
}

}  // namespace braid::bench
