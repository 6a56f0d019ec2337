// SPDX-License-Identifier: GPL-2.0-or-later
// Mean average precision of one topic model over numbers of dimensions, collections and seeds.
//
// For each collection: the mean over judged queries at each K (over seeds: mean and standard
// deviation), the best, and what choosing K on one half of the queries gives on the other half
// (queries of odd and even place); and, but for lbdm, which K choose_dimensions() takes of them
// without judgements (for the first seed), with its scores. For lbdm lda is learned, and documents
// are ranked by core/topics/lbdm.h.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/texts/collection.h"
#include "braid/core/eval/summary.h"
#include "braid/core/topics/dimension_choice.h"
#include "braid/core/topics/topic_models.h"

namespace braid::bench {
namespace {

struct Options : Arguments {
    std::string data = required("DATA", &data, kClassicHelp);
    std::string model = required("MODEL", &model, "A topic model, or lbdm");
    std::vector<std::size_t> dimensions = required("K", &dimensions, "Dimensions, K,K..");
    std::vector<std::string> collections =
        option("--collections", &collections, "Names, or merged for all four in one",
               {"med", "cran", "cisi", "cacm", "merged"});
    std::size_t seeds = option("--seeds", &seeds, "Seeds that are averaged", 1);
    std::size_t min_documents =
        option("--min-documents", &min_documents, "Words of fewer documents are left out", 2);
    std::size_t threads = option("--threads", &threads, "Threads; 0: as the machine has", 0);
    std::vector<std::string> settings =
        option("--set", &settings,
               "Parameters and choices of the model, or lambda and mu of lbdm, NAME=VALUE,..");
};

// What the settings say.
struct Sweep {
    const Options& asked;
    braid::TopicOptions topics = {};
    braid::LbdmSettings lbdm = {};

    bool by_lbdm() const { return asked.model == "lbdm"; }
};

Sweep sweep_of(const Options& options) {
    Sweep sweep{options};
    auto& parameters = sweep.topics.parameters;
    for (const std::string& setting : options.settings) {
        add_setting(setting, parameters, sweep.topics.choices);
    }
    if (!sweep.by_lbdm()) return sweep;
    if (auto own = parameters.extract("lambda")) sweep.lbdm.lambda = own.mapped();
    if (auto own = parameters.extract("mu")) sweep.lbdm.mu = own.mapped();
    return sweep;
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
    const braid::TopicModel model = braid::fit_topic_model(
        sweep.by_lbdm() ? "lda" : sweep.asked.model, collection.counts, options, executor);
    return sweep.by_lbdm() ? lbdm_precisions(collection, model, sweep.lbdm, executor)
                           : average_precisions(collection, model, executor);
}

void choose_without_judgements(const Sweep& sweep, const Collection& collection,
                               const std::map<std::size_t, double>& precision,
                               braid::Executor& executor) {
    const braid::DimensionChoice choice = braid::choose_dimensions(
        sweep.asked.model, collection.counts, sweep.topics, sweep.asked.dimensions, executor);
    for (const braid::DimensionTrial& trial : choice.trials) {
        fmt::print("  K {:4}: {} {:.4f}\n", trial.dimensions, trial.criterion, trial.score);
    }
    const auto chosen = precision.find(choice.dimensions);
    fmt::print("  chosen by that: K {}, of which the mean is {}\n", choice.dimensions,
               chosen == precision.end() ? "not known" : fmt::format("{:.4f}", chosen->second));
}

void run_collection(const Sweep& sweep, const std::string& name, const Words& words) {
    const Collection collection = read_collection(
        sweep.asked.data, name, words, static_cast<std::uint32_t>(sweep.asked.min_documents));
    fmt::print("{}: {} documents, {} words, {} entries, {} queries\n", name,
               collection.counts.documents(), collection.counts.vocabulary.size(),
               collection.counts.nonzeros(), collection.queries.size());
    const auto executor = braid::make_executor(sweep.asked.threads);
    std::vector<std::vector<std::vector<double>>> by_seed(sweep.asked.seeds);  // [seed][K][query]
    struct Best {
        double mean = -1;
        double deviation = 0;
        std::size_t dimensions = 0;
    } best;
    std::map<std::size_t, double> precision;
    for (const std::size_t k : sweep.asked.dimensions) {
        std::vector<double> means;
        for (std::size_t seed = 0; seed < sweep.asked.seeds; ++seed) {
            braid::TopicOptions options = sweep.topics;
            options.dimensions = k;
            options.seed += seed;
            by_seed[seed].push_back(precisions(sweep, collection, options, *executor));
            means.push_back(braid::mean(by_seed[seed].back()));
        }
        if (braid::mean(means) > best.mean)
            best = {braid::mean(means), braid::standard_deviation(means), k};
        precision[k] = braid::mean(means);
        fmt::print("  K {:4}: {:.4f} +- {:.4f}\n", k, braid::mean(means),
                   braid::standard_deviation(means));
        std::fflush(stdout);
    }
    std::vector<double> folds;
    folds.reserve(by_seed.size());
    for (const auto& precisions : by_seed) folds.push_back(two_fold(precisions));
    fmt::print("  best: {:.4f} +- {:.4f} at K {}; K chosen on the other half: {:.4f} +- {:.4f}\n",
               best.mean, best.deviation, best.dimensions, braid::mean(folds),
               braid::standard_deviation(folds));
    if (!sweep.by_lbdm()) {
        choose_without_judgements(sweep, collection, precision, *executor);
    }
}

void measure(const Options& options) {
    const Sweep sweep = sweep_of(options);
    const Words words(options.data + "/stop/smart.571", true);
    for (const std::string& name : options.collections) run_collection(sweep, name, words);
}

}  // namespace

void add_quality(Program& program) {
    program.add("quality", "MAP of a topic model by K, collection and seed", measure);
}

}  // namespace braid::bench
