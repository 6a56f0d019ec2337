// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/core/lexical/field_weights.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/sources.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Path = SearchRequest::Path;

// Fields weighed before saturation, and factors of the score: what other words and values of a
// document do to the score of its words.

namespace {

constexpr double kNow = 19000 * 86400.0;
constexpr Xapian::valueno kDate = 7;

IndexSettings weighed_settings() {
    IndexSettings settings;
    settings.analysis.stemming = AnalysisSettings::Stemming::kNone;
    settings.fields = {{.name = "title", .prefix = "S"},
                       {.name = "author", .prefix = "A", .free_text = false},
                       {.name = "section", .prefix = "XS", .free_text = false, .exact = true},
                       {.name = "text"},
                       {.name = "date", .free_text = false, .slot = kDate, .numeric = true}};
    return settings;
}

std::string random_word(Random& random) {
    const double share = random.uniform();
    return "w" + std::to_string(static_cast<int>(share * share * 25));
}

Xapian::Document random_document(Random& random, std::size_t i) {
    Xapian::Document document;
    for (std::size_t k = random.below(5); k-- > 0;) {
        const std::string word = random_word(random);
        document.add_term(word, 2);
        document.add_term("S" + word, 1);
    }
    for (std::size_t k = random.below(30); k-- > 0;) document.add_term(random_word(random));
    for (std::size_t k = random.below(3); k-- > 0;) document.add_term("A" + random_word(random));
    document.add_boolean_term(i % 3 == 0 ? "XSgames" : "XSweb");
    if (i % 4 != 1) {
        const double days = static_cast<double>(random.below(2000));
        document.add_value(kDate, Xapian::sortable_serialise(kNow - 86400 * days));
    }
    return document;
}

std::vector<Xapian::Document> random_documents(Random& random, std::size_t size) {
    std::vector<Xapian::Document> documents;
    for (std::size_t i = 0; i < size; ++i) documents.push_back(random_document(random, i));
    return documents;
}

Xapian::Database database_of(const std::vector<Xapian::Document>& documents, std::size_t shards) {
    return in_memory_shards(shards, [&](Xapian::WritableDatabase& part, std::size_t number) {
        for (std::size_t i = number; i < documents.size(); i += shards) {
            part.add_document(documents[i]);
        }
        store_index_settings(part, weighed_settings());
        part.commit();
    });
}

double count_of(const Xapian::Document& document, const std::string& term) {
    auto at = document.termlist_begin();
    at.skip_to(term);
    return at != document.termlist_end() && *at == term ? static_cast<double>(at.get_wdf()) : 0;
}

// (1) and (2) of docs/algorithms/bm25f.md, of each document that has a word.
Scores naive_blend(const std::vector<Xapian::Document>& documents, const RankerSpec& spec,
                   const std::vector<std::string>& words) {
    const Xapian::Database database = database_of(documents, 1);
    const FieldWeights weights = parse_field_weights(spec.field);
    const auto ranker = make_lexical_ranker("bm25", spec.parameters);
    Scores scores;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        for (const std::string& word : words) {
            if (count_of(documents[i], word) == 0) continue;
            double sum = weights.whole * count_of(documents[i], word);
            for (const FieldWeight& field : weights.fields) {
                const std::string prefix = field.field == "title" ? "S" : "A";
                sum += field.weight * count_of(documents[i], prefix + word);
            }
            const auto docid = static_cast<Xapian::docid>(i + 1);
            const double times = static_cast<double>(std::count(words.begin(), words.end(), word));
            const auto scorer = ranker->term_scorer(
                term_statistics(database, collection_statistics(database), word, times));
            scores[docid] +=
                scorer->score({sum, static_cast<double>(database.get_doclength(docid))}) / times;
        }
    }
    return scores;
}

FusionModel blends() {
    return {.rankers = {{.ranker = "bm25f", .field = "title^5"},
                        {.ranker = "lm-jm", .weight = 0.5},
                        {.ranker = "bm25f",
                         .name = "mixed",
                         .field = "*^0.25 title author^2",
                         .parameters = {{"k1", 2}, {"b", 0.3}},
                         .weight = 1.5}}};
}

FusionModel boosts() {
    return {
        .rankers = {{.ranker = "bm25"},
                    {.ranker = "filter", .field = "section:games", .parameters = {{"times", 1.5}}},
                    {.ranker = "value-decay",
                     .field = "date",
                     .parameters = {{"half_life", 365}, {"times", 3}},
                     .weight = 2},
                    {.ranker = "value-reciprocal",
                     .field = "date",
                     .parameters = {{"scale", kNow}},
                     .weight = 4},
                    {.ranker = "filter",
                     .name = "not old",
                     .field = "date:1600000000..",
                     .parameters = {{"times", 0.25}}},
                    {.ranker = "filter", .field = "section:web", .weight = 2}}};
}

// (1) and (2) of docs/algorithms/boosts.md.
Scores naive_boosts(const std::vector<Xapian::Document>& documents, Scores scores) {
    for (auto& [docid, score] : scores) {
        const Xapian::Document& document = documents[docid - 1];
        const std::string date = document.get_value(kDate);
        const bool is_game = (docid - 1) % 3 == 0;
        if (!is_game) score += 2;
        if (!date.empty()) {
            const double number = Xapian::sortable_unserialise(date);
            score += 4 * kNow / (kNow + number);
            const double age = (kNow - number) / 86400;
            score *= std::pow(1 + 2 * std::exp2(-age / 365), 2);
            if (number >= 1600000000) score *= 0.25;
        }
        if (is_game) score *= 1.5;
    }
    return scores;
}

SearchRequest request_at(const std::vector<std::string>& words, Xapian::doccount count,
                         Path path = Path::kFastest) {
    SearchRequest request = request_of(bag_of_words(words), count);
    request.inputs.now = kNow;
    request.path = path;
    return request;
}

std::vector<std::string> random_words(Random& random) {
    std::vector<std::string> words(1 + random.below(4));
    for (std::string& word : words) word = random_word(random);
    return words;
}

// That the best 4 of a search are the best of all.
void check_top(const Scores& best, const Scores& all) {
    CHECK(best.size() == std::min<std::size_t>(4, all.size()));
    for (const auto& [docid, score] : best) {
        CHECK(score == Approx(all.at(docid)).epsilon(1e-12));
        const double above = score * (1 + 1e-12);
        CHECK(std::count_if(all.begin(), all.end(),
                            [&](const auto& hit) { return hit.second > above; }) < 4);
    }
}

void check_explained(const std::vector<SearchHit>& hits) {
    for (const SearchHit& hit : hits) {
        double sum = 0;
        for (const RankerExplanation& ranker : hit.explanation->rankers) {
            INFO(ranker.label);
            sum += ranker.contribution;
            CHECK(*ranker.value <= *ranker.bound * (1 + 1e-12));
        }
        CHECK(sum == Approx(hit.score).epsilon(1e-9));
    }
}

}  // namespace

TEST_CASE("BM25F: as the sums of the page, on each shard, pruned or not", "[property]") {
    Random random(seed());
    for (int round = 0; round < 10; ++round) {
        const auto documents = random_documents(random, 200);
        auto words = random_words(random);
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        Scores expected =
            naive_scores(database_of(documents, 1), {.rankers = {blends().rankers[1]}}, words);
        for (auto& [docid, score] : expected) score *= 1;
        for (const std::size_t k : {0U, 2U}) {
            for (const auto& [docid, score] : naive_blend(documents, blends().rankers[k], words)) {
                expected[docid] += blends().rankers[k].weight * score;
            }
        }
        Scores first;
        for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
            const Xapian::Database database = database_of(documents, shards);
            const Scores all = searched(database, blends(), request_at(words, 200));
            check_equal(all, expected, 1e-9);
            if (shards == 1) first = all;
            CHECK(all == first);
            check_top(searched(database, blends(), request_at(words, 4)), all);
        }
    }
}

TEST_CASE("BM25F: pools agree with searches, explained within bounds", "[property]") {
    Random random(seed(), 1);
    const auto documents = random_documents(random, 150);
    const Xapian::Database database = database_of(documents, 2);
    SearchRequest request = request_at({"w0", "w3", "w5"}, 150);
    request.explain = true;
    Searcher searcher(database);
    searcher.rank_by(blends());
    const SearchResult result = searcher.search(request);
    CHECK(result.run.pruned);
    REQUIRE(result.hits.size() > 30);
    check_explained(result.hits);
    std::vector<Xapian::docid> docids;
    for (const SearchHit& hit : result.hits) docids.push_back(hit.docid);
    std::sort(docids.begin(), docids.end());
    const PoolScores pool = PoolScorer(database, blends()).score(*request.query, docids);
    for (const SearchHit& hit : result.hits) {
        const auto row = static_cast<std::size_t>(
            std::lower_bound(docids.begin(), docids.end(), hit.docid) - docids.begin());
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(pool.rows.row(row)[k] ==
                  Approx(*hit.explanation->rankers[k].value).epsilon(1e-9));
            CHECK(pool.rows.row(row)[k] <= pool.rows.bounds[k] * (1 + 1e-12));
        }
    }
    // A query that can't be pruned is rescored, to the same scores where it means the same.
    request.query = Xapian::Query(
        Xapian::Query::OP_AND_MAYBE, *request.query,
        Xapian::Query(Xapian::Query::OP_SYNONYM, Xapian::Query("none"), Xapian::Query("nothing")));
    const SearchResult rescored = searcher.search(request);
    CHECK(rescored.run.rescored > 0);
    check_equal(scores_of(rescored), scores_of(result), 1e-9);
}

TEST_CASE("BM25F: what can't be weighed is said") {
    Random random(seed(), 2);
    const Xapian::Database database = database_of(random_documents(random, 20), 1);
    const auto error = [&](const std::string& fields) {
        return error_of([&] {
            Searcher searcher(database);
            searcher.rank_by({.rankers = {{.ranker = "bm25f", .field = fields}}});
            searcher.search(request_at({"w0"}, 3));
        });
    };
    CHECK(error("title^3 author").empty());
    CHECK_THAT(error("titel^3"), Contains("'titel'") && Contains("title, author"));
    CHECK_THAT(error("section"), Contains("'section'"));
    CHECK_THAT(error(""), Contains("name^5 title^2"));
    CHECK_THAT(error("title^x"), Contains("rankers[0].field"));
    CHECK_THROWS_WITH(FusedWeight({.rankers = {{.ranker = "bm25f", .field = "title"}}}),
                      Contains("FusedSource"));
}

TEST_CASE("Boosts: factors multiply and filters add, on each shard, pruned or not", "[property]") {
    Random random(seed(), 3);
    const FusionModel plain{.rankers = {{.ranker = "bm25"}}};
    for (int round = 0; round < 10; ++round) {
        const auto documents = random_documents(random, 200);
        const auto words = random_words(random);
        const Scores expected = naive_boosts(
            documents, searched(database_of(documents, 1), plain, request_at(words, 200)));
        for (const std::size_t shards : {1U, 2U, 4U}) {
            const Xapian::Database database = database_of(documents, shards);
            const Scores all = searched(database, boosts(), request_at(words, 200, Path::kPruned));
            check_equal(all, expected, 1e-9);
            check_top(searched(database, boosts(), request_at(words, 4, Path::kPruned)), all);
        }
    }
}

TEST_CASE("Boosts: explained, and the same by Ranking and in a second pass") {
    Random random(seed(), 4);
    const auto documents = random_documents(random, 150);
    const Xapian::Database database = database_of(documents, 2);
    SearchRequest request = request_at({"w0", "w3"}, 150);
    request.explain = true;
    Searcher searcher(database);
    searcher.rank_by(boosts());
    const SearchResult result = searcher.search(request);
    CHECK(result.run.pruned);
    CHECK_THAT(result.run.path, Contains("multiplied (filter:section:games"));
    REQUIRE(result.hits.size() > 30);
    check_explained(result.hits);
    CHECK_THAT(result.hits[0].explanation->rankers[2].note, Contains("multiplies the score by"));
    Ranking ranking(database, boosts());
    const Applied by_ranking =
        applied(ranking, database, *request.query, {.inputs = request.inputs});
    CHECK(by_ranking.scores == scores_of(result));
    // min_score is of the whole score.
    request.min_score = result.hits[9].score;
    CHECK(searcher.search(request).hits.size() == 10);
    request.min_score = 0;

    FusionModel normalised = boosts();
    normalised.normaliser.normaliser = "arctan";
    Searcher second(database);
    second.rank_by(normalised);
    const SearchResult twice = second.search(request);
    CHECK(twice.run.rescored > 0);
    check_explained(twice.hits);
    FusionModel unboosted = without_factors(normalised);
    second.rank_by(unboosted);
    Scores expected = scores_of(second.search(request));
    FactorReader reader(database, {{.filter = Xapian::Query("XSgames"), .times = 1.5},
                                   {.prior = ValuePrior{.ranker = "value-decay",
                                                        .parameters = {{"half_life", 365}},
                                                        .slot = kDate,
                                                        .now = kNow},
                                    .times = 3,
                                    .weight = 2},
                                   {.filter = Xapian::Query(Xapian::Query::OP_VALUE_GE, kDate,
                                                            Xapian::sortable_serialise(1600000000)),
                                    .times = 0.25}});
    for (auto& [docid, score] : expected) score *= reader.product(docid);
    check_equal(scores_of(twice), expected, 1e-9);
}

TEST_CASE("Boosts: the example worked by hand, and negative scores") {
    const ScoreFactor game{.filter = Xapian::Query("XSgames"), .times = 1.5};
    CHECK(4 * game.of(1) == 6);
    CHECK(4 * game.of(0) == 4);
    const ScoreFactor recent{.times = 3};
    CHECK(4 * game.of(1) * recent.of(0.5) == 12);
    CHECK(4 * game.of(1) * recent.of(1) == 18);
    CHECK(ScoreFactor{.times = 3, .weight = 0}.of(1) == 1);
    CHECK(ScoreFactor{.times = 0.5}.most() == 1);
    CHECK(most_of({game, recent}) == 4.5);
    CHECK(boosted(-4, 2) == -2);
    CHECK(boosted(4, 2) == 8);
}

TEST_CASE("Boosts: a source is sent whole, and what is wrong is refused") {
    Random random(seed(), 5);
    const Xapian::Database database = database_of(random_documents(random, 100), 2);
    const std::vector<ScoreFactor> factors = {
        {.filter = Xapian::Query("XSgames"), .times = 2},
        {.prior = ValuePrior{.ranker = "value-decay", .slot = kDate, .now = kNow}, .times = 0.5}};
    const auto inner = [&] {
        return std::make_unique<FusedSource>(
            FusionModel{}, read_bag_of_words(database, bag_of_words({"w0", "w1"})));
    };
    const BoostedSource source(inner(), factors);
    const std::string bytes = source.serialise();
    Xapian::Registry registry;
    register_all(registry);
    const std::unique_ptr<BoostedSource> copy(
        BoostedSource().unserialise_with_registry(bytes, registry));
    CHECK(copy->serialise() == bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(BoostedSource().unserialise_with_registry(bytes.substr(0, size), registry),
                        Xapian::SerialisationError);
    }
    CHECK_THROWS_AS(BoostedSource().unserialise_with_registry(bytes, Xapian::Registry()),
                    Xapian::SerialisationError);
    const auto run = [&](const BoostedSource& given) {
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(Xapian::CoordWeight());
        enquire.set_query(Xapian::Query(given.clone()->release()));
        return scores_of(enquire.get_mset(0, 100));
    };
    CHECK_FALSE(run(source).empty());
    CHECK(run(*copy) == run(source));
    for (const double times : {0.0, -1.0, 1e7, std::nan("")}) {
        CHECK_THROWS_AS(BoostedSource(inner(), {{.times = times}}), InvalidArgument);
    }
    const auto error = [&](RankerSpec spec) {
        return error_of([&] {
            Searcher searcher(database);
            searcher.rank_by({.rankers = {{.ranker = "bm25"}, std::move(spec)}});
            searcher.search(request_at({"w0"}, 3));
        });
    };
    CHECK_THAT(error({.ranker = "filter"}), Contains("rankers[1].field"));
    CHECK_THAT(error({.ranker = "filter", .field = "sektion:games"}), Contains("'sektion:'"));
    CHECK_THAT(error({.ranker = "filter", .field = "text:1..2"}), Contains("its filter"));
    CHECK_THAT(error({.ranker = "value-log", .field = "section", .parameters = {{"times", 2}}}),
               Contains("no value slot"));
    CHECK_THAT(error({.ranker = "filter", .field = "section:web", .parameters = {{"times", 1e-9}}}),
               Contains("rankers[1].parameters.times"));
    CHECK_THAT(error({.ranker = "filter",
                      .field = "section:web",
                      .parameters = {{"times", 2}},
                      .weight = 11}),
               Contains("rankers[1].weight"));
    CHECK_THAT(error_of([] {
                   validate(FusionModel{.rankers = {{.ranker = "filter",
                                                     .field = "section:web",
                                                     .parameters = {{"times", 2}}}}});
               }),
               Contains("all weights are 0"));
}
