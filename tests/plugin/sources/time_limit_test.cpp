// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/time_limit.h"

#include <map>
#include <thread>

#include "braid/plugin/search/searcher.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr int kLimit = 1000;  // Milliseconds.

// Takes longer for the first document than the time limit, which is long enough to get there on a
// loaded machine.
class SlowSpy : public Xapian::MatchSpy {
  public:
    void operator()(const Xapian::Document&, double) override {
        if (seen++ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(kLimit + 100));
    }
    std::size_t seen = 0;
};

constexpr std::size_t kDocuments = 2000;

Xapian::Database database() {
    Random random(seed(), 1);
    return RandomCorpus(random, kDocuments, 20, 30).database();
}

SearcherOptions limited(std::size_t milliseconds) {
    SearcherOptions options;
    options.limits.time = milliseconds;
    return options;
}

SearchRequest request(SearchRequest::Path path) {
    SearchRequest request;
    request.query = bag_of_words({"w0", "w1", "w7"});
    request.count = kDocuments;
    request.path = path;
    return request;
}

}  // namespace

TEST_CASE("Time limit: it is over once its end has come, and stays so") {
    using Clock = TimeLimit::Clock;
    TimeLimit past(Clock::now());
    CHECK_FALSE(past.stopped());
    CHECK(past.is_over());
    CHECK(past.stopped());
    TimeLimit future(Clock::now() + std::chrono::hours(1));
    for (int i = 0; i < 100; ++i) CHECK_FALSE(future.is_over());
    CHECK_FALSE(future.stopped());
}

TEST_CASE("Time limit: a search that is stopped has exact scores of what it saw, and says so") {
    for (const auto path : {SearchRequest::Path::kPruned, SearchRequest::Path::kPlain}) {
        Searcher whole(database());
        const SearchResult all = whole.search(request(path));
        REQUIRE(all.complete);
        std::map<Xapian::docid, double> scores;
        for (const SearchHit& hit : all.hits) scores[hit.docid] = hit.score;

        SlowSpy spy;
        SearchRequest slow = request(path);
        slow.spies = {&spy};
        Searcher searcher(database(), limited(kLimit));
        const SearchResult some = searcher.search(slow);
        CHECK_FALSE(some.complete);
        CHECK(some.run.pruned == (path == SearchRequest::Path::kPruned));
        REQUIRE(!some.hits.empty());
        CHECK(some.hits.size() < all.hits.size() / 2);
        CHECK(some.hits.size() == spy.seen);
        CHECK(some.matches_at_least <= some.hits.size());
        CHECK(some.matches_at_most >= all.hits.size());
        double last = some.hits.front().score;
        for (const SearchHit& hit : some.hits) {
            CHECK(hit.score == scores.at(hit.docid));
            CHECK(hit.score <= last);
            last = hit.score;
        }
        // The next search has its own time.
        spy.seen = 0;
        const SearchResult next = searcher.search(slow);
        CHECK_FALSE(next.complete);
        CHECK_FALSE(next.hits.empty());
    }
}

TEST_CASE("Time limit: a search that ends in time is the same as without") {
    for (const auto path : {SearchRequest::Path::kPruned, SearchRequest::Path::kPlain}) {
        const SearchResult without = Searcher(database()).search(request(path));
        const SearchResult with = Searcher(database(), limited(3'600'000)).search(request(path));
        CHECK(with.complete);
        CHECK(with.matches == without.matches);
        REQUIRE(with.hits.size() == without.hits.size());
        for (std::size_t i = 0; i < with.hits.size(); ++i) {
            CHECK(with.hits[i].docid == without.hits[i].docid);
            CHECK(with.hits[i].score == without.hits[i].score);
            CHECK(with.hits[i].terms == without.hits[i].terms);
        }
    }
}

TEST_CASE("Time limit: a source with one can't be sent to a remote database") {
    const auto limit = std::make_shared<TimeLimit>(TimeLimit::Clock::now());
    CHECK_THROWS_AS(TimeLimitSource(limit).serialise(), Xapian::UnimplementedError);
    FusedSource source;
    CHECK_NOTHROW(source.serialise());
    source.stop_at(limit);
    CHECK_THROWS_AS(source.serialise(), Xapian::UnimplementedError);
}
