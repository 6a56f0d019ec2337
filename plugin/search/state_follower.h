// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <xapian.h>

#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/search/search_state.h"
#include "braid/plugin/store/newest_state.h"
#include "braid/searcher.h"

namespace braid {

/// The state that Searcher and Ranking work on, and what leads from one to the next. For one
/// thread.
///
///     have_moved? --no--> work on this state --outrun--> newest state, work again
///         |yes                                            (handles: to the caller)
///     newest state --mixed--> this state a second longer
///         |whole
///     all that was read from the former state is dropped at once
class StateFollower {
  private:
    // First, since its body says what it returns.
    template <typename Work>
    auto run_on_handles(Work& work) {
        follow();
        try {
            return work(*state_, 0U);
        } catch (const ModelMismatch&) {
            // The owner may have reopened them since they were last looked at.
            if (!databases_->have_moved(FollowedDatabases::Look::kNow)) throw;
        } catch (const Xapian::InvalidOperationError&) {
            // So a source meets a shard without the former state's topics.
            if (!databases_->have_moved(FollowedDatabases::Look::kNow)) throw;
        }
        open();
        return work(*state_, 0U);
    }

  public:
    StateFollower(std::unique_ptr<FollowedDatabases> databases, const SearcherOptions& options);

    /// What `work(state, reopened)` returns on the state that is the one to use now.
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
        } catch (const Xapian::Error& error) {
            is_behind_ = true;  // A connection that was lost is made anew.
            refuse_unregistered(error);
            throw;
        }
    }

    SearchState& state() { return *state_; }
    const Limits& limits() const { return options_.limits; }

    void rank_by(const FusionModel& model);
    void rank_by(const Xapian::Weight& weight);

    bool refresh();

  private:
    /// Throws Error for what a server says that doesn't know Braid's classes.
    static void refuse_unregistered(const Xapian::Error& error);
    void follow();
    OpenedDatabases newest();
    bool reopen();
    void open();
    bool is_being_published();
    void use(const OpenedDatabases& opened);

    std::unique_ptr<FollowedDatabases> databases_;
    SearcherOptions options_;
    std::optional<FusionModel> model_;        ///< What the caller ranks by, if it
    std::unique_ptr<Xapian::Weight> weight_;  ///< isn't the databases' own model.
    std::unique_ptr<SearchState> state_;
    bool is_behind_ = true;  ///< Whether `state_` is to be replaced before the next work.
    std::string mixture_;    ///< The last one that was found,
    std::chrono::steady_clock::time_point mixed_since_;  ///< and when it first was.
};

}  // namespace braid
