// SPDX-License-Identifier: GPL-2.0-or-later

// Time and memory of learning one topic model, against K and against the size of the collection.
//
//   bench/topic_scale TEXTS DOCUMENTS MODEL K,K,.. [THREADS] [SETTING=VALUE ..]
//
// TEXTS: package descriptions, generated or generated:LENGTH (bench/texts/corpus.h). Settings: any
// parameter or choice of the model. Memory is the most that the whole process had so far, reading
// or generating the collection included: for one K's own, give one K.

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"

namespace {

void set(braid::TopicOptions& options, const std::string& setting) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos) throw std::runtime_error(setting + ": expected NAME=VALUE");
    const std::string value = setting.substr(at + 1);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (!value.empty() && *end == '\0') {
        options.parameters[setting.substr(0, at)] = number;
    } else {
        options.choices[setting.substr(0, at)] = value;
    }
}

void run(const std::vector<std::string>& arguments) {
    const auto counts = braid::bench::read_or_generate(arguments[0], std::stoul(arguments[1]));
    fmt::print("{} documents, {} words, {} entries, {} tokens; {:.0f} MB\n", counts.documents(),
               counts.vocabulary.size(), counts.nonzeros(), counts.total(),
               braid::bench::peak_megabytes());
    braid::TopicOptions options;
    for (std::size_t i = 5; i < arguments.size(); ++i) set(options, arguments[i]);
    const auto executor = braid::make_executor(arguments.size() > 4 ? std::stoul(arguments[4]) : 1);
    std::istringstream dimensions(arguments[3]);
    for (std::string k; std::getline(dimensions, k, ',');) {
        options.dimensions = std::stoul(k);
        const braid::bench::Stopwatch watch;
        const auto model = braid::fit_topic_model(arguments[2], counts, options, *executor);
        fmt::print("{} K {:4}: {:8.2f} s {:8.2f} s processor, {} iterations, {:.0f} MB\n",
                   arguments[2], k, watch.seconds(), watch.processor_seconds(),
                   model.training.iterations, braid::bench::peak_megabytes());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fputs("usage: topic_scale TEXTS DOCUMENTS MODEL K,K,.. [THREADS] [SETTING=VALUE ..]\n",
                   stderr);
        return 2;
    }
    try {
        run({argv + 1, argv + argc});
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "topic_scale: {}\n", error.what());
        return 1;
    }
}
