// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/candidate_pool.h"

#include <algorithm>
#include <set>

#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;
using Candidates = SearchSettings::Candidates;
using Source = PoolOptions::Source;

namespace {

using Docids = std::vector<Xapian::docid>;

Docids list_of(const Xapian::Database& database, const FusionModel& model, const Query& query) {
    Searcher searcher(database);
    searcher.rank_by(model);
    Docids docids;
    for (const SearchHit& hit : searcher.search(request_of(query)).hits)
        docids.push_back(hit.docid);
    return docids;
}

// The lists read in turn, by the definition.
Docids in_turn(const std::vector<Docids>& lists, std::size_t size) {
    Docids chosen;
    for (std::size_t rank = 0; rank < 1000; ++rank) {
        for (const Docids& list : lists) {
            if (rank >= list.size() || chosen.size() == size) continue;
            if (std::find(chosen.begin(), chosen.end(), list[rank]) == chosen.end()) {
                chosen.push_back(list[rank]);
            }
        }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

}  // namespace

TEST_CASE("Candidate pool: the rankers' own lists are read in turn", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 150, 30, VectorCoding::kSigned8, TopicCorpus::kIntact);
    FusionModel model{.rankers = {{.ranker = "bm25", .weight = 5},
                                  {.ranker = "lm-absdiscount", .weight = 1},
                                  {.ranker = "tf", .weight = 0},
                                  {.ranker = "lsa", .weight = 0.1},
                                  {.ranker = "tf-share"}}};
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        for (const Xapian::doccount size : {1U, 2U, 20U, 500U}) {
            CandidatePool pool(database, model, {.size = size}, {});
            const Query query = bag_of_words(corpus.corpus().random_words(random, 3));
            std::vector<Docids> lists;
            for (const std::size_t i : {0U, 3U, 4U}) {
                RankerSpec alone = model.rankers[i];
                alone.weight = 1;
                lists.push_back(list_of(database, {.rankers = {alone}}, query));
            }
            CHECK(pool.find(query) == in_turn(lists, size));
        }
    }
}

TEST_CASE("Candidate pool: the top of the model's list") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 150, 20, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database(2);
    const FusionModel model = bm25_and_lsa(4);
    CandidatePool pool(database, model, {.size = 25, .source = Source::kModel}, {});
    const Query query = bag_of_words({"w0", "w7"});
    Docids list = list_of(database, model, query);
    REQUIRE(list.size() > 25);
    list.resize(25);
    std::sort(list.begin(), list.end());
    CHECK(pool.find(query) == list);
    CHECK(list != in_turn({list_of(database, {}, query)}, 25));
}

TEST_CASE("Candidate pool: without a size it is all that match, or all there are") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 90, 30, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database(2);
    const PoolOptions everything{.size = 0};
    const Query query = bag_of_words({"w3", "w4"});
    Docids matching;
    Docids all;
    for (Xapian::docid docid = 1; docid <= 90; ++docid) {
        const auto& words = corpus.corpus().words(docid);
        all.push_back(docid);
        if (std::count(words.begin(), words.end(), "w3") > 0 ||
            std::count(words.begin(), words.end(), "w4") > 0) {
            matching.push_back(docid);
        }
    }
    CHECK(CandidatePool(database, {}, everything, {}).find(query) == matching);
    SearcherOptions search;
    search.search.candidates = Candidates::kAll;
    CHECK(CandidatePool(database, {}, everything, search).find(query) == all);
    CHECK(CandidatePool(database, {}, everything, search).find(Query()).empty());
}

TEST_CASE("Candidate pool: where no ranker has a list, BM25's is taken") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 90, 30, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database();
    const FusionModel model{.rankers = {{.ranker = "lm-absdiscount"}}};
    const Query query = bag_of_words({"w0", "w9"});
    const Docids list = list_of(database, {}, query);
    REQUIRE(list.size() > 10);
    CHECK(CandidatePool(database, model, {.size = 10}, {}).find(query) == in_turn({list}, 10));
}
