// SPDX-License-Identifier: GPL-2.0-or-later
// Ranks one page of a program's search at a time. It is loaded into programs that know nothing of
// it: whatever fails here, the program's own ranking runs as if Braid weren't there.
#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/base/text.h"
#include "braid/core/model/fusion.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/ranking.h"
#include "braid/sources.h"
#include "braid/with/layers.h"
#include "braid/with/server_tables.h"

namespace braid::with {
namespace {

// What the preloaded library takes for granted.
static_assert(sizeof(Xapian::Enquire) == sizeof(void*));
static_assert(sizeof(Xapian::Database) <= 64);
static_assert(std::is_polymorphic_v<Xapian::Database>);

/// What the Rankings of the process share.
struct Shared {
    const Preloaded* preloaded = nullptr;
    std::mutex lock;
    std::shared_ptr<const FusionModel> model;  ///< The one of BRAID_WITH_MODEL.
    /// Tables for each database that was opened, whose copies have the same internals.
    std::map<const void*, RankingSetup> setups;
    std::atomic<int> searches = 0;  ///< How many run now.
    /// How many forks there were while a search ran. What the child has of it may be locked for
    /// ever.
    unsigned forks = 0;
};

Shared& shared() {
    static Shared& all = *new Shared;  // Never ended: the program's Enquires may end after it.
    return all;
}

/// While it lives, the thread's calls of Xapian's functions are Braid's own.
class Inside {
  public:
    Inside() : flag_(shared().preloaded->is_inside()), before_(std::exchange(*flag_, true)) {}
    ~Inside() { *flag_ = before_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    bool* flag_;
    bool before_;
};

/// While it lives, a search runs.
class Running {
  public:
    Running() { ++shared().searches; }
    ~Running() { --shared().searches; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
};

/// What an Enquire has of Braid.
struct State {
    std::unique_ptr<Ranking> ranking;
    unsigned forks = shared().forks;
    unsigned queries = 0;
    /// Why the program's own ranking has all pages of the query of that number; "" if it hasn't.
    std::string refusal;
};

/// By the library that is beside this one.
FusionModel load_file(const std::string& name) {
    static constexpr char kFile[] = "libbraid-with-models.so";
    Dl_info self{};
    if (dladdr(reinterpret_cast<void*>(&load_file), &self) == 0) throw Error("no path");
    std::string path = self.dli_fname;
    path.replace(path.rfind('/') + 1, std::string::npos, kFile);
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    void* const function = library == nullptr ? nullptr : dlsym(library, kModelFunction);
    if (function == nullptr) {
        const char* const error = dlerror();
        throw Error(error == nullptr ? "no models can be read" : error);
    }
    FusionModel model;
    reinterpret_cast<ModelFunction>(function)(name.c_str(), model);
    return model;
}

FusionModel read_model(const std::string& name) {
    if (model_rankers().contains(name)) return {.rankers = {{.ranker = name}}};
    return load_file(name);
}

std::shared_ptr<const FusionModel> named_model(const char* name) {
    const std::lock_guard<std::mutex> held(shared().lock);
    if (shared().model == nullptr) {
        shared().model = std::make_shared<const FusionModel>(read_model(name));
    }
    return shared().model;
}

/// Programs make an Enquire for each search, so tables outlive it. They are told apart by shard and
/// revision; by the database's internals, too, since a copy of its files has the same.
RankingSetup setup_for(const Xapian::Database& database) {
    constexpr std::size_t kMostDatabases = 16;
    const void* const internals = internals_of(database);
    if (internals == nullptr) return {};
    const std::lock_guard<std::mutex> held(shared().lock);
    if (shared().setups.size() == kMostDatabases) shared().setups.clear();
    return shared().setups.emplace(internals, RankingSetup()).first->second;
}

std::vector<std::string> lines_of(const char* text) {
    std::vector<std::string> lines;
    std::istringstream in(text == nullptr ? "" : text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Those of BRAID_WITH_SIDECARS that were made for the database, one for each shard, or none.
std::vector<Xapian::Database> sidecars_of(const Xapian::Database& database) {
    std::vector<Xapian::Database> all;
    for (const std::string& folder : lines_of(shared().preloaded->sidecars)) {
        all.emplace_back(folder);
    }
    std::vector<Xapian::Database> found;
    if (all.empty()) return found;
    for (const std::string& uuid : shard_uuids(database)) {
        const Xapian::Database* const sidecar = find_sidecar(all, uuid);
        if (sidecar == nullptr) return {};
        found.push_back(*sidecar);
    }
    return found;
}

std::unique_ptr<Ranking> make_ranking(const Xapian::Database& database) {
    const char* const model = shared().preloaded->model;
    RankingSetup setup = setup_for(database);
    setup.sidecars = sidecars_of(database);
    if (model == nullptr) return std::make_unique<Ranking>(database, setup);
    return std::make_unique<Ranking>(database, *named_model(model), setup);
}

/// Whether the program has set a query of Braid's own.
bool is_braids(const Xapian::Query& query) {
    return has_part(query, [](const Xapian::Query& part) {
        return part.get_type() == Xapian::Query::LEAF_POSTING_SOURCE &&
               part.get_description().find("braid::") != std::string::npos;
    });
}

/// Runs `work`. Returns why it failed; "" if it didn't. All of Braid's errors are
/// std::runtime_error or std::logic_error. Those of callbacks in other languages aren't, and go on
/// to the program.
template <typename Work>
std::string problem_of(const Work& work) {
    try {
        work();
        return "";
    } catch (const Xapian::Error& error) {
        return error.get_description();
    } catch (const std::bad_alloc&) {
        return "out of memory";
    } catch (const std::runtime_error& error) {
        return error.what();
    } catch (const std::logic_error& error) {
        return error.what();
    }
}

void set_scheme(Xapian::Enquire& enquire, const Search& search) {
    const Xapian::BM25Weight standard;
    if (search.bm25 == nullptr) return enquire.set_weighting_scheme(standard);
    const std::unique_ptr<Xapian::Weight> scheme(
        standard.unserialise(std::string(search.bm25, search.bm25_size)));
    enquire.set_weighting_scheme(*scheme);
}

/// While it lives, an Enquire may have a fused query. Then it has its own again.
class Fused {
  public:
    Fused(const Search& search, Xapian::Enquire& enquire)
        : search_(search), enquire_(enquire), query_(enquire.get_query()) {}
    ~Fused() {
        const Inside inside;
        static_cast<void>(problem_of([&] {
            enquire_.set_query(query_, search_.length);
            set_scheme(enquire_, search_);
        }));
    }
    Fused(const Fused&) = delete;
    Fused& operator=(const Fused&) = delete;

    RankedQuery apply(State& state) {
        const Inside inside;
        if (state.ranking == nullptr) state.ranking = make_ranking(*search_.database);
        return state.ranking->apply(enquire_, query_);
    }

  private:
    const Search& search_;
    Xapian::Enquire& enquire_;
    const Xapian::Query query_;
};

/// The arguments of get_mset.
struct Page {
    Xapian::Enquire& enquire;
    Xapian::doccount first;
    Xapian::doccount count;
    Xapian::doccount check_at_least;
    const Xapian::RSet* relevant;
    const Xapian::MatchDecider* decider;
    GetMset xapians;

    Xapian::MSet run(Xapian::doccount check = 0) const {
        return xapians(&enquire, first, count, std::max(check, check_at_least), relevant, decider);
    }
    void log(const char* what, const std::string& how) const {
        if (!shared().preloaded->logs) return;
        const std::string query = visible(enquire.get_query().get_description());
        shared().preloaded->log(what, visible(how).c_str(), query.c_str());
    }
};

/// Returns why the model doesn't rank the page; "" if `result` is that page by the model.
std::string rank(const Search& search, State& state, const Page& page, Xapian::MSet& result) {
    if (!state.refusal.empty()) return state.refusal;
    if (page.relevant != nullptr && !page.relevant->empty()) return "a relevance set is given";
    std::string how;
    std::string why_not;
    const std::string problem = problem_of([&] {
        if (is_braids(page.enquire.get_query())) {
            why_not = "the program ranks by Braid itself";
            return;
        }
        Fused fused(search, page.enquire);
        const RankedQuery ranked = fused.apply(state);
        why_not = ranked.why_not_fused;
        how = ranked.run.path;
        if (why_not.empty()) result = page.run(ranked.check_at_least);
    });
    if (problem.empty() && why_not.empty()) page.log("ranked", how);
    return problem.empty() ? why_not : problem;
}

/// Another thread of the parent may have been changing the ranking's tables: they are neither used
/// nor ended.
void leave_to_parent(State& state) {
    if (std::exchange(state.forks, shared().forks) == shared().forks) return;
    static_cast<void>(state.ranking.release());
}

State& state_of(Search& search) {
    if (search.state == nullptr) search.state = new State;
    State& state = *static_cast<State*>(search.state);
    leave_to_parent(state);
    if (std::exchange(state.queries, search.queries) != search.queries) state.refusal.clear();
    return state;
}

Xapian::MSet get_mset(Search* search, const Xapian::Enquire* enquire, unsigned first,
                      unsigned count, unsigned check_at_least, const Xapian::RSet* relevant,
                      const Xapian::MatchDecider* decider, GetMset xapians) {
    const Page page{const_cast<Xapian::Enquire&>(*enquire),
                    first,
                    count,
                    check_at_least,
                    relevant,
                    decider,
                    xapians};
    if (enquire->get_query().empty()) return page.run();
    const Running running;
    State& state = state_of(*search);
    Xapian::MSet result;
    const std::string why = rank(*search, state, page, result);
    if (why.empty()) return result;
    result = page.run();  // If this throws, too, the query has no page yet that others follow.
    if (relevant == nullptr || relevant->empty()) state.refusal = why;
    page.log("untouched", why);
    return result;
}

void end(void* state) {
    const Inside inside;
    const std::unique_ptr<State> ended(static_cast<State*>(state));
    leave_to_parent(*ended);
}

void register_classes(Xapian::Registry* registry) {
    const Inside inside;
    const char* const served = shared().preloaded->served;
    const std::string problem = problem_of([&] {
        if (served == nullptr) return register_all(*registry, load_file);
        register_with_tables(*registry, lines_of(served), load_file);
    });
    if (problem.empty()) return;
    shared().preloaded->log("not in memory", visible(problem).c_str(), nullptr);
}

// A child that is forked while another thread holds the lock would wait for it for ever.
void before_fork() { shared().lock.lock(); }
void after_fork() { shared().lock.unlock(); }

void after_fork_in_child() {
    Shared& all = shared();
    if (all.searches > 0) {
        static_cast<void>(new std::map(std::move(all.setups)));  // As in leave_to_parent.
        all.setups.clear();
        all.searches = 0;
        ++all.forks;
    }
    all.lock.unlock();
}

}  // namespace
}  // namespace braid::with

extern "C" __attribute__((visibility("default"))) const braid::with::Ranker* braid_with_ranker(
    const braid::with::Preloaded* preloaded) {
    using namespace braid::with;
    static constexpr Ranker kRanker = {get_mset, end, register_classes};
    const std::string problem = problem_of([&] {
        shared().preloaded = preloaded;
        // Made now, while no fork can be: the child of a fork would wait for ever for one that
        // another thread's first search is making.
        static_cast<void>(braid::model_rankers());
        static_cast<void>(braid::fusion_methods());
        static_cast<void>(braid::normalisers());
    });
    if (!problem.empty() || pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0) {
        return nullptr;
    }
    return &kRanker;
}
