// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/feature_extractor.h"

#include <cmath>

#include "braid/core/eval/measure.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;

namespace {

// Six documents named D1 .. D6 in a term, a value and the data; "cat" is in those of even numbers.
Xapian::WritableDatabase library(const std::string& path = "") {
    Xapian::WritableDatabase database =
        path.empty() ? Xapian::WritableDatabase("", Xapian::DB_BACKEND_INMEMORY)
                     : Xapian::WritableDatabase(path, Xapian::DB_CREATE);
    for (int i = 1; i <= 6; ++i) {
        Xapian::Document document;
        const std::string name = "D" + std::to_string(i);
        document.add_term("old", 7 - i);
        if (i % 2 == 0) document.add_term("cat", i);
        document.add_boolean_term("XID" + name);
        document.add_value(3, name);
        document.set_data(name + "\nmore");
        database.add_document(document);
    }
    database.commit();
    return database;
}

}  // namespace

TEST_CASE("Feature extractor: rows have names, served scores, grades and bounds") {
    const Xapian::Database database = library();
    const FusionModel model{
        .rankers = {{.ranker = "bm25", .weight = 9}, {.ranker = "tf", .weight = 0}}};
    Judgements judgements;
    for (const auto& [name, grade] : {std::pair("D4", 2), {"D1", 1}, {"D6", 0}, {"gone", 3}}) {
        judgements.add("1", name, grade);
    }
    for (const std::string names : {"term:XID", "value:3", "data"}) {
        INFO(names);
        FeatureOptions options;
        options.search.names = DocumentNameSource::parse(names);
        FeatureExtractor extractor(database, model, options);
        CHECK(extractor.rankers() == std::vector<std::string>{"bm25", "tf"});
        const TrainingSet rows = extractor.extract({"1", "cat!"}, judgements.find("1"));
        CHECK(rows.queries[0] == "1");
        CHECK(rows.documents == std::vector<std::string>{"D2", "D4", "D6"});
        CHECK(rows.grades == std::vector<Grade>{kUnjudged, 2, 0});
        CHECK(rows.unpooled[0] == std::vector<Grade>{1, 3});
        REQUIRE(rows.scores.size() == 6);
        CHECK(rows.scores[1] == 2);
        CHECK(rows.scores[3] == 4);
        CHECK(rows.scores[5] == 6);
        const Scores bm25 = all_matches(database, FusedWeight(FusionModel{}), Xapian::Query("cat"));
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK_THAT(rows.scores[2 * i],
                       WithinRel(bm25.at(static_cast<Xapian::docid>(2 * i + 2)), 1e-12));
        }
        REQUIRE(rows.bounds.size() == 2);
        CHECK(rows.bounds[1] >= 6);

        options.pool.add_judged = true;
        FeatureExtractor with_judged(database, model, options);
        const TrainingSet more = with_judged.extract({"1", "cat"}, judgements.find("1"));
        CHECK(more.documents == std::vector<std::string>{"D1", "D2", "D4", "D6"});
        CHECK(more.grades == std::vector<Grade>{1, kUnjudged, 2, 0});
        CHECK(more.unpooled[0] == std::vector<Grade>{3});
        CHECK(more.scores[0] == 0);
    }
}

TEST_CASE("Feature extractor: numbers are names where there are no others") {
    Judgements judgements;
    judgements.add("q", "4", 1);
    judgements.add("q", "5", 1);
    judgements.add("q", "04", 1);
    judgements.add("q", "99999999999999999999", 1);
    FeatureOptions options;
    options.pool.add_judged = true;
    FeatureExtractor extractor(library(), {}, options);
    const TrainingSet rows = extractor.extract({"q", "cat"}, judgements.find("q"));
    CHECK(rows.documents == std::vector<std::string>{"2", "4", "5", "6"});
    CHECK(rows.unpooled[0].size() == 2);
}

TEST_CASE("Feature extractor: features don't depend on the time they take") {
    FeatureOptions options;
    options.search.limits.time = 5;
    CHECK_THROWS_WITH(FeatureExtractor(Xapian::Database(), FusionModel{}, options),
                      Catch::Matchers::Contains("found a time limit"));
}

TEST_CASE("Feature extractor: what is known of a query") {
    const Xapian::Database database = library();
    FeatureExtractor extractor(database, {});
    const TrainingSet rows = extractor.extract({"q", "old cat old dog"}, nullptr);
    CHECK(extractor.query_feature_names() == std::vector<std::string>{"length", "words", "unknown",
                                                                      "idf-sum", "idf-mean",
                                                                      "idf-max", "idf-min"});
    const double cat = std::log(2.0);
    CHECK(rows.query_features == std::vector<double>{4, 3, 1, cat, cat / 2, cat, 0});
    CHECK(rows.grades == std::vector<Grade>(6, kUnjudged));
    const TrainingSet empty = extractor.extract({"q", " ... "}, nullptr);
    CHECK(empty.documents.empty());
    CHECK(empty.query_features == std::vector<double>(7, 0.0));
    CHECK(empty.bounds == std::vector<double>{0});

    Random random(seed());
    const TopicCorpus corpus(random, 40, 20, VectorCoding::kSigned8, TopicCorpus::kIntact);
    FeatureExtractor topical(
        corpus.database(), {.rankers = {{.ranker = "lda"}, {.ranker = "lsa"}, {.ranker = "lbdm"}}});
    REQUIRE(topical.query_feature_names().size() == 9);
    CHECK(topical.query_feature_names()[7] == "known:lda");
    CHECK(topical.query_feature_names()[8] == "known:lsa");
    CHECK(topical.extract({"q", "w0 unheard"}, nullptr).query_features[8] == 0.5);
}

TEST_CASE("Feature extractor: a query that its database outran is done again") {
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer = library(path);
    const auto add_documents = [&](int first) {
        for (int i = first; i < first + 2000; ++i) {
            Xapian::Document document;
            document.add_term("cat", 2);
            for (int k = 0; k < 10; ++k) document.add_term("t" + std::to_string(10 * i + k));
            writer.add_document(document);
        }
        writer.commit();
    };
    add_documents(0);
    FeatureExtractor extractor{Xapian::Database(path), {}};
    CHECK(extractor.extract({"q", "dog"}, nullptr).documents.empty());
    for (int commit = 1; commit < 5; ++commit) {
        writer.delete_document(static_cast<Xapian::docid>(2 * commit));
        add_documents(2000 * commit);
    }
    FeatureExtractor fresh{Xapian::Database(path), {}};
    const TrainingSet expected = fresh.extract({"q", "cat t77777"}, nullptr);
    CHECK(expected.documents.size() == 1000);
    CHECK(extractor.extract({"q", "cat t77777"}, nullptr) == expected);
}
