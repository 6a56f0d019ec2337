// SPDX-License-Identifier: GPL-2.0-or-later
// Time and memory of learning one topic model, against K and against the size of the collection.
// Memory is the most that the whole process had so far, reading or generating the collection
// included: for one K's own, give one K.

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"

namespace braid::bench {
namespace {

struct Options : Arguments {
    std::string texts = required("TEXTS", &texts, kTextsHelp);
    std::size_t documents = required("DOCUMENTS", &documents, kDocumentsHelp);
    std::string model = required("MODEL", &model, "A topic model");
    std::vector<std::size_t> dimensions = required("K", &dimensions, "Dimensions, K,K..");
    std::size_t threads = option("--threads", &threads, "Threads", 1);
    std::vector<std::string> settings =
        option("--set", &settings, "Parameters and choices of the model, NAME=VALUE,..");
};

void measure(const Options& options) {
    const auto counts = read_or_generate(options.texts, options.documents);
    fmt::print("{} documents, {} words, {} entries, {} tokens; {:.0f} MB\n", counts.documents(),
               counts.vocabulary.size(), counts.nonzeros(), counts.total(), peak_megabytes());
    braid::TopicOptions fitting;
    for (const std::string& setting : options.settings) {
        add_setting(setting, fitting.parameters, fitting.choices);
    }
    const auto executor = braid::make_executor(options.threads);
    for (const std::size_t k : options.dimensions) {
        fitting.dimensions = k;
        const Stopwatch watch;
        const auto model = braid::fit_topic_model(options.model, counts, fitting, *executor);
        fmt::print("{} K {:<4}: {:8.2f} s {:8.2f} s processor, {} iterations, {:.0f} MB\n",
                   options.model, k, watch.seconds(), watch.processor_seconds(),
                   model.training.iterations, peak_megabytes());
        std::fflush(stdout);
    }
}

}  // namespace

void add_scale(Program& program) {
    program.add("scale", "Time and memory of a topic model by K and size", measure);
}

}  // namespace braid::bench
