// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/lexical/ranker.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/sources.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;

namespace {

// Calls `check(corpus, model, words, random)` for random ones of each.
template <typename Check>
void for_random_searches(int corpora, int queries, const Check& check) {
    Random random(seed());
    for (int i = 0; i < corpora; ++i) {
        const RandomCorpus corpus(random, 20 + random.below(200), 5 + random.below(60),
                                  5 + random.below(300));
        for (int j = 0; j < queries; ++j) {
            const FusionModel model = random_model(random, 6);
            const std::vector<std::string> words = corpus.random_words(random, 6);
            INFO("corpus " << i << ", query " << j);
            check(corpus, model, words, random);
        }
    }
}

}  // namespace

TEST_CASE("FusedWeight: scores equal a naive evaluation of every document", "[property]") {
    for_random_searches(12, 10,
                        [](const RandomCorpus& corpus, const FusionModel& model,
                           const std::vector<std::string>& words, Random&) {
                            const Xapian::Database database = corpus.database();
                            check_equal(
                                all_matches(database, FusedWeight(model), bag_of_words(words)),
                                naive_scores(database, model, words), 1e-9);
                        });
}

// Xapian itself loses a result in one of a thousand such searches (query/whole_match.h).
TEST_CASE("FusedWeight: the top is the same with and without pruning", "[property]") {
    int lost = 0;
    for_random_searches(30, 20,
                        [&](const RandomCorpus& corpus, const FusionModel& model,
                            const std::vector<std::string>& words, Random& random) {
                            const Xapian::Database database = corpus.database(1 + random.below(3));
                            const FusedWeight weight(model);
                            const Xapian::Query query = bag_of_words(words);
                            const auto count = static_cast<Xapian::doccount>(1 + random.below(10));
                            const std::vector<Hit> pruned =
                                matches(database, weight, query, 0, count);
                            const std::vector<Hit> full =
                                matches(database, weight, query, 0, count, database.get_doccount());
                            REQUIRE(pruned.size() == full.size());
                            if (!full.empty() && pruned.back().score < full.back().score - 1e-9) {
                                ++lost;
                            } else {
                                check_same_ranking(pruned, full, 1e-12);
                            }
                        });
    CHECK(lost <= 3);
}

TEST_CASE("FusedWeight: the same documents and scores on any number of shards", "[property]") {
    for_random_searches(8, 4,
                        [](const RandomCorpus& corpus, const FusionModel& model,
                           const std::vector<std::string>& words, Random&) {
                            const FusedWeight weight(model);
                            const Xapian::Query query = bag_of_words(words);
                            const Scores whole = all_matches(corpus.database(1), weight, query);
                            for (const std::size_t shards : {2, 4, 7}) {
                                check_equal(all_matches(corpus.database(shards), weight, query),
                                            whole, 1e-12);
                            }
                        });
}

TEST_CASE("FusedWeight: the same on disk, in shards and after opening again", "[property]") {
    Random random(seed());
    const RandomCorpus corpus(random, 300, 50, 200);
    const TemporaryFolder one;
    const TemporaryFolder several;
    const Xapian::Database whole = corpus.stored_database(one.path().string());
    const Xapian::Database shards = corpus.stored_database(several.path().string(), 4);
    for (int i = 0; i < 30; ++i) {
        const FusedWeight weight(random_model(random, 6));
        const std::vector<std::string> words = corpus.random_words(random, 6);
        const Xapian::Query query = bag_of_words(words);
        const Scores expected = naive_scores(whole, weight.model(), words);
        check_equal(all_matches(whole, weight, query), expected, 1e-9);
        check_equal(all_matches(shards, weight, query), expected, 1e-9);
        const std::vector<Hit> top = matches(whole, weight, query, 0, 5);
        check_same_ranking(matches(shards, weight, query, 0, 5), top, 1e-12);
        const std::vector<Hit> again =
            matches(Xapian::Database((one / "0").string()), weight, query, 0, 5);
        for (std::size_t rank = 0; rank < top.size(); ++rank) {
            CHECK(again[rank].docid == top[rank].docid);
            CHECK(again[rank].score == top[rank].score);
        }
    }
}

TEST_CASE("FusedWeight: scores don't depend on the page", "[property]") {
    for_random_searches(10, 5,
                        [](const RandomCorpus& corpus, const FusionModel& model,
                           const std::vector<std::string>& words, Random& random) {
                            const Xapian::Database database = corpus.database();
                            const FusedWeight weight(model);
                            const Xapian::Query query = bag_of_words(words);
                            const std::vector<Hit> all =
                                matches(database, weight, query, 0, database.get_doccount());
                            const auto first = static_cast<Xapian::doccount>(random.below(20));
                            const auto count = static_cast<Xapian::doccount>(1 + random.below(20));
                            // Xapian itself loses a result where it may (query/whole_match.h).
                            const auto wanted = static_cast<Xapian::doccount>(random.below(100));
                            const auto at_least = safe_check(database, query, wanted);
                            std::vector<Hit> expected;
                            for (std::size_t i = first; i < all.size() && i < first + count; ++i) {
                                expected.push_back(all[i]);
                            }
                            check_same_ranking(
                                matches(database, weight, query, first, count, at_least), expected,
                                1e-12);
                        });
}

TEST_CASE("FusedWeight: the largest weights that a model may have score finitely", "[property]") {
    for_random_searches(
        5, 5,
        [](const RandomCorpus& corpus, FusionModel model, const std::vector<std::string>& words,
           Random&) {
            const Xapian::Database database = corpus.database();
            for (RankerSpec& spec : model.rankers) spec.weight = kMostWeight;
            const Scores scores = all_matches(database, FusedWeight(model), bag_of_words(words));
            for (const auto& [docid, score] : scores) CHECK(std::isfinite(score));
            model.rankers[0].weight = 1e308;
            CHECK_THROWS_WITH(FusedWeight(model),
                              Contains("rankers[0].weight") && Contains("expected 0 to 1e+100"));
        });
}

TEST_CASE("FusedWeight: equal to Xapian's BM25, DPH and PL2", "[property]") {
    const std::vector<std::pair<RankerSpec, std::shared_ptr<Xapian::Weight>>> pairs = {
        {{.ranker = "bm25", .parameters = {{"k1", 1}, {"b", 0.5}, {"k3", 1}, {"min_length", 0.5}}},
         std::make_shared<Xapian::BM25Weight>()},
        {{.ranker = "bm25", .parameters = {{"k1", 2.3}, {"b", 0.9}, {"k3", 40}, {"min_length", 0}}},
         std::make_shared<Xapian::BM25Weight>(2.3, 0, 40, 0.9, 0)},
        {{.ranker = "bm25", .parameters = {{"k1", 0}, {"k3", 0}}},
         std::make_shared<Xapian::BM25Weight>(0, 0, 0, 0.75, 0)},
        {{.ranker = "dph"}, std::make_shared<Xapian::DPHWeight>()},
        {{.ranker = "pl2"}, std::make_shared<Xapian::PL2Weight>(1.0)},
        {{.ranker = "pl2", .parameters = {{"c", 4.5}}}, std::make_shared<Xapian::PL2Weight>(4.5)},
    };
    Random random(seed());
    for (int i = 0; i < 10; ++i) {
        const RandomCorpus corpus(random, 150, 40, 150);
        const Xapian::Database database = corpus.database();
        for (const auto& [spec, oracle] : pairs) {
            INFO(spec.ranker);
            const Xapian::Query query = bag_of_words(corpus.random_words(random, 6));
            check_equal(all_matches(database, FusedWeight(FusionModel{.rankers = {spec}}), query),
                        all_matches(database, *oracle, query), 1e-12);
        }
    }
}

TEST_CASE("FusedWeight: wqf and OP_SCALE_WEIGHT reach the score") {
    Random random(seed());
    const RandomCorpus corpus(random, 100, 10, 50);
    const Xapian::Database database = corpus.database();
    const FusedWeight weight(
        FusionModel{.rankers = {{.ranker = "tfidf"}, {.ranker = "dph", .weight = 0.5}}});
    const Xapian::Query word("w2");
    const Scores once = all_matches(database, weight, word);
    REQUIRE(once.size() > 5);
    const Scores thrice = all_matches(database, weight, Xapian::Query("w2", 3));
    const Scores scaled =
        all_matches(database, weight, Xapian::Query(Xapian::Query::OP_SCALE_WEIGHT, word, 2.5));
    for (const auto& [docid, score] : once) {
        CHECK_THAT(thrice.at(docid), WithinRel(3 * score, 1e-12));
        CHECK_THAT(scaled.at(docid), WithinRel(2.5 * score, 1e-12));
    }
    // A document part belongs to no term: a factor leaves it alone, the query's length doesn't.
    const FusedWeight model(
        FusionModel{.rankers = {{.ranker = "lm-dirichlet", .parameters = {{"mu", 50}}}}});
    const auto score_of = [&](const Xapian::Query& query) {
        return all_matches(database, model, query).begin()->second;
    };
    const double plain = score_of(word);
    const double doubled =
        score_of(Xapian::Query(Xapian::Query::OP_SCALE_WEIGHT, word, 2.0)) - plain;
    CHECK(doubled > 0);
    CHECK_THAT(score_of(Xapian::Query("w2", 2)), WithinRel(2 * plain, 1e-12));
    CHECK_THAT(score_of(Xapian::Query(Xapian::Query::OP_SCALE_WEIGHT, word, 3.0)),
               WithinRel(plain + 2 * doubled, 1e-12));
}

TEST_CASE("FusedWeight: a ranker that needs unique terms is refused with the reason") {
    CHECK_THROWS_WITH(
        FusedWeight(FusionModel{
            .rankers = {{.ranker = "bm25"}, {.ranker = "lm-absdiscount", .name = "abs"}}}),
        Catch::Contains("ranker abs: FusedWeight can't serve lm-absdiscount, which needs the "
                        "number of unique terms of each document"));
    CHECK_NOTHROW(FusedWeight(
        FusionModel{.rankers = {{.ranker = "bm25"}, {.ranker = "lm-absdiscount", .weight = 0}}}));
}

TEST_CASE("FusedWeight: a ranker of one field is refused with the reason") {
    CHECK_THROWS_WITH(
        FusedWeight(
            FusionModel{.rankers = {{.ranker = "bm25"}, {.ranker = "bm25", .field = "title"}}}),
        Catch::Contains("ranker bm25:title: FusedWeight can't score the field 'title' alone"));
    CHECK_THROWS_AS(FusedWeight(FusionModel{.rankers = {}}), InvalidArgument);
    CHECK_THROWS_AS(FusedWeight(FusionModel{.rankers = {{.ranker = "bm26"}}}), UnknownComponent);
}

TEST_CASE("FusedWeight: every ranker's weight can change the order of results") {
    Random random(seed());
    const RandomCorpus corpus(random, 200, 20, 120);
    const Xapian::Database database = corpus.database();
    for (const LexicalRankerInfo& info : lexical_rankers()) {
        if (info.traits.needs_record() || !info.traits.is_sum) continue;
        if (info.traits.blends_fields) continue;
        const std::string base = info.name == "bm25" ? "tf" : "bm25";
        const auto top = [&](double share, const Xapian::Query& query) {
            const FusionModel model =
                FusionModel{.rankers = {{.ranker = base, .weight = 1 - share},
                                        {.ranker = info.name, .weight = share}}};
            std::vector<Xapian::docid> docids;
            for (const Hit& hit : matches(database, FusedWeight(model), query, 0, 50)) {
                docids.push_back(hit.docid);
            }
            return docids;
        };
        bool changed = false;
        for (int i = 0; i < 20 && !changed; ++i) {
            const Xapian::Query query = bag_of_words(corpus.random_words(random, 6));
            changed = top(0, query) != top(0.9, query);
        }
        INFO(info.name);
        CHECK(changed);
    }
}

TEST_CASE("FusedWeight: a clone and a copy from bytes score the same") {
    Random random(seed());
    const RandomCorpus corpus(random, 100, 30, 80);
    const Xapian::Database database = corpus.database();
    for (int i = 0; i < 20; ++i) {
        const FusedWeight weight(random_model(random, 5));
        const std::unique_ptr<FusedWeight> clone(weight.clone());
        const std::unique_ptr<FusedWeight> copy(FusedWeight().unserialise(weight.serialise()));
        CHECK(copy->model() == weight.model());
        CHECK(copy->serialise() == weight.serialise());
        const Xapian::Query query = bag_of_words(corpus.random_words(random, 5));
        const Scores expected = all_matches(database, weight, query);
        check_equal(all_matches(database, *clone, query), expected, 0);
        check_equal(all_matches(database, *copy, query), expected, 0);
    }
}

TEST_CASE("FusedWeight: bytes that it didn't write are rejected", "[property]") {
    const FusedWeight weight(FusionModel{.rankers = {{.ranker = "bm25", .parameters = {{"b", 0.3}}},
                                                     {.ranker = "lm-jm", .weight = 0.25}}});
    const std::string bytes = weight.serialise();
    // Models that are well formed but can't be served.
    for (const FusionModel& model :
         {FusionModel{.rankers = {{.ranker = "lm-absdiscount"}}},
          FusionModel{.rankers = {{.ranker = "unheard of"}}},
          FusionModel{.rankers = {{.ranker = "bm25", .parameters = {{"b", 7}}}}},
          FusionModel{.rankers = {}}}) {
        CHECK(rejected(weight, std::string("\2\0", 2) + fusion_model_to_bytes(model)));
    }
    CHECK_FALSE(rejected(weight, std::string("\2\1", 2) + fusion_model_to_bytes(weight.model())));
    Random random(seed());
    check_bytes(weight, bytes, random);
}

TEST_CASE("FusedWeight: known to a registry by its name after register_all") {
    Xapian::Registry registry;
    CHECK(registry.get_weighting_scheme("braid") == nullptr);
    register_all(registry);
    const Xapian::Weight* found = registry.get_weighting_scheme("braid");
    REQUIRE(found != nullptr);
    CHECK(found->name() == FusedWeight().name());
}

TEST_CASE("FusedWeight: Xapian 2's Weight::create makes one of a model's name") {
#if XAPIAN_AT_LEAST(1, 5, 0)
    const auto created = [](const std::string& scheme, const Xapian::Registry& registry) {
        const std::unique_ptr<const Xapian::Weight> weight(
            Xapian::Weight::create(scheme, registry));
        return dynamic_cast<const FusedWeight&>(*weight).model();
    };
    const auto refusal = [&](const std::string& scheme, const Xapian::Registry& registry) {
        try {
            created(scheme, registry);
        } catch (const Xapian::InvalidArgumentError& error) {
            return error.get_msg();
        }
        return std::string();
    };
    Xapian::Registry registry;
    register_all(registry);
    CHECK_THAT(refusal("braid", registry), Contains("expected a model's file or preset"));
    CHECK_THAT(refusal("braid some.yaml", registry), Contains("load_model"));
    FusionModel model;
    model.rankers = {{.ranker = "dph"}, {.ranker = "pl2", .weight = 2}};
    register_all(registry, [&](const std::string& name) {
        if (name != "a file") throw Error(name + ": can't be read");
        return model;
    });
    CHECK(created("braid  a file ", registry) == model);
    CHECK_THAT(refusal("braid none", registry), Contains("braid none: none: can't be read"));
    model.rankers.push_back({.ranker = "lsa"});
    CHECK_THAT(refusal("braid a file", registry), Contains("lsa"));
#else
    SUCCEED("Xapian 1.4 has no Weight::create");
#endif
}
