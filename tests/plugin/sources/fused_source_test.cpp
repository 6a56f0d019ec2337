// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/fused_source.h"

#include <algorithm>

#include "braid/error.h"
#include "braid/sources.h"
#include "braid/tests/plugin/fused_search.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

TEST_CASE("FusedSource: every document's score has the bits of a plain evaluation", "[property]") {
    for_random_searches(8, 6, [](const FusedSearch& search, Random&) {
        const Scores expected = evaluated(search);
        for (const std::size_t shards : {1U, 2U, 4U}) {
            const Xapian::Database database = search.corpus.database(shards);
            REQUIRE(all_of(database, search.source(database)) == expected);
        }
    });
}

TEST_CASE("FusedSource: the pruned top is that of a plain evaluation, on any page and shards",
          "[property]") {
    for_random_searches(16, 6, [](const FusedSearch& search, Random& random) {
        const Scores scores = evaluated(search);
        for (const std::size_t shards : {1U, 2U, 4U}) {
            const Xapian::Database database = search.corpus.database(shards);
            const Query query = root(search.source(database));
            for (const Xapian::doccount count : {1U, 2U, 3U, 5U, 10U, 30U}) {
                const auto first = static_cast<Xapian::doccount>(random.below(4));
                const auto at_least = static_cast<Xapian::doccount>(random.below(30));
                check_same(top_of(database, query, count, at_least, first),
                           ranked(scores, first, count));
            }
        }
    });
}

TEST_CASE("FusedSource: equals FusedWeight with topic sources beside", "[property]") {
    for_random_searches(10, 10, [](const FusedSearch& search, Random&) {
        const Xapian::Database database = search.corpus.database();
        Query query = search.text();
        for (const FusedTopic& topic : search.topics) {
            query =
                Query(Query::OP_AND_MAYBE, query,
                      Query((new TopicSource(topic.model, topic.query, topic.weight))->release()));
        }
        if (!search.proximities.empty()) {
            const FusedSource beside({.rankers = {}}, read_bag_of_words(database, search.text()),
                                     {}, {}, search.fused_proximities(database));
            query = Query(Query::OP_AND_MAYBE, query, root(beside));
        }
        check_equal(all_of(database, search.source(database)),
                    all_matches(database, FusedWeight(search.model), query), 1e-12);
    });
}

TEST_CASE("FusedSource: equals the naive rankers", "[property]") {
    for_random_searches(5, 6, [](const FusedSearch& given, Random&) {
        FusedSearch search = given;
        search.topics.clear();
        search.proximities.clear();
        search.op = Query::OP_OR;
        const Xapian::Database database = search.corpus.database();
        check_equal(all_of(database, search.source(database)),
                    naive_scores(database, search.model, search.words), 1e-9);
    });
}

TEST_CASE("FusedSource: filters keep scores, and are never looked past", "[property]") {
    for_random_searches(12, 8, [](const FusedSearch& search, Random&) {
        Scores expected = evaluated(search);
        std::erase_if(expected, [](const auto& entry) { return entry.first % 2 == 1; });
        for (const std::size_t shards : {1U, 4U}) {
            const Xapian::Database database = search.corpus.database(shards);
            const FusedSource source = search.source(database);
            const Query query(Query::OP_FILTER, root(source), Query("XODD"));
            for (const Xapian::doccount count : {1U, 5U, 500U}) {
                check_same(top_of(database, query, count), ranked(expected, 0, count));
            }
        }
    });
}

TEST_CASE("FusedSource: with a filter expected, finds the same and scores what passes it",
          "[property]") {
    for_random_searches(8, 8, [](const FusedSearch& search, Random&) {
        const Scores all = evaluated(search);
        Scores expected = all;
        std::erase_if(expected, [](const auto& entry) { return entry.first % 2 == 1; });
        for (const std::size_t shards : {1U, 3U}) {
            const Xapian::Database database = search.corpus.database(shards);
            FusedSource source = search.source(database);
            source.expect_filter();
            for (const Xapian::doccount count : {1U, 5U, 500U}) {
                // Sought by the filter, and seeking itself.
                check_same(
                    top_of(database, Query(Query::OP_FILTER, root(source), Query("XODD")), count),
                    ranked(expected, 0, count));
                check_same(
                    top_of(database, Query(Query::OP_AND_NOT, root(source), Query("XEVEN")), count),
                    ranked(expected, 0, count));
                check_same(top_of(database, root(source), count), ranked(all, 0, count));
            }
        }
    });
}

TEST_CASE("FusedSource: with a filter expected, scores no posting that a filter drops") {
    Random random(seed());
    const TopicCorpus corpus(random, 500, 20);
    const FusedSearch search{corpus, {}, {"w0", "w1"}};
    const Xapian::Database database = corpus.database();
    const auto scored = [&](bool expected) {
        FusedSource source = search.source(database);
        if (expected) source.expect_filter();
        top_of(database, Query(Query::OP_AND_NOT, root(source), Query("XEVEN")), 500);
        return source.counters().postings_scored;
    };
    CHECK(scored(true) * 3 < scored(false) * 2);
}

// Otherwise Xapian loses some in a few of these searches.
TEST_CASE("FusedSource: no result is lost by what is expected beside it", "[property]") {
    for_random_searches(30, 12, [](const FusedSearch& search, Random& random) {
        const FusedSearch other{
            search.corpus, search.model, {"w" + std::to_string(random.below(20)), "w5"}};
        const Scores beside = evaluated(other);
        Scores expected = evaluated(search);
        double most = 0;
        for (const auto& [docid, score] : beside) most = std::max(most, score);
        for (auto& [docid, score] : expected) {
            if (beside.contains(docid)) score += beside.at(docid);
        }
        const Xapian::Database database = search.corpus.database(1 + random.below(4));
        FusedSource source = search.source(database);
        source.expect_beside(2 * most);
        const auto sent = FusedSource().from_bytes(source.serialise());
        const Query query(Query::OP_AND_MAYBE, root(*sent), root(other.source(database)));
        for (const Xapian::doccount count : {1U, 3U}) {
            const std::vector<Hit> found = top_of(database, query, count);
            const std::vector<Hit> best = ranked(expected, 0, count);
            REQUIRE(found.size() == best.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                CHECK(found[i].score == Approx(best[i].score).epsilon(1e-12));
            }
        }
    });
}

TEST_CASE("FusedSource: a text of weight 0 beside it changes no score and gives terms",
          "[property]") {
    for_random_searches(8, 8, [](const FusedSearch& search, Random&) {
        const Scores expected = evaluated(search);
        const Xapian::Database database = search.corpus.database(2);
        const Query text(Query::OP_SCALE_WEIGHT, search.text(), 0);
        const Query query(Query::OP_AND_MAYBE, root(search.source(database)), text);
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(Xapian::CoordWeight());
        enquire.set_query(query);
        const Xapian::MSet found = enquire.get_mset(0, 5);
        const std::vector<Hit> best = ranked(expected, 0, 5);
        REQUIRE(found.size() == best.size());
        for (auto hit = found.begin(); hit != found.end(); ++hit) {
            REQUIRE(*hit == best[hit.get_rank()].docid);
            REQUIRE(hit.get_weight() == best[hit.get_rank()].score);
            REQUIRE(enquire.get_matching_terms_begin(hit) != enquire.get_matching_terms_end(hit));
        }
    });
}

TEST_CASE("FusedSource: moves by skip_to and check as by next, within its bound", "[property]") {
    for_random_searches(10, 10, [](const FusedSearch& search, Random& random) {
        const Scores all = evaluated(search);
        const Xapian::Database database = search.corpus.database();
        FusedSource source = search.source(database);
        source.init(database);
        REQUIRE(source.get_termfreq_min() <= all.size());
        REQUIRE(source.get_termfreq_max() >= all.size());
        REQUIRE(source.get_termfreq_est() >= source.get_termfreq_min());
        REQUIRE(source.get_termfreq_est() <= source.get_termfreq_max());
        for (const auto& [docid, score] : all) REQUIRE(score <= source.get_maxweight());
        double least = 0;
        for (Xapian::docid docid = 1;;) {
            docid += static_cast<Xapian::docid>(random.below(9));
            if (docid > database.get_lastdocid()) break;
            if (random.below(5) == 0) least += source.get_maxweight() * 0.1 * random.uniform();
            auto expected = all.lower_bound(docid);
            while (expected != all.end() && expected->second < least) ++expected;
            if (random.below(2) == 0) {
                REQUIRE(source.check(docid, least));
            } else {
                source.skip_to(docid, least);
            }
            if (source.at_end()) {
                REQUIRE(expected == all.end());
                break;
            }
            REQUIRE(source.get_docid() >= docid);
            REQUIRE((expected == all.end() || source.get_docid() <= expected->first));
            REQUIRE(all.contains(source.get_docid()));
            const double score = all.at(source.get_docid());
            const double weight = source.get_weight();
            REQUIRE((weight == score || (weight == 0 && score < least)));
            docid = source.get_docid() + 1;
        }
    });
}

TEST_CASE("FusedSource: a check looks at one document") {
    Random random(seed());
    const TopicCorpus corpus(random, 200, 10);
    const Xapian::Database database = corpus.database();
    const std::vector<std::string> words = {"w0", "w1"};
    const FusedSearch search{corpus,
                             {},
                             words,
                             Query::OP_OR,
                             {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), 5}}};
    FusedSource source = search.source(database);
    source.init(database);
    for (Xapian::docid docid = 10; docid <= 200; docid += 10) {
        const FusedCounters before = source.counters();
        source.check(docid, 0);
        const FusedCounters& after = source.counters();
        CHECK(after.postings_scored <= before.postings_scored + 2);
        CHECK(after.documents_scored <= before.documents_scored + 1);
        CHECK(after.vectors_decoded <= before.vectors_decoded + 1);
    }
}

TEST_CASE("FusedSource: reads few vectors where topics weigh little, and counts them") {
    Random random(seed());
    const TopicCorpus corpus(random, 2000, 60);
    const Xapian::Database database = corpus.database(2);
    const std::vector<std::string> words = {"w0", "w1", "w7", "w12"};
    const auto decoded = [&](double weight, Xapian::doccount count) {
        const FusedSearch search{
            corpus,
            {},
            words,
            Query::OP_OR,
            {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), weight}}};
        const FusedSource source = search.source(database);
        check_same(top_of(database, root(source), count), ranked(evaluated(search), 0, count));
        CHECK(source.counters().documents_scored >= std::min<std::size_t>(count, 100));
        return source.counters();
    };
    const FusedCounters all = decoded(0.3, 2000);
    CHECK(all.documents_skipped == 0);
    CHECK(all.vectors_decoded > 1000);
    const FusedCounters light = decoded(0.3, 5);
    CHECK(light.vectors_decoded < all.vectors_decoded / 4);
    CHECK(light.postings_scored < all.postings_scored);
    CHECK(light.documents_skipped > 0);
    CHECK(decoded(0, 5).vectors_decoded == 0);
}

TEST_CASE("FusedSource: a term given twice, apart, counts twice", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 100, 10);
    const Xapian::Database database = corpus.database();
    for (int i = 0; i < 10; ++i) {
        const FusionModel model = random_model(random, 4);
        const Query query(Query::OP_OR, Query(Query::OP_OR, Query("w1", 2), Query("w2")),
                          Query(Query::OP_OR, Query("w1"), Query("nowhere")));
        const FusedSource source(model, read_bag_of_words(database, query));
        check_equal(all_of(database, source), all_matches(database, FusedWeight(model), query),
                    1e-12);
    }
}

TEST_CASE("FusedSource: topics alone can be the score") {
    Random random(seed());
    const TopicCorpus corpus(random, 150, 20);
    const Xapian::Database database = corpus.database();
    const std::vector<std::string> words = {"w0", "w3"};
    FusionModel model;
    model.rankers = {{.ranker = "lsa", .weight = 1}};
    const FusedSource source(model, read_bag_of_words(database, bag_of_words(words)),
                             {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), 1}});
    const Scores found = all_of(database, source);
    const auto similar = corpus.similarities("lsa", words);
    REQUIRE(found.size() > 20);
    for (const auto& [docid, score] : found) CHECK(score == similar.at(docid));
}

TEST_CASE("FusedSource: what it can't serve is refused with the reason") {
    const FusionModel bm25;
    const auto reason = [&](const Query& query) { return FusedSource::why_not(query, bm25); };
    const Query a("a");
    const Query b("b", 3);
    CHECK(reason(a) == "");
    CHECK(reason(Query(Query::OP_OR, a, b)) == "");
    CHECK(reason(Query(Query::OP_AND, a, b)) == "");
    CHECK_THAT(reason(Query()), Contains("it is empty"));
    for (const auto op : {Query::OP_PHRASE, Query::OP_FILTER, Query::OP_SYNONYM, Query::OP_AND_NOT,
                          Query::OP_AND_MAYBE}) {
        CHECK_THAT(reason(Query(op, a, b)), Contains("no bag of words: it isn't an OR or an AND"));
    }
    CHECK(reason(Query(Query::OP_AND, Query(Query::OP_OR, a, b), Query("c"))) != "");
    CHECK(reason(Query(Query::OP_OR, Query(Query::OP_AND, a, b), Query("c"))) != "");
    CHECK(reason(Query(Query::OP_SCALE_WEIGHT, a, 2.0)) != "");
    CHECK(reason(Query::MatchAll) != "");
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "bm25", .field = "title"}};
    CHECK(FusedSource::why_not(a, model) == "");  // Where a database keeps records.
    CHECK_THROWS_WITH(FusedSource(model, {}), Contains("the field 'title'"));
    model.rankers[1] = {.ranker = "lm-absdiscount"};
    CHECK(FusedSource::why_not(a, model) == "");  // Where a database keeps records.
    model.rankers[1].weight = 0;
    CHECK(FusedSource::why_not(a, model) == "");
    const std::vector<float> vector = {1, 0};
    CHECK_THROWS_AS(FusedSource(bm25, {}, {{{"id", 1}, vector, -1}}), InvalidArgument);
}

TEST_CASE("FusedSource: a shard without the topic model is refused") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 30, 20);
    const Xapian::Database bare = corpus.corpus().database();
    const FusedSearch search{corpus,
                             {},
                             {"w0"},
                             Query::OP_OR,
                             {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", {"w0"}), 1}}};
    CHECK_THROWS_AS(all_of(bare, search.source(bare)), Xapian::InvalidOperationError);
}

TEST_CASE("FusedSource: serialised and back, it matches the same", "[property]") {
    Xapian::Registry registry;
    CHECK(registry.get_posting_source("braid::FusedSource") == nullptr);
    register_all(registry);
    for_random_searches(4, 6, [&](const FusedSearch& search, Random&) {
        const Xapian::Database database = search.corpus.database(2);
        const FusedSource source = search.source(database);
        const Query query = root(source);
        const Query again = Query::unserialise(query.serialise(), registry);
        CHECK(again.get_description() == query.get_description());
        CHECK(all_matches(database, Xapian::CoordWeight(), again) == evaluated(search));
        const auto back = FusedSource().from_bytes(source.serialise());
        CHECK(back->serialise() == source.serialise());
    });
}

TEST_CASE("FusedSource: every truncation, longer form and junk is refused", "[property]") {
    BagOfWords bag;
    bag.collection = {100, 2000};
    bag.length = 3;
    bag.terms = {{"one", 1, 10, 20}, {"two", 2, 4, 4}};
    const std::string bytes =
        FusedSource({}, bag, {{{"0123456789abcdef", 1000}, {0.6F, -0.8F}, 2}}).serialise();
    Random random(seed(), 6);
    check_bytes(FusedSource(), bytes, random);
}
