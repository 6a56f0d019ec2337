// SPDX-License-Identifier: GPL-2.0-or-later
// What PoolScorer says of queries that are more than a list of words.
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "braid/core/lexical/ranker.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_builder.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/tests/plugin/random_shapes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

TopicCorpus small_corpus(Random& random) { return {random, 120, 14}; }

// Those that one pass serves.
FusionModel served_rankers() {
    FusionModel model{.rankers = {}};
    double weight = 0.5;
    for (const LexicalRankerInfo& info : lexical_rankers()) {
        if (info.traits.needs_record() || !info.traits.is_sum) continue;
        if (info.traits.blends_fields) continue;
        model.rankers.push_back({.ranker = info.name, .weight = weight += 0.1});
    }
    return model;
}

// Xapian 2 knows the words of a wildcard from the shards that look for them, and doesn't look in a
// shard where another part of an AND has no match: the wildcard's scores depend on the whole query.
bool follows_shards(const Query& query, std::size_t shards) {
    return kIsXapian2 && shards > 1 &&
           has_part(query, [](const Query& part) { return part.get_type() == Query::OP_WILDCARD; });
}

std::vector<Xapian::docid> documents_of(const Xapian::Database& database) {
    return {database.postlist_begin(""), database.postlist_end("")};
}

// What a ranker gives a document whatever words it has.
double document_part(const Xapian::Database& database, const RankerSpec& spec, const Query& query,
                     Xapian::docid docid) {
    const auto scorer = make_lexical_ranker(spec.ranker, spec.parameters)
                            ->document_scorer({collection_statistics(database),
                                               static_cast<double>(scored_length(query))});
    if (scorer == nullptr) return 0;
    return scorer->score({.length = static_cast<double>(database.get_doclength(docid))});
}

void check_equal_to(double found, double expected) {
    CHECK(std::abs(found - expected) <= 1e-9 * expected + 1e-12);
}

// Checks a column, document by document, against a search by that ranker alone.
void check_column(const Xapian::Database& database, const FusionModel& model, std::size_t column,
                  const Query& query, const PoolScores& pool) {
    INFO("ranker " << model.rankers[column].label());
    RankerSpec alone = model.rankers[column];
    alone.weight = 1;
    const Scores served = searched(database, {.rankers = {alone}}, request_of(query));
    const auto documents = documents_of(database);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const double value = pool.rows.scores[i * pool.rows.width() + column];
        CHECK(value <= pool.rows.bounds[column] * (1 + 1e-12) + 1e-12);
        const auto found = served.find(documents[i]);
        check_equal_to(value, found != served.end()
                                  ? found->second
                                  : document_part(database, alone, query, documents[i]));
    }
}

}  // namespace

TEST_CASE("Pool shapes: every ranker gives what serving gives, and absent documents their own part",
          "[property]") {
    Random random(seed());
    const TopicCorpus corpus = small_corpus(random);
    const FusionModel model = served_rankers();
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        const auto documents = documents_of(database);
        PoolScorer scorer(database, model);
        for (int round = 0; round < 30; ++round) {
            const Query query = random_shape(random, corpus.corpus(), 3, true);
            if (query.empty() || follows_shards(query, shards)) continue;
            INFO(shards << " shards, " << query.get_description());
            const PoolScores pool = scorer.score(query, documents);
            for (std::size_t column = 0; column < pool.rows.width(); ++column) {
                check_column(database, model, column, query, pool);
            }
        }
    }
}

TEST_CASE("Pool shapes: rows add up to what is found among all documents", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus = small_corpus(random);
    FusionModel model = served_rankers();
    model.rankers.push_back({.ranker = "lsa", .weight = 5});
    std::size_t without_match = 0;
    for (const std::size_t shards : {1U, 2U}) {
        const Xapian::Database database = corpus.database(shards);
        const auto documents = documents_of(database);
        PoolScorer scorer(database, model);
        for (int round = 0; round < 40; ++round) {
            const Query query = random_shape(random, corpus.corpus(), 2, false);
            if (query.empty() || follows_shards(query, shards)) continue;
            INFO(shards << " shards, " << query.get_description());
            SearchRequest request = request_of(query);
            const std::size_t matching = searched(database, model, request).size();
            request.candidates = Candidates::kAll;
            const Scores served = searched(database, model, request);
            without_match += served.size() - matching;
            const PoolScores pool = scorer.score(query, documents);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                const auto found = served.find(documents[i]);
                if (found == served.end()) continue;
                double sum = 0;
                for (std::size_t k = 0; k < pool.rows.width(); ++k) {
                    sum += model.rankers[k].weight * pool.rows.scores[i * pool.rows.width() + k];
                }
                check_equal_to(sum, found->second);
            }
        }
    }
    CHECK(without_match > 100);
}

TEST_CASE("Pool shapes: words of an AND, of a NOT and of a phrase count where it matches") {
    Random random(seed(), 2);
    const TopicCorpus corpus = small_corpus(random);
    const Xapian::Database database = corpus.database(2);
    const auto documents = documents_of(database);
    PoolScorer scorer(database, {.rankers = {{.ranker = "tf"}, {.ranker = "bm25"}}});
    const Query a("w2");
    const Query b("w3");
    const PoolScores only_a = scorer.score(a, documents);
    const PoolScores only_b = scorer.score(b, documents);
    const auto both = [](double x, double y) { return x > 0 && y > 0 ? x + y : 0; };
    const auto first = [](double x, double y) { return y > 0 ? 0 : x; };
    const auto maybe = [](double x, double y) { return x > 0 ? x + y : 0; };
    const auto filtered = [](double x, double y) { return y > 0 ? x : 0; };
    const auto odd = [](double x, double y) { return x > 0 && y > 0 ? 0 : x + y; };
    const std::vector<std::pair<Query::op, std::function<double(double, double)>>> cases = {
        {Query::OP_AND, both},
        {Query::OP_AND_NOT, first},
        {Query::OP_AND_MAYBE, maybe},
        {Query::OP_FILTER, filtered},
        {Query::OP_XOR, odd}};
    for (const auto& [op, expected] : cases) {
        const PoolScores pool = scorer.score(Query(op, a, b), documents);
        for (std::size_t k = 0; k < pool.rows.scores.size(); ++k) {
            check_equal_to(pool.rows.scores[k],
                           expected(only_a.rows.scores[k], only_b.rows.scores[k]));
        }
    }
}

TEST_CASE("Pool shapes: rankers that need unique terms score phrases beside words") {
    Random random(seed(), 3);
    const TopicCorpus corpus = small_corpus(random);
    const Xapian::Database database = corpus.database(2);
    const auto documents = documents_of(database);
    const FusionModel model{.rankers = {{.ranker = "lm-absdiscount"}, {.ranker = "bm25"}}};
    PoolScorer scorer(database, model);
    const Query phrase(Query::OP_PHRASE, Query("w0"), Query("w1"));
    const PoolScores pool = scorer.score(Query(Query::OP_OR, phrase, Query("w2")), documents);
    const PoolScores of_phrase = scorer.score(phrase, documents);
    const PoolScores of_word = scorer.score(Query("w2"), documents);
    const PoolScores of_words = scorer.score(bag_of_words({"w0", "w1"}), documents);
    // What belongs to no word, of a query of so many.
    const auto unheard = [&](Xapian::termcount length, std::size_t i) {
        return scorer.score(Query("unheard", length), std::vector{documents[i]}).rows.scores[0];
    };
    const Scores found = all_matches(database, Xapian::BoolWeight(), phrase);
    REQUIRE(found.size() > 10);
    REQUIRE(found.size() < 110);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const bool matches = found.contains(documents[i]);
        check_equal_to(of_phrase.rows.scores[2 * i],
                       matches ? of_words.rows.scores[2 * i] : unheard(2, i));
        check_equal_to(pool.rows.scores[2 * i], of_phrase.rows.scores[2 * i] - unheard(2, i) +
                                                    of_word.rows.scores[2 * i] - unheard(1, i) +
                                                    unheard(3, i));
    }
    // What Xapian alone can evaluate is beyond a ranker that Xapian tells too little.
    CHECK_THROWS_WITH(scorer.score(Query(Query::OP_MAX, Query("w0"), Query("w1")), documents),
                      Contains("lm-absdiscount") && Contains("unique terms"));
}

TEST_CASE("Pool shapes: all documents are no word of the query") {
    const Query text = bag_of_words({"w0", "w1", "w1"});
    CHECK(scored_length(text) == 3);
    CHECK(scored_length(Query(Query::OP_AND_MAYBE, Query::MatchAll, text)) == 3);
    CHECK(scored_length(Query::MatchAll) == 1);
    CHECK(scored_length(Query(Query::OP_VALUE_GE, 1, "3")) == 1);
    CHECK(scored_length(Query()) == 1);
    CHECK(scored_length(Query(Query::OP_FILTER, text, Query("XEVEN"))) == 3);
    CHECK(scored_length(Query(Query::OP_PHRASE, Query("w0"), Query("w1"))) == 2);
    CHECK(scored_length(Query(Query::OP_SCALE_WEIGHT, text, 0.5)) == 3);
}
