// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/training_set.h"

#include <limits>

#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::kUnjudged;
using braid::TrainingSet;
using namespace braid::test;

// Two rankers; a query with one relevant of two documents, and one without judgements.
TrainingSet small_set() {
    return {.rankers = {"bm25", "lsa"},
            .queries = {"12", "13"},
            .query_begin = {0, 2, 3},
            .scores = {1, 2, 3, 4, 5, 6},
            .grades = {1, 0, kUnjudged},
            .documents = {"D7", "D8", "D9"}};
}

void check_refused(const TrainingSet& set, const std::string& message) {
    CHECK_THROWS_AS(braid::validate(set), braid::InvalidArgument);
    CHECK_THROWS_WITH(braid::validate(set), Contains(message));
}

}  // namespace

TEST_CASE("training set: a score that is no number is refused by query, document and ranker") {
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
        TrainingSet set = small_set();
        CHECK_NOTHROW(braid::validate(set));
        set.scores[3] = value;
        CHECK_THROWS_WITH(braid::validate(set), Contains("'lsa'") && Contains("'D8'") &&
                                                    Contains("'12'") && Contains("finite"));
        set.documents.clear();
        check_refused(set, "document 1 of the pool");
    }
}

TEST_CASE("training set: documents that a log never showed are left out") {
    TrainingSet set = {.rankers = {"bm25", "lsa"},
                       .queries = {"1", "2", "3"},
                       .query_begin = {0, 3, 5, 7},
                       .scores = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
                       .grades = {1, kUnjudged, 0, kUnjudged, 1, 0, kUnjudged},
                       .documents = {"a", "b", "c", "d", "e", "f", "g"},
                       .unpooled = {{1}, {}, {}}};
    set.places = {1, 2, 3, 4, 5, 6, 7};
    const TrainingSet shown = shown_part(set, 1);
    CHECK(shown.query_begin == std::vector<std::size_t>{0, 2, 4, 6});
    CHECK(shown.documents == std::vector<std::string>{"a", "c", "d", "e", "f", "g"});
    CHECK(shown.scores == std::vector<double>{1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
    CHECK(shown.places == std::vector<float>{1, 3, 4, 5, 6, 7});
    CHECK(shown.grades == std::vector<braid::Grade>{1, 0, kUnjudged, 1, 0, kUnjudged});
    CHECK(shown.unpooled == set.unpooled);
    braid::validate(shown);
    // By another least grade the first query tells nothing apart, either.
    CHECK(shown_part(set, 2) == set);
}

TEST_CASE("training set: parts that don't fit together are refused") {
    const auto broken = [](const auto& change) {
        TrainingSet set = small_set();
        change(set);
        return set;
    };
    check_refused(broken([](TrainingSet& set) { set.rankers.clear(); }), "no ranker");
    check_refused(broken([](TrainingSet& set) { set.scores.pop_back(); }), "5 scores, expected 6");
    check_refused(broken([](TrainingSet& set) { set.grades.pop_back(); }), "3 rows");
    check_refused(broken([](TrainingSet& set) { set.query_begin = {0, 3}; }), "expected 3");
    check_refused(broken([](TrainingSet& set) { set.query_begin = {1, 2, 3}; }), "first row");
    check_refused(broken([](TrainingSet& set) { set.query_begin = {0, 4, 3}; }), "ascending");
    check_refused(broken([](TrainingSet& set) { set.documents.pop_back(); }), "names of documents");
    check_refused(broken([](TrainingSet& set) { set.unpooled = {{}}; }), "unpooled");
    check_refused(broken([](TrainingSet& set) { set.bounds = {1}; }), "bounds");
    check_refused(broken([](TrainingSet& set) { set.query_features = {1}; }), "query features");
    check_refused(broken([](TrainingSet& set) { set.rankers[1] = "bm25"; }),
                  "'bm25' is there twice");
    check_refused(broken([](TrainingSet& set) { set.queries[1] = "12"; }), "query '12' is there");
    check_refused(broken([](TrainingSet& set) {
                      set.places = {1, 2, 3, 4};
                  }),
                  "4 numbers of places");
    check_refused(broken([](TrainingSet& set) {
                      set.places = {1, std::numeric_limits<float>::infinity(), 0};
                  }),
                  "place of row 1 has inf");
    check_refused(broken([](TrainingSet& set) {
                      set.query_feature_names = {"length"};
                      set.query_features = {1, std::numeric_limits<double>::quiet_NaN()};
                  }),
                  "feature 'length' of query '13'");
    check_refused(broken([](TrainingSet& set) {
                      set.bounds = {1, 1, std::numeric_limits<double>::infinity(), 1};
                  }),
                  "bound of ranker 'bm25' of query '13'");
}

TEST_CASE("training set: queries are counted by what can be learned from them") {
    TrainingSet set = small_set();
    CHECK(braid::training_counts(set) ==
          braid::TrainingCounts{
              .queries = 2, .documents = 3, .judged_queries = 1, .useful_queries = 1});
    set.unpooled = {{2}, {1}};
    CHECK(braid::training_counts(set) == braid::TrainingCounts{.queries = 2,
                                                               .documents = 3,
                                                               .judged_queries = 2,
                                                               .relevant_unpooled = 1,
                                                               .useful_queries = 1});
    CHECK(braid::training_counts(set, 2).useful_queries == 0);
    CHECK(braid::training_counts(set, 2).relevant_unpooled == 1);
    CHECK(braid::training_counts(set, 2).without_relevant == 1);
    set.grades = {1, 1, 0};
    CHECK(braid::training_counts(set).without_irrelevant == 1);
    CHECK(braid::training_counts(set).useful_queries == 0);
}

TEST_CASE("training set: a query without documents is allowed and useless") {
    TrainingSet set = small_set();
    set.queries.push_back("14");
    set.query_begin.push_back(3);
    CHECK_NOTHROW(braid::validate(set));
    CHECK(braid::training_counts(set).queries == 3);
    CHECK(braid::training_counts(set).useful_queries == 1);
}

TEST_CASE("training set: parts keep what belongs to them") {
    TrainingSet set = small_set();
    set.unpooled = {{2}, {1}};
    set.bounds = {9, 8, 7, 6};
    set.query_feature_names = {"length"};
    set.query_features = {3, 4};
    set.places = {1, 2, 3, 4, 5, 6};
    const std::vector<std::size_t> both = {1, 0};
    const TrainingSet turned = braid::subset(set, both);
    CHECK_NOTHROW(braid::validate(turned));
    CHECK(turned.queries == std::vector<std::string>{"13", "12"});
    CHECK(turned.scores == std::vector<double>{5, 6, 1, 2, 3, 4});
    CHECK(turned.documents == std::vector<std::string>{"D9", "D7", "D8"});
    CHECK(turned.bounds == std::vector<double>{7, 6, 9, 8});
    CHECK(turned.unpooled == std::vector<std::vector<braid::Grade>>{{1}, {2}});
    CHECK(turned.query_features == std::vector<double>{4, 3});
    CHECK(turned.places == std::vector<float>{5, 6, 1, 2, 3, 4});
    CHECK(turned.query_places(0)[1] == 6);
    CHECK(braid::subset(turned, both) == set);

    const std::vector<std::size_t> second = {1};
    const TrainingSet lsa = braid::with_rankers(set, second);
    CHECK_NOTHROW(braid::validate(lsa));
    CHECK(lsa.rankers == std::vector<std::string>{"lsa"});
    CHECK(lsa.scores == std::vector<double>{2, 4, 6});
    CHECK(lsa.bounds == std::vector<double>{8, 6});
}

TEST_CASE("training set: oddities are told") {
    TrainingSet set = braid::test::random_training(braid::test::seed());
    CHECK(braid::oddities(set).empty());
    for (std::size_t i = 0; i < set.rows(); ++i) {
        set.scores[i * 4 + 2] = set.scores[i * 4];
        set.scores[i * 4 + 1] = 3;
    }
    set.grades.assign(set.rows(), kUnjudged);
    set.grades[0] = 0;
    set.grades[45] = 1;
    const std::vector<std::string> told = braid::oddities(set);
    REQUIRE(told.size() == 4);
    CHECK_THAT(told[0], Contains("10 of 12 queries have no judgements"));
    CHECK_THAT(told[1], Contains("1 of 12 queries have no relevant document"));
    CHECK_THAT(told[2], Contains("'r1' gives all documents of a query the same score"));
    CHECK_THAT(told[3], Contains("'r0' and 'r2'"));

    const std::vector<std::size_t> one = {0};
    CHECK_THAT(braid::oddities(braid::with_rankers(set, one)).back(), Contains("one ranker only"));
}
