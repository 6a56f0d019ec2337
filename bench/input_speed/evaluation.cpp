// SPDX-License-Identifier: GPL-2.0-or-later
//
// How fast runs are evaluated.
//
//     evaluate BRAID [TREC_EVAL]       paths of the two commands; trec_eval may be left out
//
// Each command evaluates a generated run of a million lines (1,000 queries, 100 judgements each)
// by map, ndcg@10, P_10, recall@100 and reciprocal rank: once in the order of its scores, once
// in no order. Prints the median of five runs, in processor time (user and system) and on the
// clock. Then, in this process, what one evaluation of a ranking costs each measure.
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

#include "braid/core/measures/measure.h"
#include "braid/core/random.h"

namespace {

double clock_seconds() {
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double own_processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Cost {
    double processor = 0;
    double clock = 0;
};

// Runs a command with its output thrown away.
Cost run_once(const std::vector<std::string>& words) {
    std::vector<std::string> copies = words;
    std::vector<char*> argv;
    for (std::string& word : copies) argv.push_back(word.data());
    argv.push_back(nullptr);
    const double start = clock_seconds();
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        throw std::runtime_error("failed: " + words[0]);
    }
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime), clock_seconds() - start};
}

void measure_command(const std::string& name, const std::vector<std::string>& words) {
    std::array<double, 5> processor{};
    std::array<double, 5> clock{};
    for (std::size_t i = 0; i < processor.size(); ++i) {
        const Cost cost = run_once(words);
        processor[i] = cost.processor;
        clock[i] = cost.clock;
    }
    std::sort(processor.begin(), processor.end());
    std::sort(clock.begin(), clock.end());
    fmt::print("{:<24} {:>7.3f} s processor {:>7.3f} s clock\n", name, processor[2], clock[2]);
}

void write_files(const std::string& folder) {
    braid::Random random;
    std::ofstream sorted(folder + "/sorted.run");
    std::ofstream shuffled(folder + "/shuffled.run");
    std::ofstream qrels(folder + "/qrels");
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
        throw std::runtime_error("can't write to " + folder);
    }
}

void measure_commands(const std::string& braid, const std::string& trec_eval) {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "braid-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("can't make " + folder);
    write_files(folder);
    for (const std::string order : {"sorted", "shuffled"}) {
        const std::string run = folder + "/" + order + ".run";
        const std::string qrels = folder + "/qrels";
        measure_command("braid eval, " + order, {braid, "eval", "--qrels", qrels, run, "--measures",
                                                 "map,ndcg@10,p@10,recall@100,mrr"});
        if (trec_eval.empty()) continue;
        measure_command("trec_eval, " + order,
                        {trec_eval, "-c", "-m", "map", "-m", "ndcg_cut.10", "-m", "P.10", "-m",
                         "recall.100", "-m", "recip_rank", qrels, run});
    }
    fs::remove_all(folder);
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
        const double start = own_processor_seconds();
        for (int round = 0; round < rounds; ++round) {
            for (const auto& ranking : rankings) sum += measure->evaluate({ranking, pool}, scale);
        }
        const double each = (own_processor_seconds() - start) / (rounds * kRankings);
        fmt::print("{:<8} {:>5} documents {:>8.1f} ns   (mean {:.4f})\n", name, count, 1e9 * each,
                   sum / (rounds * kRankings));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        fmt::print(stderr, "usage: evaluate BRAID [TREC_EVAL]\n");
        return 2;
    }
    try {
        measure_commands(argv[1], argc > 2 ? argv[2] : "");
        measure_in_process(10);
        measure_in_process(1000);
    } catch (const std::exception& error) {
        fmt::print(stderr, "evaluate: {}\n", error.what());
        return 1;
    }
    return 0;
}
