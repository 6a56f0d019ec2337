// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/searcher.h"

#include <chrono>
#include <utility>

#include "braid/error.h"
#include "braid/plugin/search/state_follower.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {
namespace {

// Made in its own name, since g++ 12 warns of uninitialised parts of an unnamed one.
SearcherOptions default_options() {
    SearcherOptions options;
    return options;
}

VectorTables::When when_read(bool at_once) {
    return at_once ? VectorTables::When::kFirst : VectorTables::When::kWorthIt;
}

// Null where there is none.
std::shared_ptr<TimeLimit> time_limit(const Limits& limits) {
    if (limits.time == 0) return nullptr;
    return std::make_shared<TimeLimit>(TimeLimit::Clock::now() +
                                       std::chrono::milliseconds(limits.time));
}

}  // namespace

std::shared_ptr<VectorTables> new_vector_tables(std::size_t most_bytes, bool at_once) {
    return std::make_shared<VectorTables>(most_bytes, when_read(at_once));
}

std::shared_ptr<PostingTables> new_posting_tables(std::size_t most_bytes, bool at_once) {
    return std::make_shared<PostingTables>(most_bytes, when_read(at_once));
}

Searcher::Searcher(const std::string& path) : Searcher(SearchPaths{{path}}) {}
Searcher::Searcher(const SearchPaths& paths) : Searcher(paths, default_options()) {}
Searcher::Searcher(const SearchPaths& paths, const SearcherOptions& options) {
    if (!options.sidecars.empty()) {
        throw InvalidArgument(
            "a Searcher opened by path has its sidecars by path, too: SearchPaths::sidecars");
    }
    follower_ = std::make_unique<StateFollower>(follow_paths(paths), options);
}
Searcher::Searcher(const Xapian::Database& database) : Searcher(database, default_options()) {}
Searcher::Searcher(const Xapian::Database& database, const SearcherOptions& options)
    : follower_(
          std::make_unique<StateFollower>(follow_handles({database, options.sidecars}), options)) {}
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
        if (limit != nullptr && limit->cut_short()) {
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
