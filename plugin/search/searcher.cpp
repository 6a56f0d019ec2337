// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/searcher.h"

#include "braid/plugin/search/search_state.h"
#include "braid/plugin/store/newest_state.h"

namespace braid {
namespace {

// Made in its own name, since g++ 12 warns of uninitialised parts of an unnamed one.
SearcherOptions default_options() {
    SearcherOptions options;
    return options;
}

}  // namespace

Searcher::Searcher(const Xapian::Database& database) : Searcher(database, default_options()) {}
Searcher::Searcher(const Xapian::Database& database, const SearcherOptions& options) {
    Xapian::Database newest = database;
    SearcherOptions with_newest = options;
    const auto reopen = [&] { return reopen_all(newest, with_newest.sidecars); };
    state_ = on_newest_state("tries to read how it is searched", reopen, [&](unsigned) {
        return std::make_unique<SearchState>(newest, with_newest);
    });
}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

void Searcher::rank_by(const FusionModel& model) {
    on_newest_state(
        "tries to prepare a ranking", [&] { return state_->reopen(); },
        [&](unsigned) { state_->rank_by(model); });
}
void Searcher::rank_by(const Xapian::Weight& weight) { state_->rank_by(weight); }

SearchResult Searcher::search(const SearchRequest& request) {
    return on_newest_state(
        "searches", [&] { return state_->reopen(); },
        [&](unsigned reopened) {
            SearchResult result = state_->run(request);
            result.reopened = reopened;
            return result;
        });
}

Xapian::Query Searcher::bag_of_words(const std::string& text) {
    return state_->planner.bag_of_words(text);
}

const Xapian::Database& Searcher::database() const { return state_->database; }
const IndexSettings& Searcher::index_settings() const { return state_->settings; }

}  // namespace braid
