// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/error.h"
#include "braid/plugin/query/query_words.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

// Not so deep that Xapian can't free it.
constexpr std::size_t kTooDeep = 20'000;

Query nested(std::size_t levels) {
    Query query("w0");
    for (std::size_t i = 0; i < levels; ++i) {
        query = Query(i % 2 == 0 ? Query::OP_AND_MAYBE : Query::OP_OR, query, Query("w1"));
    }
    return query;
}

std::string problem(const Query& query, const Limits& limits) {
    return error_of<InvalidArgument>([&] { check_query(query, limits); });
}

std::string text_problem(const std::string& text, const Limits& limits) {
    return error_of<InvalidArgument>([&] { check_query_text(text, limits); });
}

Xapian::Database small_database() {
    Random random(seed(), 1);
    return RandomCorpus(random, 50, 20, 10).database();
}

}  // namespace

TEST_CASE("Query limits: levels and words are counted exactly") {
    const Limits limits{.words = 5, .nesting = 3};
    CHECK(problem(Query(), limits) == "");
    CHECK(problem(Query::MatchAll, limits) == "");
    CHECK(problem(nested(3), limits) == "");
    CHECK_THAT(problem(nested(4), limits),
               Contains("nested more than 3 levels") && Contains("the limit 'nesting'"));
    const std::vector<std::string> five = {"a", "b", "c", "d", "e"};
    const std::vector<std::string> six = {"a", "b", "c", "d", "e", "f"};
    CHECK(problem(Query(Query::OP_OR, five.begin(), five.end()), limits) == "");
    CHECK_THAT(problem(Query(Query::OP_OR, six.begin(), six.end()), limits),
               Contains("more than 5 words") && Contains("the limit 'words'"));
    CHECK(text_problem("a b, c-d e!", limits) == "");
    CHECK_THAT(text_problem("a b c d e,f", limits), Contains("more than 5 words"));
    CHECK(text_problem("(((a)))(b)", limits) == "");
    CHECK_THAT(text_problem("((((a", limits), Contains("nested more than 3 levels"));
}

TEST_CASE("Query limits: a subquery that is shared a million times is no more work") {
    Query query("w0");
    for (int i = 0; i < 60; ++i) query = Query(Query::OP_XOR, query, query);
    CHECK_THAT(problem(query, {}), Contains("more than 10000 words"));
}

TEST_CASE("Query limits: a deep query is refused before anything recurses, of a user's own, too") {
    Searcher searcher(small_database());
    SearchRequest request;
    request.explain = true;
    request.query = nested(kTooDeep);
    CHECK_THROWS_WITH(searcher.search(request), Contains("the limit 'nesting'"));
    request.query = Query("w0");
    request.filter = nested(kTooDeep);
    CHECK_THROWS_WITH(searcher.search(request), Contains("the limit 'nesting'"));
    request = {};
    request.text = repeated("(w1 AND ", kTooDeep) + "w0" + repeated(")", kTooDeep);
    CHECK_THROWS_WITH(searcher.search(request), Contains("the limit 'nesting'"));
    request.text = "w0";
    request.filters = {repeated("(", 500'000)};
    CHECK_THROWS_WITH(searcher.search(request), Contains("the limit 'nesting'"));
    // Levels without brackets.
    request.filters = {};
    request.text = "w0" + repeated(" NOT w1", 4000);
    try {
        searcher.search(request);
    } catch (const InvalidArgument& error) {
        CHECK_THAT(error.what(), Contains("the limit 'nesting'"));
    }
}

TEST_CASE("Query limits: what is within them runs, explained") {
    Searcher searcher(small_database());
    SearchRequest request;
    request.explain = true;
    request.query = nested(Limits{}.nesting);
    CHECK_FALSE(searcher.search(request).hits.empty());
}

TEST_CASE("Query limits: a query of too many words is refused at once") {
    Searcher searcher(small_database());
    SearchRequest request;
    request.text = repeated("w0 ", 170'000);
    CHECK_THROWS_WITH(searcher.search(request), Contains("more than 10000 words"));
    CHECK_THROWS_WITH(searcher.bag_of_words(request.text), Contains("more than 10000 words"));
    SearcherOptions options;
    options.limits.words = 3;
    Searcher strict(small_database(), options);
    CHECK_NOTHROW(strict.bag_of_words("w1 ((((w2 w3"));
    CHECK_THROWS_WITH(strict.bag_of_words("w1 w2 w3 w4"), Contains("more than 3 words"));
}

TEST_CASE("Query limits: a wildcard stands for as many terms as are allowed") {
    const auto matches = [](std::size_t expansion) {
        SearcherOptions options;
        options.search.wildcards = true;
        options.index = IndexSettings{};
        options.index->analysis.stemmer = "none";
        options.limits.expansion = expansion;
        Searcher searcher(small_database(), options);
        SearchRequest request;
        request.text = "w*";
        request.count = 100;
        return searcher.search(request).hits.size();
    };
    CHECK(matches(1) < matches(20));
}
