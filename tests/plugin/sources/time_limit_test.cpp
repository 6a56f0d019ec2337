// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/time_limit.h"

#include <limits>
#include <map>
#include <thread>

#include "braid/plugin/ranking/feedback.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/search/rescored_search.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/similar_documents.h"
#include "braid/plugin/store/keys.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/clustered_corpus.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr int kLimit = 1000;  // Milliseconds.
// Where a machine is too busy for a search to find anything by then, it gets more.
constexpr int kMostLimit = 16 * kLimit;

// Takes longer for the first document than the time limit, which is long enough to get there on a
// loaded machine.
class SlowSpy : public Xapian::MatchSpy {
  public:
    void operator()(const Xapian::Document&, double) override {
        if (seen++ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(kLimit + 100));
    }
    std::size_t seen = 0;
};

// Has all documents, and takes a fiftieth of the limit for each.
class SlowSource final : public Xapian::PostingSource {
  public:
    SlowSource(std::size_t* seen, int limit) : seen_(seen), limit_(limit) {}
    SlowSource* clone() const override { return new SlowSource(seen_, limit_); }
    void init(const Xapian::Database& shard) override {
        documents_ = shard.get_doccount();
        docid_ = 0;
    }
    Xapian::doccount get_termfreq_min() const override { return documents_; }
    Xapian::doccount get_termfreq_est() const override { return documents_; }
    Xapian::doccount get_termfreq_max() const override { return documents_; }
    void next(double) override { move_to(docid_ + 1); }
    void skip_to(Xapian::docid docid, double) override { move_to(docid); }
    bool at_end() const override { return docid_ > documents_; }
    Xapian::docid get_docid() const override { return docid_; }

  private:
    void move_to(Xapian::docid docid) {
        docid_ = docid;
        ++*seen_;
        std::this_thread::sleep_for(std::chrono::milliseconds(limit_ / 50));
    }
    std::size_t* seen_;
    int limit_;
    Xapian::doccount documents_ = 0;
    Xapian::docid docid_ = 0;
};

std::shared_ptr<TimeLimit> past() { return std::make_shared<TimeLimit>(TimeLimit::Clock::now()); }

constexpr std::size_t kDocuments = 2000;
constexpr std::size_t kSlow = 500;  // Where each takes time: ten times the limit in all.

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

TEST_CASE("Time limit: a pass has half of the time that is left, and tells the whole") {
    CHECK(limit_of_pass(nullptr) == nullptr);
    const auto now = TimeLimit::Clock::now();
    const auto whole = std::make_shared<TimeLimit>(now + std::chrono::hours(2));
    const auto pass = limit_of_pass(whole);
    CHECK(pass->end() - now >= std::chrono::hours(1));
    CHECK(pass->end() - now < std::chrono::minutes(61));
    const auto within = std::make_shared<TimeLimit>(now, pass);
    CHECK_FALSE(whole->cut_short());
    CHECK(within->is_over_now());
    CHECK(whole->cut_short());
    CHECK_FALSE(whole->is_over_now());
    CHECK_FALSE(whole->stopped());
}

TEST_CASE(
    "Time limit: first passes for feedback stop, and the search goes on with what they have") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, kSlow, 30);
    for (const char* ranker : {"rm3", "lsa-feedback"}) {
        INFO(ranker);
        FusionModel model;
        model.rankers.push_back({.ranker = ranker});
        std::size_t seen = 0;
        SearchResult found;
        for (int limit = kLimit; found.hits.empty() && limit <= kMostLimit; limit *= 4) {
            seen = 0;
            SearchRequest request{.query = bag_of_words({"w0", "w1", "w7"}), .explain = true};
            request.filter = Xapian::Query((new SlowSource(&seen, limit))->release());
            Searcher searcher(corpus.database(), limited(limit));
            searcher.rank_by(model);
            found = searcher.search(request);
        }
        CHECK_FALSE(found.complete);
        CHECK(found.run.feedback_passes == 1);
        REQUIRE(!found.hits.empty());
        const RankerExplanation& part = found.hits[0].explanation->rankers.back();
        CHECK_THAT(part.note, Catch::Contains("time limit stopped the first pass"));
        // Both passes together look at fewer documents than one of them has.
        CHECK(seen < kSlow);
    }
}

TEST_CASE("Time limit: first passes for features of result lists stop") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 100, 30);
    const Xapian::Database database = corpus.database();
    FusionModel model;
    model.rankers.push_back({.ranker = "lm-dirichlet"});
    SourceRanking sources(database, {}, model, {});
    const auto names = query_feature_names(model, {.lists = true}, sources);
    QueryFeatures features(database, model, {}, names);
    const Xapian::Query query = bag_of_words({"w0", "w1"});
    const QueryFeatures::Values whole = features.of(query, {}, sources);
    CHECK(whole.first_pass > 10);
    const auto limit = past();
    features.stop_at(limit);
    const QueryFeatures::Values stopped = features.of(query, {}, sources);
    CHECK(stopped.first_pass == 0);
    CHECK(stopped.values.size() == whole.values.size());
    CHECK(limit->cut_short());
}

TEST_CASE("Time limit: rescoring that it stops leaves the first pass's order and scores") {
    FusionModel model;
    model.rankers.push_back({.ranker = "lm-dirichlet"});
    const FusionModel plain = model;
    model.normaliser.normaliser = "min-max";
    SearchRequest slow = request(SearchRequest::Path::kFastest);
    slow.explain = true;
    Searcher searcher(database(), limited(kLimit));
    searcher.rank_by(plain);
    std::map<Xapian::docid, double> scores;
    SearchRequest all = slow;
    const SearchResult whole = searcher.search(all);
    REQUIRE(whole.complete);
    for (const SearchHit& hit : whole.hits) scores[hit.docid] = hit.score;
    SlowSpy spy;
    slow.spies = {&spy};
    searcher.rank_by(model);
    const SearchResult found = searcher.search(slow);
    CHECK_FALSE(found.complete);
    CHECK(found.run.rescored == 0);
    CHECK_THAT(found.run.path, Catch::Contains("time limit stopped the rescoring"));
    REQUIRE(!found.hits.empty());
    for (const SearchHit& hit : found.hits) {
        CHECK(hit.score == scores.at(hit.docid));
        CHECK_THAT(hit.explanation->note, Catch::Contains("time limit"));
    }
    // What reaches a least score is not known.
    spy.seen = 0;
    slow.min_score = 1e-9;
    CHECK(searcher.search(slow).hits.empty());
    // The next search is whole.
    slow.spies.clear();
    slow.min_score = 0;
    CHECK(searcher.search(slow).run.rescored > 0);
}

TEST_CASE("Time limit: a first pass that it stops is rescored, and clusters are left") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 300, 30);
    const Xapian::Database database = clustered_database(corpus, 1, 8);
    const CorpusTopics& lsa = corpus.topics("lsa");
    const TopicSlot slot{lsa.id, lsa.record.slot};
    const auto bounded = [&](TimeLimit* limit) {
        FusedCounters counters;
        std::vector<TopicColumn> columns;
        const auto any = std::numeric_limits<std::size_t>::max();
        columns.emplace_back(
            std::make_shared<QueryVector>(corpus.fold("lsa", {"w0", "w3"})),
            topic_model_tag(lsa.id), 1,
            TopicAccess{TopicTable::load(database, slot, lsa.record.header.dimensions, any), {}},
            database, slot.slot, counters);
        SimilarDocuments(columns, TopicFinding{}, 0, counters, limit).find();
        return counters.vectors_bounded;
    };
    CHECK(bounded(nullptr) > 200);
    const auto limit = past();
    CHECK(bounded(limit.get()) == 0);
    CHECK(limit->stopped());

    FusionModel model;
    model.normaliser.normaliser = "min-max";
    const Xapian::Database slow = TopicCorpus(random, kSlow, 30).database();
    std::size_t seen = 0;
    SearchResult found;
    for (int ms = 2 * kLimit; found.hits.empty() && ms <= kMostLimit; ms *= 4) {
        seen = 0;
        SearchRequest request{.query = bag_of_words({"w0", "w1", "w7"})};
        request.filter = Xapian::Query((new SlowSource(&seen, ms))->release());
        Searcher searcher(slow, limited(ms));
        searcher.rank_by(model);
        found = searcher.search(request);
    }
    CHECK_FALSE(found.complete);
    CHECK(found.run.rescored > 0);
    CHECK(seen < kSlow);
}
