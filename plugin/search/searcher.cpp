// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/searcher.h"

#include <chrono>
#include <thread>
#include <utility>

#include "braid/core/base/error.h"
#include "braid/plugin/search/search_state.h"
#include "braid/plugin/store/newest_state.h"

namespace braid {
namespace {

using Look = FollowedDatabases::Look;
using Clock = std::chrono::steady_clock;

// Shards whose topic models differ for so long were not left so by a retrain that goes on.
constexpr std::chrono::seconds kPublicationPatience{1};
constexpr std::chrono::milliseconds kPublicationPause{50};

// Made in its own name, since g++ 12 warns of uninitialised parts of an unnamed one.
SearcherOptions default_options() {
    SearcherOptions options;
    return options;
}

// Null where there is none.
std::shared_ptr<TimeLimit> time_limit(const Limits& limits) {
    if (limits.time == 0) return nullptr;
    return std::make_shared<TimeLimit>(TimeLimit::Clock::now() +
                                       std::chrono::milliseconds(limits.time));
}

}  // namespace

/// The state that is searched, and what leads from one to the next.
///
///     have_moved? --no--> search on this state --outrun--> newest state, search again
///         |yes                                              (handles: to the caller)
///     newest state --mixed--> this state a second longer
///         |whole
///     all that was read from the former state is dropped at once
class Searcher::Follower {
  private:
    // First, since its body says what it returns.
    template <typename Work>
    auto run_on_handles(Work& work) {
        follow();
        try {
            return work(*state_, 0U);
        } catch (const ModelMismatch&) {
            // The owner may have reopened them since they were last looked at.
            if (!databases_->have_moved(Look::kNow)) throw;
        }
        open();
        return work(*state_, 0U);
    }

  public:
    /// What `work(state, reopened)` returns on the state that is to be searched now.
    template <typename Work>
    auto run(const std::string& tries, Work&& work) {
        try {
            if (!databases_->can_reopen()) return run_on_handles(work);
            return on_newest_state(
                tries, [&] { return reopen(); },
                [&](unsigned reopened) {
                    if (reopened == 0) follow();
                    return work(*state_, reopened);
                });
        } catch (const Xapian::Error&) {
            is_behind_ = true;  // A connection that was lost is made anew.
            throw;
        }
    }

    Follower(std::unique_ptr<FollowedDatabases> databases, const SearcherOptions& options)
        : databases_(std::move(databases)), options_(options) {
        run("attempts to read how it is searched", [](SearchState&, unsigned) {});
    }

    SearchState& state() { return *state_; }
    const Limits& limits() const { return options_.limits; }

    void rank_by(const FusionModel& model) {
        run("attempts to prepare a ranking",
            [&](SearchState& state, unsigned) { state.rank_by(model); });
        model_ = model;
        weight_.reset();
    }

    void rank_by(const Xapian::Weight& weight) {
        state_->rank_by(weight);
        model_.reset();
        weight_.reset(weight.clone());
    }

    bool refresh() {
        const bool is_newer = is_behind_ || databases_->have_moved(Look::kNow);
        is_behind_ = is_newer;
        if (is_newer) run("attempts to read how it is searched", [](SearchState&, unsigned) {});
        return is_newer && !is_behind_;
    }

  private:
    void follow() {
        const bool looks = options_.follows || !databases_->can_reopen();
        if (is_behind_ || (looks && databases_->have_moved(Look::kWhenDue))) open();
    }

    OpenedDatabases newest() {
        OpenedDatabases newest = databases_->newest();
        if (databases_->is_copy()) {
            if (options_.vectors != nullptr) options_.vectors = options_.vectors->another();
            if (options_.postings != nullptr) options_.postings = options_.postings->another();
        }
        return newest;
    }

    // After an error: whether there is a newer state.
    bool reopen() {
        const bool is_newer = is_behind_ || databases_->have_moved(Look::kNow);
        is_behind_ = true;
        use(newest());
        if (!is_being_published()) return is_newer;
        std::this_thread::sleep_for(kPublicationPause);
        return true;
    }

    // The newest state, unless its shards are mixed and there is another one yet.
    void open() {
        is_behind_ = true;
        const OpenedDatabases opened = newest();
        if (state_ == nullptr || !is_being_published()) use(opened);
    }

    // Whether the rest of the shards may still follow.
    bool is_being_published() {
        const std::string& mixture = databases_->mixture();
        if (mixture.empty()) return false;
        if (mixture != mixture_) {
            mixture_ = mixture;
            mixed_since_ = Clock::now();
        }
        return Clock::now() - mixed_since_ < kPublicationPatience;
    }

    void use(const OpenedDatabases& opened) {
        auto state = std::make_unique<SearchState>(opened, options_);
        if (weight_ != nullptr) {
            state->rank_by(*weight_);
        } else if (model_) {
            state->rank_by(*model_);
        }  // Else the next search ranks by the databases' own model.
        state_ = std::move(state);
        is_behind_ = false;
    }

    std::unique_ptr<FollowedDatabases> databases_;
    SearcherOptions options_;
    std::optional<FusionModel> model_;        ///< What the caller ranks by, if it
    std::unique_ptr<Xapian::Weight> weight_;  ///< isn't the databases' own model.
    std::unique_ptr<SearchState> state_;
    bool is_behind_ = true;          ///< Whether `state_` is to be replaced before the next search.
    std::string mixture_;            ///< The last one that was found,
    Clock::time_point mixed_since_;  ///< and when it first was.
};

Searcher::Searcher(const std::string& path) : Searcher(SearchPaths{{path}}) {}
Searcher::Searcher(const SearchPaths& paths) : Searcher(paths, default_options()) {}
Searcher::Searcher(const SearchPaths& paths, const SearcherOptions& options) {
    if (!options.sidecars.empty()) {
        throw InvalidArgument(
            "a Searcher opened by path has its sidecars by path, too: SearchPaths::sidecars");
    }
    follower_ = std::make_unique<Follower>(follow_paths(paths), options);
}
Searcher::Searcher(const Xapian::Database& database) : Searcher(database, default_options()) {}
Searcher::Searcher(const Xapian::Database& database, const SearcherOptions& options)
    : follower_(std::make_unique<Follower>(follow_handles({database, options.sidecars}), options)) {
}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

void Searcher::rank_by(const FusionModel& model) { follower_->rank_by(model); }
void Searcher::rank_by(const Xapian::Weight& weight) { follower_->rank_by(weight); }

SearchResult Searcher::search(const SearchRequest& request) {
    const std::shared_ptr<TimeLimit> limit = time_limit(follower_->limits());
    return follower_->run("searches", [&](SearchState& state, unsigned reopened) {
        SearchResult result = state.run(request, limit);
        result.reopened = reopened;
        if (limit != nullptr && limit->stopped()) {
            result.complete = false;
            result.matches_at_most = state.database.get_doccount();
        }
        return result;
    });
}

bool Searcher::refresh() { return follower_->refresh(); }

Xapian::Query Searcher::bag_of_words(const std::string& text) {
    return follower_->state().planner.bag_of_words(text);
}

const Xapian::Database& Searcher::database() const { return follower_->state().database; }
const IndexSettings& Searcher::index_settings() const { return follower_->state().settings; }

}  // namespace braid
