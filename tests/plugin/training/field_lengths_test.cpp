// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/error.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/training/feature_extractor.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

FusionModel of_fields() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "bm25", .field = "title", .weight = 0.5},
                        {.ranker = "tf", .field = "title"},
                        {.ranker = "pl2", .field = "author", .parameters = {{"c", 2}}},
                        {.ranker = "tfidf-pivoted",
                         .field = "author",
                         .parameters = {{"average_length", 1.5}}}}};
}

}  // namespace

TEST_CASE("Field lengths: kept in rankers of a field whose formula has them, and nowhere else") {
    Random random(seed());
    const FieldedCorpus corpus(random, 60, 12);
    const Xapian::Database database = corpus.database(2);
    const auto average = [&](const char* field) {
        return field_collections(database, {field}).front().collection.average_length();
    };
    FusionModel model = of_fields();
    keep_field_lengths(database, model.rankers);
    CHECK(average("title") > 0);
    CHECK(average("title") != average("author"));
    CHECK(model.rankers[0].parameters.empty());
    CHECK(model.rankers[1].parameters == ParameterMap{{"average_length", average("title")}});
    CHECK(model.rankers[2].parameters.empty());
    CHECK(model.rankers[3].parameters ==
          ParameterMap{{"average_length", average("author")}, {"c", 2}});
    CHECK(model.rankers[4].parameters == ParameterMap{{"average_length", 1.5}});
    CHECK_THROWS_AS(keep_field_lengths(corpus.bare_database(), model.rankers = of_fields().rankers),
                    ModelMismatch);
}

TEST_CASE("Field lengths: a kept one changes no score, nor does the database's later",
          "[property]") {
    Random random(seed(), 1);
    for (int round = 0; round < 5; ++round) {
        const FieldedCorpus corpus(random, 80, 12);
        const Xapian::Database database = corpus.database(2);
        FusionModel kept = of_fields();
        keep_field_lengths(database, kept.rankers);
        // A ranker whose field is twice as long on average in the database's own records.
        FusionModel twice = kept;
        twice.rankers[1].parameters["average_length"] *= 2;
        const SearchRequest request = request_of(
            Xapian::Query(Xapian::Query::OP_OR, Xapian::Query("w0"), Xapian::Query("w1")));
        const Scores now = searched(database, of_fields(), request);
        REQUIRE(now.size() > 5);
        check_equal(searched(database, kept, request), now, 1e-12);
        CHECK(searched(database, twice, request) != now);
    }
}
