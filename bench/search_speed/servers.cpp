// SPDX-License-Identifier: GPL-2.0-or-later
// What a fused search costs over several servers on loopback, beside plain BM25 over the same.
//
// Each database has a server of Xapian's own and a braid-tcpsrv. Xapian's BM25 is asked of the
// first; Ranking, of BM25 and a topic model, of the second, and BM25 of it, too. A query's time is
// the median of its rounds: on the wall clock, which says little on a busy machine, and as the
// processor time of the client and all servers together. Everyone answers it in each round, in
// turns that are shuffled. Making the fused query is part of the time. What the servers answer is
// compared with the databases opened here, to the bit.
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
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
#include "braid/ranking.h"

namespace braid::bench {
namespace {

namespace fs = std::filesystem;

/// A server of one database on a port of this machine alone; it ends with the object.
class StartedServer {
  public:
    StartedServer(const std::string& program, const std::string& database, unsigned port)
        : port_(port) {
        child_ = fork();
        if (child_ == 0) {
            setpgid(0, 0);  // When it is told to end, it tells all of its group.
            // By default a connection without a question for a minute is closed, while the next
            // server still reads its tables.
            become_silent({program, "--quiet", "--timeout", "3600000", "--interface", kHost,
                           "--port", std::to_string(port), database});
        }
        for (int i = 0; i < 600; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            try {
                static_cast<void>(open());
                return;
            } catch (const Xapian::NetworkError&) {
            }
        }
        end();
        throw Error(program + " doesn't come up");
    }
    ~StartedServer() { end(); }
    StartedServer(const StartedServer&) = delete;
    StartedServer& operator=(const StartedServer&) = delete;

    Xapian::Database open() const { return Xapian::Remote::open(kHost, port_); }

    /// Milliseconds of processor time that the processes of its connections have had.
    double processor_milliseconds() const {
        const std::string own = std::to_string(child_);
        std::ifstream list("/proc/" + own + "/task/" + own + "/children");
        double sum = 0;
        for (std::string process; list >> process;) {
            double nanoseconds = 0;
            std::ifstream("/proc/" + process + "/schedstat") >> nanoseconds;
            sum += 1e-6 * nanoseconds;
        }
        return sum;
    }

  private:
    static constexpr char kHost[] = "127.0.0.1";

    void end() const {
        kill(-child_, SIGTERM);
        waitpid(child_, nullptr, 0);
    }

    unsigned port_;
    pid_t child_;
};

struct Contender {
    std::string name;
    Xapian::Database database;
    std::unique_ptr<Ranking> ranking = nullptr;  ///< Nothing: Xapian's BM25.
    std::unique_ptr<Ranking> here = nullptr;     ///< The same on the databases themselves.
    std::vector<std::vector<double>> times = {};
    std::vector<std::vector<double>> processor = {};
};

using Page = std::vector<std::pair<Xapian::docid, double>>;

Page answer(const Xapian::Database& database, Ranking* ranking, const Xapian::Query& query) {
    Xapian::Enquire enquire(database);
    if (ranking != nullptr) {
        ranking->apply(enquire, query);
    } else {
        enquire.set_query(query);
    }
    Page page;
    const Xapian::MSet found = enquire.get_mset(0, 10);
    for (auto hit = found.begin(); hit != found.end(); ++hit) {
        page.emplace_back(*hit, hit.get_weight());
    }
    return page;
}

struct Options : QueryOptions {
    std::string topics = required("TOPIC_MODEL", &topics, "The topic model's name, such as lsa");
    std::vector<std::string> databases =
        required("DATABASES", &databases, "Databases that share a topic model, commas between");
    std::string braid_server =
        option("--braid-tcpsrv", &braid_server, "The server with Braid's classes",
               (fs::read_symlink("/proc/self/exe").parent_path() / "../cli/braid-tcpsrv").string());
    std::string server =
        option("--xapian-tcpsrv", &server, "Xapian's own", "/usr/bin/xapian-tcpsrv");
    std::size_t rounds = option("--rounds", &rounds, "How often each query is asked", 15);
    std::size_t port = option("--port", &port, "The first of as many as there are servers", 7600);
};

class Bench {
  public:
    explicit Bench(const Options& options) {
        auto port = static_cast<unsigned>(options.port);
        Xapian::Database plain;
        Xapian::Database braids;
        for (const std::string& path : options.databases) {
            here_.add_database(Xapian::Database(path));
            servers_.push_back(std::make_unique<StartedServer>(options.server, path, port++));
            plain.add_database(servers_.back()->open());
            servers_.push_back(std::make_unique<StartedServer>(options.braid_server, path, port++));
            braids.add_database(servers_.back()->open());
        }
        print_queries(here_, options);
        queries_ = random_queries(here_, options);
        contenders_.push_back({"Xapian's BM25, xapian-tcpsrv", plain});
        contenders_.push_back({"Xapian's BM25, braid-tcpsrv", braids});
        FusionModel model = bm25_model();
        add("bm25, braid-tcpsrv", braids, model);
        for (const double weight : {5., 20.}) {
            model.rankers.resize(1);
            model.rankers.push_back({.ranker = "lsa", .topics = options.topics, .weight = weight});
            add(fmt::format("bm25 + {} lsa, braid-tcpsrv", weight), braids, model);
        }
        for (Contender& contender : contenders_) {
            contender.times.resize(queries_.size());
            contender.processor.resize(queries_.size());
        }
    }

    void run(std::size_t rounds) {
        in_turns(contenders_, queries_.size(), rounds + 1,
                 [&](Contender& contender, std::size_t query, std::size_t round) {
                     ask(contender, query, round > 0);
                 });
    }

    void print() const {
        fmt::print("\n{} of the pages differ from those of the databases opened here\n",
                   different_);
        std::vector<TwoCosts> costs;
        for (const Contender& contender : contenders_) {
            costs.push_back({contender.name, mean_of_medians(contender.times),
                             mean_of_medians(contender.processor)});
        }
        print_costs("wall clock", "all processors", costs);
    }

  private:
    void add(const std::string& name, const Xapian::Database& braids, const FusionModel& model) {
        auto there = std::make_unique<Ranking>(braids, model);
        auto here = std::make_unique<Ranking>(here_, model);
        contenders_.push_back({name, braids, std::move(there), std::move(here)});
    }

    double all_processors() const {
        double sum = 0;
        for (const auto& server : servers_) sum += server->processor_milliseconds();
        return sum;
    }

    void ask(Contender& contender, std::size_t query, bool counts) {
        const double before = all_processors();
        const double own = thread_milliseconds();
        const double start = wall_seconds();
        const Page page = answer(contender.database, contender.ranking.get(), queries_[query]);
        const double time = 1000 * (wall_seconds() - start);
        const double client = thread_milliseconds() - own;
        if (counts) {
            contender.times[query].push_back(time);
            contender.processor[query].push_back(client + all_processors() - before);
        } else if (contender.here != nullptr) {
            const bool same = page == answer(here_, contender.here.get(), queries_[query]);
            different_ += same ? 0 : 1;
        }
    }

    std::vector<std::unique_ptr<StartedServer>> servers_;
    Xapian::Database here_;
    std::vector<Contender> contenders_;
    std::vector<Xapian::Query> queries_;
    std::size_t different_ = 0;
};

void measure(const Options& options) {
    Bench bench(options);
    bench.run(options.rounds);
    bench.print();
}

}  // namespace

void add_servers(Program& program) {
    program.add("servers", "Fused searches over several servers, beside Xapian's BM25", measure);
}

}  // namespace braid::bench
