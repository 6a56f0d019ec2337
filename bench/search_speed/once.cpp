// SPDX-License-Identifier: GPL-2.0-or-later
// What a process costs that opens a database, searches it once and ends: one_search.cpp, beside the
// same by Xapian alone. The database is copied for each model, which is installed in the copy, and
// the copy gets its table file, as `braid adopt` makes it, unless the name says otherwise.
//
// "Open and search" is the processor time between the first and the last call, as the process
// itself has it; "process" all that it took, with loading libraries and ending. A query's time is
// the median of its rounds; everyone runs it in each round, in turns that are shuffled. The first
// round, which reads files that are not in memory yet, doesn't count.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/processes.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/search_speed/contests.h"
#include "braid/bench/search_speed/random_queries.h"
#include "braid/bench/search_speed/searched_models.h"
#include "braid/error.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/table_file.h"

namespace braid::bench {
namespace {

namespace fs = std::filesystem;

struct Cost {
    double search = 0;   // Microseconds.
    double process = 0;  // The same.
    std::string found;
};

double microseconds(const timeval& time) {
    return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec);
}

Cost run(std::vector<std::string> words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string output(4096, '\0');
    const ssize_t size = failed != 0 ? 0 : read(ends[0], output.data(), output.size());
    close(ends[0]);
    int status = 0;
    rusage usage{};
    if (failed != 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        throw Error(words[0] + " failed");
    }
    output.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    const std::size_t space = std::min(output.find(' '), output.size());
    return {std::strtod(output.c_str(), nullptr),
            microseconds(usage.ru_utime) + microseconds(usage.ru_stime), output.substr(space)};
}

struct Contender {
    std::string name;
    std::vector<std::string> call;
    std::vector<std::vector<double>> searches = {};   // By query.
    std::vector<std::vector<double>> processes = {};  // The same.
};

struct Options : TopicQueryOptions {
    std::size_t rounds = option("--rounds", &rounds, "How often each query is run", 9);
    std::string programs =
        option("--programs", &programs, "The folder of one_search and one_search_xapian",
               fs::read_symlink("/proc/self/exe").parent_path().string());
    std::string only = option("--only", &only, "Only the contender of this name");
};

class Bench {
  public:
    explicit Bench(const Options& options) : options_(options) {
        add("Xapian's BM25", {}, "one_search_xapian");
        FusionModel model = bm25_model();
        add("bm25", model, "one_search");
        add("bm25, no table file", model, "one_search", false);
        for (const double weight : {5., 20.}) {
            model.rankers.resize(1);
            model.rankers.push_back({.ranker = "lsa", .topics = options.topics, .weight = weight});
            const std::string name = fmt::format("bm25 + {} lsa", weight);
            add(name, model, "one_search");
            add(name + ", no table file", model, "one_search", false);
        }
        const Xapian::Database database(options.database);
        print_queries(database, options);
        for (const Xapian::Query& query : random_queries(database, options)) {
            queries_.emplace_back(query.get_terms_begin(), query.get_terms_end());
        }
    }

    void run_all() {
        in_turns(contenders_, queries_.size(), options_.rounds + 1,
                 [&](Contender& contender, std::size_t query, std::size_t round) {
                     time(contender, query, round > 0);
                 });
    }

    void print() const {
        std::vector<TwoCosts> costs;
        for (const Contender& contender : contenders_) {
            costs.push_back({contender.name, mean_of_medians(contender.searches) / 1000,
                             mean_of_medians(contender.processes) / 1000});
        }
        print_costs("open and search", "process", costs);
    }

  private:
    void add(const std::string& name, const FusionModel& model, const std::string& program,
             bool has_table_file = true) {
        if (!options_.only.empty() && options_.only != name) return;
        const std::string copy = folder_.path(std::to_string(contenders_.size()));
        fs::copy(options_.database, copy);
        Xapian::WritableDatabase database(copy);
        store_fusion_model(database, model);
        database.close();
        if (has_table_file) write_table_files({copy}, TableFiles::kMake);
        contenders_.push_back({name, {options_.programs + "/" + program, copy}});
    }

    void time(Contender& contender, std::size_t query, bool counts) {
        std::vector<std::string> call = contender.call;
        call.insert(call.end(), queries_[query].begin(), queries_[query].end());
        const Cost cost = run(call);
        if (!counts) return;
        contender.searches.resize(queries_.size());
        contender.processes.resize(queries_.size());
        contender.searches[query].push_back(cost.search);
        contender.processes[query].push_back(cost.process);
    }

    const Options& options_;
    TemporaryFolder folder_;
    std::vector<Contender> contenders_;
    std::vector<std::vector<std::string>> queries_;
};

void measure(const Options& options) {
    Bench bench(options);
    bench.run_all();
    bench.print();
}

}  // namespace

void add_once(Program& program) {
    program.add("once", "A process that opens, searches once and ends, beside Xapian alone",
                measure);
}

}  // namespace braid::bench
