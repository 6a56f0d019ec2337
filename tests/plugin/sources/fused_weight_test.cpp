// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>
#include <string>

#include "braid/core/model/fusion_model_bytes.h"
#include "braid/error.h"
#include "braid/sources.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;

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
