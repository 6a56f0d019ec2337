// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/state_follower.h"

#include <thread>
#include <utility>

#include <fmt/format.h>

#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {
namespace {

using Look = FollowedDatabases::Look;
using Clock = std::chrono::steady_clock;

// Shards whose topic models differ for so long were not left so by a retrain that goes on.
constexpr std::chrono::seconds kPublicationPatience{1};
constexpr std::chrono::milliseconds kPublicationPause{50};

}  // namespace

StateFollower::StateFollower(std::unique_ptr<FollowedDatabases> databases,
                             const SearcherOptions& options)
    : databases_(std::move(databases)), options_(options) {
    run("attempts to read how it is searched", [](SearchState&, unsigned) {});
}

void StateFollower::rank_by(const FusionModel& model) {
    run("attempts to prepare a ranking",
        [&](SearchState& state, unsigned) { state.rank_by(model); });
    model_ = model;
    weight_.reset();
}

void StateFollower::rank_by(const Xapian::Weight& weight) {
    state_->rank_by(weight);
    model_.reset();
    weight_.reset(weight.clone());
}

bool StateFollower::refresh() {
    const bool is_newer = is_behind_ || databases_->have_moved(Look::kNow);
    is_behind_ = is_newer;
    if (is_newer) run("attempts to read how it is searched", [](SearchState&, unsigned) {});
    return is_newer && !is_behind_;
}

void StateFollower::refuse_unregistered(const Xapian::Error& error) {
    const std::string& message = error.get_msg();
    if (message.find("not registered") == std::string::npos ||
        message.find("braid") == std::string::npos) {
        return;
    }
    throw Error(fmt::format(
        "the server{} doesn't know Braid's classes ({}); run braid-tcpsrv there, or its "
        "xapian-tcpsrv by braid with (xapian-progsrv can't be taught them)",
        error.get_context().empty() ? "" : " (" + error.get_context() + ")", message));
}

void StateFollower::follow() {
    const bool looks = options_.follows || !databases_->can_reopen();
    if (is_behind_ || (looks && databases_->have_moved(Look::kWhenDue))) open();
}

OpenedDatabases StateFollower::newest() {
    OpenedDatabases newest = databases_->newest();
    if (databases_->is_copy()) {
        if (options_.vectors != nullptr) options_.vectors = options_.vectors->another();
        if (options_.postings != nullptr) options_.postings = options_.postings->another();
    }
    return newest;
}

// After an error: whether there is a newer state.
bool StateFollower::reopen() {
    const bool is_newer = is_behind_ || databases_->have_moved(Look::kNow);
    is_behind_ = true;
    use(newest());
    if (!is_being_published()) return is_newer;
    std::this_thread::sleep_for(kPublicationPause);
    return true;
}

// The newest state, unless its shards are mixed and there is another one yet.
void StateFollower::open() {
    is_behind_ = true;
    const OpenedDatabases opened = newest();
    if (state_ == nullptr || !is_being_published()) use(opened);
}

// Whether the rest of the shards may still follow.
bool StateFollower::is_being_published() {
    const std::string& mixture = databases_->mixture();
    if (mixture.empty()) return false;
    if (mixture != mixture_) {
        mixture_ = mixture;
        mixed_since_ = Clock::now();
    }
    return Clock::now() - mixed_since_ < kPublicationPatience;
}

void StateFollower::use(const OpenedDatabases& opened) {
    auto state = std::make_unique<SearchState>(opened, options_);
    if (weight_ != nullptr) {
        state->rank_by(*weight_);
    } else if (model_) {
        state->rank_by(*model_);
    }  // Else the next search ranks by the databases' own model.
    state_ = std::move(state);
    is_behind_ = false;
}

}  // namespace braid
