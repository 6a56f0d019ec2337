// SPDX-License-Identifier: GPL-2.0-or-later

// Mean average precision of one topic model over numbers of dimensions, collections and seeds.
//
//   bench/topic_sweep DATA MODEL K,K,.. [SETTING=VALUE ..]
//
// DATA is the folder of the classic collections, with stop/smart.571. Settings:
// collections=med,cran (default: all four and merged), seeds=N (default 1), threads=N (default: as
// the machine has), min-documents=N (default 2), and any parameter or choice of the model. MODEL is
// a topic model, or lbdm: then lda is learned, documents are ranked by core/topics/lbdm.h, and
// lambda=X and mu=X are settings, too. For each collection: the mean over judged queries at each K
// (over seeds: mean and standard deviation), the best, and what choosing K on one half of the
// queries gives on the other half (queries of odd and even place); and, but for lbdm, which K
// choose_dimensions() takes of them without judgements (for the first seed), with its scores.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/common/settings.h"
#include "braid/bench/texts/collection.h"
#include "braid/core/topics/dimension_choice.h"
#include "braid/core/topics/topic_models.h"

namespace {

using braid::bench::Collection;

struct Sweep {
    std::string data;
    std::string model;
    std::vector<std::size_t> dimensions;
    std::vector<std::string> collections = {"med", "cran", "cisi", "cacm", "merged"};
    std::size_t seeds = 1;
    std::uint32_t min_documents = 2;
    std::size_t threads = 0;
    braid::TopicOptions options;
    braid::LbdmSettings lbdm;
};

Sweep parse(int argc, char** argv) {
    Sweep sweep;
    sweep.data = argv[1];
    sweep.model = argv[2];
    for (const std::string& k : braid::bench::split(argv[3]))
        sweep.dimensions.push_back(std::stoul(k));
    for (int i = 4; i < argc; ++i) {
        const std::string setting = argv[i];
        const std::size_t at = setting.find('=');
        if (at == std::string::npos) throw std::runtime_error(setting + ": expected NAME=VALUE");
        const std::string name = setting.substr(0, at);
        const std::string value = setting.substr(at + 1);
        char* end = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        if (name == "collections") {
            sweep.collections = braid::bench::split(value);
        } else if (name == "seeds") {
            sweep.seeds = std::stoul(value);
        } else if (name == "threads") {
            sweep.threads = std::stoul(value);
        } else if (name == "min-documents") {
            sweep.min_documents = static_cast<std::uint32_t>(std::stoul(value));
        } else if (sweep.model == "lbdm" && name == "lambda") {
            sweep.lbdm.lambda = number;
        } else if (sweep.model == "lbdm" && name == "mu") {
            sweep.lbdm.mu = number;
        } else if (!value.empty() && *end == '\0') {
            sweep.options.parameters[name] = number;
        } else {
            sweep.options.choices[name] = value;
        }
    }
    return sweep;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
    if (values.size() < 2) return 0;
    const double centre = mean(values);
    double squares = 0;
    for (const double x : values) squares += (x - centre) * (x - centre);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// The mean over all queries where each half is ranked with the K that is best on the other.
double two_fold(const std::vector<std::vector<double>>& precisions) {
    double sum = 0;
    for (const std::size_t half : {0U, 1U}) {
        double best = -1;
        double held_out = 0;
        for (const std::vector<double>& by_query : precisions) {
            double chosen_by = 0;
            double judged_by = 0;
            for (std::size_t q = 0; q < by_query.size(); ++q) {
                (q % 2 == half ? chosen_by : judged_by) += by_query[q];
            }
            if (chosen_by > best) {
                best = chosen_by;
                held_out = judged_by;
            }
        }
        sum += held_out;
    }
    return sum / static_cast<double>(precisions.front().size());
}

std::vector<double> precisions(const Sweep& sweep, const Collection& collection,
                               const braid::TopicOptions& options, braid::Executor& executor) {
    const bool by_lbdm = sweep.model == "lbdm";
    const braid::TopicModel model =
        braid::fit_topic_model(by_lbdm ? "lda" : sweep.model, collection.counts, options, executor);
    return by_lbdm ? braid::bench::lbdm_precisions(collection, model, sweep.lbdm, executor)
                   : braid::bench::average_precisions(collection, model, executor);
}

void choose_without_judgements(const Sweep& sweep, const Collection& collection,
                               const std::map<std::size_t, double>& precision,
                               braid::Executor& executor) {
    const braid::DimensionChoice choice = braid::choose_dimensions(
        sweep.model, collection.counts, sweep.options, sweep.dimensions, executor);
    for (const braid::DimensionTrial& trial : choice.trials) {
        fmt::print("  K {:4}: {} {:.4f}\n", trial.dimensions, trial.criterion, trial.score);
    }
    const auto chosen = precision.find(choice.dimensions);
    fmt::print("  chosen by that: K {}, of which the mean is {}\n", choice.dimensions,
               chosen == precision.end() ? "not known" : fmt::format("{:.4f}", chosen->second));
}

void run_collection(const Sweep& sweep, const std::string& name, const braid::bench::Words& words) {
    const Collection collection =
        braid::bench::read_collection(sweep.data, name, words, sweep.min_documents);
    fmt::print("{}: {} documents, {} words, {} entries, {} queries\n", name,
               collection.counts.documents(), collection.counts.vocabulary.size(),
               collection.counts.nonzeros(), collection.queries.size());
    const auto executor = braid::make_executor(sweep.threads);
    std::vector<std::vector<std::vector<double>>> by_seed(sweep.seeds);  // [seed][K][query]
    struct Best {
        double mean = -1;
        double deviation = 0;
        std::size_t dimensions = 0;
    } best;
    std::map<std::size_t, double> precision;
    for (const std::size_t k : sweep.dimensions) {
        std::vector<double> means;
        for (std::size_t seed = 0; seed < sweep.seeds; ++seed) {
            braid::TopicOptions options = sweep.options;
            options.dimensions = k;
            options.seed += seed;
            by_seed[seed].push_back(precisions(sweep, collection, options, *executor));
            means.push_back(mean(by_seed[seed].back()));
        }
        if (mean(means) > best.mean) best = {mean(means), deviation(means), k};
        precision[k] = mean(means);
        fmt::print("  K {:4}: {:.4f} +- {:.4f}\n", k, mean(means), deviation(means));
        std::fflush(stdout);
    }
    std::vector<double> folds;
    for (const auto& precisions : by_seed) folds.push_back(two_fold(precisions));
    fmt::print("  best: {:.4f} +- {:.4f} at K {}; K chosen on the other half: {:.4f} +- {:.4f}\n",
               best.mean, best.deviation, best.dimensions, mean(folds), deviation(folds));
    if (sweep.model != "lbdm") {
        choose_without_judgements(sweep, collection, precision, *executor);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 4)
            throw std::runtime_error("usage: topic_sweep DATA MODEL K,K,.. [NAME=VALUE ..]");
        const Sweep sweep = parse(argc, argv);
        const braid::bench::Words words(sweep.data + "/stop/smart.571", true);
        for (const std::string& name : sweep.collections) run_collection(sweep, name, words);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "topic_sweep: {}\n", error.what());
        return 1;
    }
}
