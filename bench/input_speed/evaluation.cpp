// SPDX-License-Identifier: GPL-2.0-or-later
//
// How fast runs are evaluated.
//
// Each of the two commands evaluates a generated run of a million lines (1,000 queries, 100
// judgements each) by map, ndcg@10, P_10, recall@100 and reciprocal rank: once in the order of its
// scores, once in no order. Prints the median of five runs, in processor time (user and system) and
// on the clock. Then, in this process, what one evaluation of a ranking costs each measure.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/processes.h"
#include "braid/bench/common/timing.h"
#include "braid/core/base/random.h"
#include "braid/core/eval/measure.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

void measure_command(const std::string& name, const std::vector<std::string>& words) {
    std::vector<double> processor;
    std::vector<double> clock;
    for (int run = 0; run < 5; ++run) {
        const ProcessCost cost = run_in_child([&] { become_silent(words); });
        processor.push_back(cost.processor);
        clock.push_back(cost.wall);
    }
    fmt::print("{:<24} {:>7.3f} s processor {:>7.3f} s clock\n", name, percentile(processor, 50),
               percentile(clock, 50));
}

void write_files(const TemporaryFolder& folder) {
    braid::Random random;
    std::ofstream sorted(folder.path("sorted.run"));
    std::ofstream shuffled(folder.path("shuffled.run"));
    std::ofstream qrels(folder.path("qrels"));
    for (int query = 1; query <= 1000; ++query) {
        std::vector<std::string> lines;
        double score = 30;
        for (int rank = 1; rank <= 1000; ++rank) {
            score -= 0.02 * random.uniform();
            const std::string document = fmt::format("GX{:03}-{:02}-{:08}", random.below(300),
                                                     random.below(100), random.below(100'000'000));
            lines.push_back(fmt::format("{} Q0 {} {} {:.6f} bm25\n", query, document, rank, score));
            if (rank % 10 == 0) {
                qrels << fmt::format("{} 0 {} {}\n", query, document, random.below(3));
            }
        }
        for (const std::string& line : lines) sorted << line;
        random.shuffle(lines);
        for (const std::string& line : lines) shuffled << line;
    }
    if (!sorted.flush() || !shuffled.flush() || !qrels.flush()) {
        throw braid::Error(folder.path("") + ": can't be written to");
    }
}

void measure_commands(const std::string& braid, const std::string& trec_eval) {
    const TemporaryFolder folder;
    write_files(folder);
    for (const std::string order : {"sorted", "shuffled"}) {
        const std::string run = folder.path(order + ".run");
        const std::string qrels = folder.path("qrels");
        measure_command("braid eval, " + order, {braid, "eval", "--qrels", qrels, run, "--measures",
                                                 "map,ndcg@10,p@10,recall@100,mrr"});
        if (trec_eval.empty()) continue;
        measure_command("trec_eval, " + order,
                        {trec_eval, "-c", "-m", "map", "-m", "ndcg_cut.10", "-m", "P.10", "-m",
                         "recall.100", "-m", "recip_rank", qrels, run});
    }
}

// Rankings of `count` documents of which a third is relevant and a third not judged.
void measure_in_process(std::size_t count) {
    constexpr int kRankings = 64;
    braid::Random random;
    std::vector<braid::Grade> grades;
    for (std::size_t i = 0; i < count; ++i) {
        grades.push_back(i % 3 == 0 ? braid::kUnjudged : static_cast<braid::Grade>(i % 3 - 1));
    }
    std::vector<braid::Grade> judged = grades;
    std::erase(judged, braid::kUnjudged);
    const braid::JudgedPool pool = braid::JudgedPool::of(judged);
    std::vector<std::vector<braid::Grade>> rankings(kRankings, grades);
    for (auto& ranking : rankings) random.shuffle(ranking);
    for (const char* name : {"map", "ndcg@10", "ndcg", "p@10", "err@10", "bpref"}) {
        const auto measure = braid::make_measure(name);
        const double scale = measure->scale(pool);
        const int rounds = static_cast<int>(20'000'000 / (count * kRankings)) + 1;
        double sum = 0;
        const double start = processor_seconds();
        for (int round = 0; round < rounds; ++round) {
            for (const auto& ranking : rankings) sum += measure->evaluate({ranking, pool}, scale);
        }
        const double each = (processor_seconds() - start) / (rounds * kRankings);
        fmt::print("{:<8} {:>5} documents {:>8.1f} ns   (mean {:.4f})\n", name, count, 1e9 * each,
                   sum / (rounds * kRankings));
    }
}

struct Options : Arguments {
    std::string braid = required("BRAID", &braid, "The path of the command braid");
    std::string trec_eval = positional("TREC_EVAL", &trec_eval, "The path of trec_eval");
};

void measure(const Options& options) {
    measure_commands(options.braid, options.trec_eval);
    measure_in_process(10);
    measure_in_process(1000);
}

}  // namespace

void add_evaluation(Program& program) {
    program.add("evaluation", "Evaluating a run of a million lines, beside trec_eval", measure);
}

}  // namespace braid::bench
