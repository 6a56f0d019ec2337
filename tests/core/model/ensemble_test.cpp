// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/ensemble.h"

#include <limits>

#include "braid/error.h"
#include "braid/tests/core/lexical/random_statistics.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

TEST_CASE("Lexical ensemble: the weighted sum of its rankers, and of their bounds", "[property]") {
    Random random(seed());
    for (int round = 0; round < 100; ++round) {
        FusionModel model;
        model.rankers.clear();
        for (const LexicalRankerInfo& info : lexical_rankers()) {
            if (random.below(2) == 0 || info.name == "log-bm25") continue;
            if (info.traits.blends_fields) continue;
            model.rankers.push_back({.ranker = info.name,
                                     .parameters = random_parameters(random, info),
                                     .weight = random.below(4) == 0 ? 0 : random.uniform()});
        }
        model.rankers.push_back({.ranker = "bm25", .name = "another", .weight = 0.5});
        const LexicalEnsemble ensemble(model);
        const TermStatistics term = random_term(random);
        const QueryStatistics query{term.collection, 4};
        const BoundStatistics bounds = random_bounds(random, 1000);
        const DocumentStatistics document = random_document(random, bounds);
        double score = 0;
        double bound = 0;
        double part = 0;
        bool any_part = false;
        for (const RankerSpec& spec : model.rankers) {
            const auto ranker = make_lexical_ranker(spec.ranker, spec.parameters);
            score += spec.weight * ranker->term_scorer(term)->score(document);
            bound += spec.weight * ranker->term_scorer(term)->upper_bound(bounds);
            const auto scorer = ranker->document_scorer(query);
            if (scorer == nullptr) continue;
            part += spec.weight * scorer->score(document);
            any_part = any_part || spec.weight > 0;
        }
        const auto scorer = ensemble.term_scorer(term);
        CHECK_THAT(scorer->score(document), WithinRel(score, 1e-12));
        CHECK_THAT(scorer->upper_bound(bounds), WithinRel(bound, 1e-12));
        const auto document_scorer = ensemble.document_scorer(query);
        CHECK((document_scorer != nullptr) == any_part);
        if (document_scorer != nullptr) {
            CHECK_THAT(document_scorer->score(document), WithinRel(part, 1e-12));
        }
    }
}

TEST_CASE("Lexical ensemble: a ranker of weight 0 asks for nothing") {
    const LexicalEnsemble without(
        FusionModel{.rankers = {{.ranker = "bm25"}, {.ranker = "lm-absdiscount", .weight = 0}}});
    CHECK_FALSE(without.needs_record());
    CHECK(without.document_scorer({{10, 100}, 2}) == nullptr);
    CHECK(without.size() == 2);
    CHECK(without.weight(1) == 0);
    const LexicalEnsemble with(
        FusionModel{.rankers = {{.ranker = "bm25"}, {.ranker = "lm-absdiscount", .weight = 0.1}}});
    CHECK(with.needs_record());
    CHECK_FALSE(with.needs_norm());
    CHECK(with.document_scorer({{10, 100}, 2}) != nullptr);
}

TEST_CASE("Fusion model: what can't rank is refused, with its place") {
    CHECK_NOTHROW(validate(FusionModel{}));
    CHECK_THROWS_WITH(validate(FusionModel{.rankers = {}}), Catch::Contains("rankers: found none"));
    CHECK_THROWS_WITH(
        validate(
            FusionModel{.rankers = {{.ranker = "bm25"}, {.ranker = "dph"}, {.ranker = "bm25"}}}),
        Catch::Contains("rankers[2].name: found 'bm25', which rankers[0] is called too"));
    CHECK_NOTHROW(
        validate(FusionModel{.rankers = {{.ranker = "bm25"}, {.ranker = "bm25", .name = "b"}}}));
    CHECK_THROWS_WITH(
        validate(FusionModel{.rankers = {{.ranker = "bm25", .weight = -1}}}),
        Catch::Contains("rankers[0].weight: ranker bm25: found -1, expected 0 to 1e+100"));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(validate(FusionModel{.rankers = {{.ranker = "bm25", .weight = nan}}}),
                    InvalidSetting);
    CHECK_THROWS_WITH(validate(FusionModel{.rankers = {{.ranker = "bm25", .weight = 0}}}),
                      Catch::Contains("all weights are 0"));
    CHECK_THROWS_WITH(
        validate(FusionModel{.rankers = {{.ranker = "bm25", .parameters = {{"b", 2}}}}}),
        Catch::Contains("rankers[0].parameters.b: found 2, expected 0 to 1"));
    CHECK_THROWS_AS(
        validate(FusionModel{.rankers = {{.ranker = "bm25", .parameters = {{"c", 2}}}}}),
        UnknownComponent);
    CHECK_THROWS_AS(validate(FusionModel{.rankers = {{.ranker = "bm26"}}}), UnknownComponent);
}
