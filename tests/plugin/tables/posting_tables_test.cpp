// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "braid/plugin/tables/posting_table.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/fused_search.h"
#include "braid/tests/plugin/search/searcher_paths.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_corpus.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;
using When = VectorTables::When;

namespace {

// On disk, since what is in memory has no revisions; of 1, 2 and 4 shards.
class Stored {
  public:
    explicit Stored(const TopicCorpus& corpus) {
        for (const std::size_t count : {1U, 2U, 4U}) {
            Xapian::Database whole;
            for (std::size_t number = 0; number < count; ++number) {
                const std::string path =
                    (folder_ / (std::to_string(count) + "-" + std::to_string(number))).string();
                Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
                corpus.write_shard(writer, number, count);
                writer.commit();
                whole.add_database(Xapian::Database(path));
            }
            databases_.push_back(whole);
        }
    }

    const std::vector<Xapian::Database>& databases() const { return databases_; }

  private:
    TemporaryFolder folder_;
    std::vector<Xapian::Database> databases_;
};

// Calls `check(database, plain, in_memory, random)` with sources of the same search.
template <typename Check>
void for_both_ways(std::size_t documents, int searches, const Check& check) {
    Random random(seed(), documents);
    const TopicCorpus corpus(random, documents, 40);
    const Stored stored(corpus);
    for (int i = 0; i < searches; ++i) {
        INFO(documents << " documents, search " << i);
        const std::vector<std::string> words = corpus.corpus().random_words(random, 6);
        const auto op = random.below(4) == 0 ? Query::OP_AND : Query::OP_OR;
        const FusedSearch search{corpus, random_model(random, 4), words, op,
                                 random_topics(random, corpus, words)};
        for (const Xapian::Database& database : stored.databases()) {
            const FusedSource plain = search.source(database);
            FusedSource in_memory = search.source(database);
            in_memory.use_postings(std::make_shared<PostingTables>());
            if (random.below(3) > 0) in_memory.use_tables(std::make_shared<VectorTables>());
            check(database, plain, in_memory, random);
            const FusedCounters& counters = in_memory.counters();
            REQUIRE(counters.postings_in_memory == counters.postings);
            REQUIRE(plain.counters().postings_in_memory == 0);
        }
    }
}

PostingAccess find(PostingTables& tables, const Xapian::Database& database, std::string_view term) {
    return tables.find(database, std::array{term}, nullptr).at(0);
}

}  // namespace

TEST_CASE("FusedSource: postings read from memory give the same bits, pruned or not",
          "[property]") {
    std::uint64_t skipped = 0;
    for (const std::size_t documents : {60U, 3000U}) {
        for_both_ways(
            documents, 20,
            [&](const auto& database, const auto& plain, const auto& in_memory, Random& random) {
                REQUIRE(all_of(database, in_memory) == all_of(database, plain));
                for (const Xapian::doccount count : {1U, 10U, 100U}) {
                    const auto first = static_cast<Xapian::doccount>(random.below(4));
                    check_same(top_of(database, root(in_memory), count, 0, first),
                               top_of(database, root(plain), count, 0, first));
                }
                skipped += in_memory.counters().documents_skipped;
            });
    }
    CHECK(skipped > 10000);
}

TEST_CASE("FusedSource: postings read from memory give the same under filters", "[property]") {
    for_both_ways(
        1000, 20,
        [](const auto& database, const auto& plain, const FusedSource& given, Random& random) {
            const std::unique_ptr<FusedSource> in_memory(given.clone());
            if (random.below(2) == 0) in_memory->expect_filter();
            for (const auto op : {Query::OP_FILTER, Query::OP_AND_NOT, Query::OP_AND_MAYBE}) {
                for (const Xapian::doccount count : {1U, 10U, 500U}) {
                    check_same(top_of(database, Query(op, root(*in_memory), Query("XODD")), count),
                               top_of(database, Query(op, root(plain), Query("XODD")), count));
                }
            }
        });
}

TEST_CASE("FusedSource: fields and records are scored beside postings in memory, too",
          "[property]") {
    Random random(seed(), 3);
    const FieldedCorpus corpus(random, 400, 30);
    const StoredCorpus stored(corpus);
    const Xapian::Database database = stored.open();
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "bm25", .field = "title", .weight = 2},
                                        {.ranker = "tfidf-cosine", .weight = 3}}};
    const auto postings = std::make_shared<PostingTables>();
    for (int i = 0; i < 30; ++i) {
        SearchRequest request = request_of(bag_of_words(corpus.random_words(random, 5)));
        request.count = static_cast<Xapian::doccount>(1 + random.below(40));
        const auto run = [&](const std::shared_ptr<PostingTables>& tables) {
            SearcherOptions options;
            options.postings = tables;
            Searcher searcher(database, options);
            searcher.rank_by(model);
            return searcher.search(request);
        };
        const SearchResult expected = run(nullptr);
        const SearchResult found = run(postings);
        REQUIRE(found.run.pruned);
        REQUIRE(found.run.counters.postings_in_memory == found.run.counters.postings);
        REQUIRE(found.hits.size() == expected.hits.size());
        for (std::size_t hit = 0; hit < found.hits.size(); ++hit) {
            REQUIRE(found.hits[hit].docid == expected.hits[hit].docid);
            REQUIRE(found.hits[hit].score == expected.hits[hit].score);
        }
    }
}

TEST_CASE("FusedSource: moves over postings in memory as over the database's", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 150, 20);
    const Stored stored(corpus);
    const Xapian::Database& database = stored.databases()[0];
    const auto postings = std::make_shared<PostingTables>();
    for (int i = 0; i < 40; ++i) {
        const std::vector<std::string> words = corpus.corpus().random_words(random, 4);
        const FusedSearch search{corpus, random_model(random, 3), words,
                                 i % 3 == 0 ? Query::OP_AND : Query::OP_OR,
                                 random_topics(random, corpus, words)};
        FusedSource source = search.source(database);
        source.use_postings(postings);
        REQUIRE(check_moves(source, database, random) == evaluated(search).size());
    }
}

TEST_CASE("PostingTables: kept while they are current, and made anew after a commit") {
    Random random(seed());
    const TopicCorpus corpus(random, 200, 10);
    StoredCorpus stored(corpus);
    Xapian::Database database = stored.open();
    PostingTables tables;
    const auto table = find(tables, database, "w1").table;
    REQUIRE(table != nullptr);
    CHECK(table->size() == database.get_termfreq("w1"));
    CHECK(find(tables, database, "w1").table == table);
    CHECK(find(tables, database, "nowhere").table->size() == 0);
    const std::size_t bytes = tables.bytes();
    CHECK(bytes > table->bytes());
    CHECK(find(tables, corpus.database(), "w1").table == nullptr);
    CHECK(find(tables, Stored(corpus).databases()[1], "w1").table == nullptr);
    stored.writer.delete_document(table->docid(0));
    stored.writer.commit();
    CHECK(find(tables, database, "w1").table == table);
    database.reopen();
    const auto later = find(tables, database, "w1").table;
    REQUIRE(later != nullptr);
    CHECK(later->size() + 1 == table->size());
    CHECK(later->docid(0) == table->docid(1));
    CHECK(tables.bytes() < bytes);
}

TEST_CASE("PostingTables: the terms asked for longest ago make way") {
    Random random(seed());
    const TopicCorpus corpus(random, 400, 12);
    const Stored stored(corpus);
    const Xapian::Database& database = stored.databases()[0];
    CHECK(find(*std::make_unique<PostingTables>(0), database, "w0").table == nullptr);
    const std::size_t one = PostingTable::load(database, "w0", nullptr)->bytes();
    PostingTables small(one / 2);
    CHECK(find(small, database, "w0").table == nullptr);
    CHECK(find(small, database, "w11").table != nullptr);
    CHECK(small.bytes() <= one / 2);
    PostingTables tables(4 * one);
    const auto first = find(tables, database, "w0").table;
    const auto second = find(tables, database, "w1").table;
    for (int i = 2; i < 12; ++i) {
        const std::string term = "w" + std::to_string(i);
        find(tables, database, term);
        CHECK(find(tables, database, "w0").table == first);
        CHECK(tables.bytes() <= 4 * one);
    }
    CHECK(find(tables, database, "w1").table != second);
    // What is remembered of terms without tables has its bounds, too.
    PostingTables many(20000, When::kWorthIt);
    for (int i = 0; i < 1000; ++i) find(many, database, "unknown" + std::to_string(i));
    CHECK(many.bytes() <= 20000);
    CHECK(many.bytes() > 10000);
}

TEST_CASE("PostingTables: made once a term's postings were read for as long as that takes") {
    Random random(seed());
    const TopicCorpus corpus(random, 400, 30);
    const Stored stored(corpus);
    const auto searches = [&](const std::shared_ptr<PostingTables>& postings) {
        SearcherOptions options;
        options.postings = postings;
        Searcher searcher(stored.databases()[1], options);
        searcher.rank_by({.rankers = {{.ranker = "bm25"}}});
        SearchRequest request = request_of(bag_of_words({"w0", "w1"}));
        request.count = request.check_at_least = 400;
        std::vector<SearchRun> runs;
        for (int i = 0; i < 5; ++i) runs.push_back(searcher.search(request).run);
        return runs;
    };
    const auto share = [](const SearchRun& run) {
        return static_cast<double>(run.counters.postings_in_memory) /
               static_cast<double>(run.counters.postings);
    };
    const auto on_demand =
        std::make_shared<PostingTables>(PostingTables::kMostBytes, When::kWorthIt);
    const std::vector<SearchRun> runs = searches(on_demand);
    REQUIRE(runs[0].counters.postings > 300);
    CHECK(share(runs[0]) == 0);
    CHECK(share(runs[4]) == 1);
    CHECK(share(searches(on_demand)[0]) == 1);
    CHECK(share(searches(std::make_shared<PostingTables>())[0]) == 1);
    CHECK(share(searches(std::make_shared<PostingTables>(0))[4]) == 0);
    CHECK(share(searches(nullptr)[4]) == 0);
}
