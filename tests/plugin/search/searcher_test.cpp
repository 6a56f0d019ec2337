// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/searcher.h"

#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

// A small library of books, laid out as Braid's indexer does it: names in slot 0, JSON as data,
// a boolean term for the section, the year in slot 3.
void add_book(Xapian::WritableDatabase& database, const IndexSettings& settings,
              const std::string& name, const std::string& title, const std::string& text,
              const std::string& section, int year) {
    Xapian::Document document;
    Xapian::TermGenerator generator;
    configure(generator, settings.analysis, nullptr);
    generator.set_document(document);
    generator.index_text(title, 1, "S");
    generator.index_text(title);
    generator.increase_termpos();
    generator.index_text(text);
    document.add_boolean_term("XSECTION" + section);
    document.add_boolean_term("Q" + name);
    document.add_value(kNameSlot, name);
    document.add_value(3, Xapian::sortable_serialise(year));
    document.set_data("{\"title\":\"" + title + "\",\"text\":\"" + text + "\"}");
    database.add_document(document);
}

IndexSettings book_settings() {
    IndexSettings settings;
    settings.fields = {
        {.name = "title", .prefix = "S"},
        {.name = "text"},
        {.name = "section", .prefix = "XSECTION", .free_text = false, .exact = true},
        {.name = "year", .free_text = false, .slot = 3, .numeric = true},
    };
    return settings;
}

void add_books(Xapian::WritableDatabase& database) {
    const IndexSettings settings = book_settings();
    add_book(database, settings, "whale", "The whale", "A whaling ship hunts a white whale.", "sea",
             1851);
    add_book(database, settings, "island", "Treasure island",
             "A ship sails for buried treasure; pirates \\\"sail\\\" too & fight.", "sea", 1883);
    add_book(database, settings, "moors", "The moors", "Wind and weather on the moors.", "land",
             1847);
    add_book(database, settings, "ships", "Ships", "Ships, ships and ships.", "sea", 1900);
    add_book(database, settings, "garden", "A secret garden", "A garden behind a wall.", "land",
             1911);
    store_index_settings(database, settings);
    store_document_names(database, {.kind = DocumentNameSource::Kind::kValue, .slot = kNameSlot});
}

Xapian::Database books() {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    add_books(database);
    return database;
}

std::vector<std::string> names_of(const SearchResult& result) {
    std::vector<std::string> names;
    for (const SearchHit& hit : result.hits) names.push_back(hit.name);
    return names;
}

std::vector<std::string> found(Searcher& searcher, const SearchRequest& request) {
    return names_of(searcher.search(request));
}

FusionModel two_rankers() {
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lm-dirichlet", .weight = 0.25}};
    return model;
}

double explained(const SearchHit& hit) {
    double sum = 0;
    for (const RankerExplanation& ranker : hit.explanation->rankers) {
        REQUIRE(ranker.value.has_value());
        CHECK_THAT(ranker.contribution, WithinRel(ranker.weight * *ranker.value, 1e-12));
        if (ranker.bound) CHECK(*ranker.value <= *ranker.bound * (1 + 1e-9));
        sum += ranker.contribution;
    }
    return sum;
}

}  // namespace

TEST_CASE("Searcher: finds by stemmed words, and shows names, fields and what matched") {
    Searcher searcher(books());
    const SearchResult result = searcher.search({.text = "sailing ship"});
    REQUIRE(names_of(result) == std::vector<std::string>{"island", "ships", "whale"});
    const SearchHit& first = result.hits[0];
    CHECK(first.rank == 1);
    CHECK(first.docid == 2);
    CHECK(first.score > result.hits[1].score);
    CHECK(first.title == "Treasure island");
    CHECK(first.fields.at("title") == "Treasure island");
    CHECK(first.terms == std::vector<std::string>{"Zsail", "Zship"});
    CHECK(result.matches == 3);
    CHECK(result.reopened == 0);
}

TEST_CASE("Searcher: a snippet marks the words that matched, as text or as HTML") {
    Searcher searcher(books());
    SearchRequest request{.text = "sail"};
    request.snippet = {.length = 200, .highlight_begin = "[", .highlight_end = "]"};
    CHECK(searcher.search(request).hits.at(0).snippet ==
          "A ship [sails] for buried treasure; pirates \"[sail]\" too & fight.");
    request.snippet.html = true;
    request.snippet.highlight_begin = "<b>";
    request.snippet.highlight_end = "</b>";
    CHECK_THAT(searcher.search(request).hits.at(0).snippet,
               Catch::Contains("<b>sails</b>") && Catch::Contains("too &amp; fight"));
    request.snippet.length = 0;
    CHECK(searcher.search(request).hits.at(0).snippet.empty());
}

TEST_CASE("Searcher: the query syntax, with phrases, prefixes, filters and ranges") {
    Searcher searcher(books());
    using Names = std::vector<std::string>;
    CHECK(found(searcher, {.text = "\"buried treasure\""}) == Names{"island"});
    CHECK(found(searcher, {.text = "\"treasure buried\""}).empty());
    CHECK(found(searcher, {.text = "title:moors"}) == Names{"moors"});
    CHECK(found(searcher, {.text = "ship -whale"}) == Names{"ships", "island"});
    CHECK(found(searcher, {.text = "section:land garden moors"}).size() == 2);
    CHECK(found(searcher, {.text = "ship year:1880..1890"}) == Names{"island"});
    CHECK_THROWS_WITH(searcher.search({.text = "ship AND"}),
                      Catch::Contains("query 'ship AND': Syntax"));
    CHECK(found(searcher, {.text = ""}).empty());
    CHECK(found(searcher, {.text = "unheard-of"}).empty());
}

TEST_CASE("Searcher: filters keep results and leave their scores alone") {
    Searcher searcher(books());
    searcher.rank_by(two_rankers());
    std::map<std::string, double> scores;
    for (const SearchHit& hit : searcher.search({.text = "ship whale garden"}).hits) {
        scores[hit.name] = hit.score;
    }
    REQUIRE(scores.size() == 4);
    for (const std::vector<std::string>& filters :
         {std::vector<std::string>{"section:sea"}, std::vector<std::string>{"year:1840..1895"},
          std::vector<std::string>{"section:sea", "year:1840..1895"},
          std::vector<std::string>{"title:island"}}) {
        SearchRequest request{.text = "ship whale garden", .filters = filters};
        const SearchResult result = searcher.search(request);
        CHECK(!result.hits.empty());
        CHECK(result.hits.size() < 4);
        for (const SearchHit& hit : result.hits) {
            CHECK_THAT(hit.score, WithinRel(scores.at(hit.name), 1e-12));
        }
    }
    for (const SearchHit& hit : searcher.search({.text = "ship whale garden section:sea"}).hits) {
        CHECK_THAT(hit.score, WithinRel(scores.at(hit.name), 1e-12));
    }
    const SearchRequest by_query{.text = "ship", .filter = Query("Qisland")};
    CHECK(found(searcher, by_query) == std::vector<std::string>{"island"});
}

TEST_CASE("Searcher: filters alone give documents in their order, without scores") {
    Searcher searcher(books());
    searcher.rank_by(two_rankers());
    for (const SearchRequest& request :
         {SearchRequest{.text = "section:sea"}, SearchRequest{.filters = {"section:sea"}}}) {
        const SearchResult result = searcher.search(request);
        CHECK(names_of(result) == std::vector<std::string>{"whale", "island", "ships"});
        for (const SearchHit& hit : result.hits) CHECK(hit.score == 0);
    }
}

TEST_CASE("Searcher: sorts, pages and cuts off") {
    Searcher searcher(books());
    using Names = std::vector<std::string>;
    const std::string text = "ship moors garden";
    CHECK(found(searcher, {.text = text, .sort = SortBy{3, false}}) ==
          Names{"moors", "whale", "island", "ships", "garden"});
    CHECK(found(searcher, {.text = text, .sort = SortBy{3, true}}).front() == "garden");
    const SearchResult all = searcher.search({.text = text});
    const SearchResult page = searcher.search({.text = text, .first = 2, .count = 2});
    REQUIRE(page.hits.size() == 2);
    CHECK(page.hits[0].rank == 3);
    CHECK(page.hits[0].name == all.hits[2].name);
    CHECK(page.hits[0].score == all.hits[2].score);
    const double cut = 0.5 * (all.hits[2].score + all.hits[3].score);
    REQUIRE(all.hits[2].score > all.hits[3].score);
    CHECK(searcher.search({.text = text, .min_score = cut}).hits.size() == 3);
    CHECK(searcher.search({.text = text, .first = 2, .min_score = cut}).hits.size() == 1);
}

TEST_CASE("Searcher: collapsing keeps the best of each value and counts the others") {
    Random random(seed());
    const RandomCorpus corpus(random, 100, 5, 40);
    Searcher searcher(corpus.database());
    const SearchResult all = searcher.search({.text = "w0 w1", .count = 100});
    const SearchResult kept =
        searcher.search({.text = "w0 w1", .count = 100, .collapse = Collapse{1, 1}});
    REQUIRE(all.hits.size() > 20);
    CHECK(kept.hits.size() == 7);
    CHECK(kept.hits[0].docid == all.hits[0].docid);
    CHECK(kept.hits[0].collapsed > 0);
    CHECK(
        searcher.search({.text = "w0 w1", .count = 100, .collapse = Collapse{1, 2}}).hits.size() ==
        14);
}

TEST_CASE("Searcher: explains a score by rankers and terms") {
    Searcher searcher(books());
    searcher.rank_by(two_rankers());
    const SearchResult result = searcher.search({.text = "ship ship sail", .explain = true});
    REQUIRE(result.hits.size() == 3);
    for (const SearchHit& hit : result.hits) {
        REQUIRE(hit.explanation);
        CHECK_THAT(explained(hit), WithinRel(hit.score, 1e-9));
        CHECK(hit.explanation->note.empty());
        CHECK_THAT(hit.explanation->path, Catch::Contains("FusedSource"));
    }
    const RankerExplanation& bm25 = result.hits[0].explanation->rankers[0];
    CHECK(bm25.label == "bm25");
    CHECK_THAT(bm25.formula, Catch::Contains("idf"));
    // The parser keeps a repeated word as two terms.
    REQUIRE(bm25.terms.size() == 3);
    CHECK(bm25.terms[0].term == "Zship");
    CHECK(bm25.terms[0].value == bm25.terms[1].value);
    CHECK_THAT(bm25.terms[0].value + bm25.terms[1].value + bm25.terms[2].value,
               WithinRel(*bm25.value, 1e-12));
    CHECK(bm25.document_value == 0);
    const RankerExplanation& dirichlet = result.hits[0].explanation->rankers[1];
    CHECK(dirichlet.document_value > 0);
    CHECK(dirichlet.bound.has_value());
}

TEST_CASE("Searcher: explanations add up to the score for every kind of query", "[property]") {
    Random random(seed());
    for (int i = 0; i < 12; ++i) {
        const RandomCorpus corpus(random, 120, 12, 60);
        Searcher searcher(corpus.database(1 + random.below(3)));
        FusionModel model = random_model(random, 4);
        model.rankers.push_back({.ranker = "tf", .name = "shown only", .weight = 0});
        searcher.rank_by(model);
        const Query a("w1");
        const Query b("w2", 2);
        const Query c("w3");
        const Query phrase(Query::OP_PHRASE, a, Query("w2"));
        const Query range(Query::OP_VALUE_RANGE, 1, "1", "4");
        for (const Query& query :
             std::vector<Query>{Query(Query::OP_OR, a, b), Query(Query::OP_AND, a, b), phrase,
                                Query(Query::OP_OR, Query(Query::OP_AND, a, b), c),
                                Query(Query::OP_AND_MAYBE, a, Query(Query::OP_AND, b, c)),
                                Query(Query::OP_AND_NOT, Query(Query::OP_OR, a, b), c),
                                Query(Query::OP_FILTER, Query(Query::OP_OR, a, b), Query("XEVEN")),
                                Query(Query::OP_FILTER, Query(Query::OP_OR, a, b), range),
                                Query(Query::OP_AND, Query(Query::OP_OR, a, c), range),
                                Query(Query::OP_OR, a, Query(Query::OP_OR, a, b)),
                                // From here on not by terms, but by a run for each ranker.
                                Query(Query::OP_OR, phrase, c),
                                Query(Query::OP_OR, Query(Query::OP_AND_NOT, a, b), c),
                                Query(Query::OP_OR, Query(Query::OP_SCALE_WEIGHT, a, 2.5), b),
                                Query(Query::OP_OR, Query(Query::OP_SYNONYM, a, b), c),
                                Query(Query::OP_OR, Query(Query::OP_WILDCARD, "w1"), c)}) {
            INFO(query.get_description());
            SearchRequest request;
            request.query = query;
            request.explain = true;
            for (const SearchHit& hit : searcher.search(request).hits) {
                REQUIRE(hit.explanation->rankers.size() == model.rankers.size());
                CHECK_THAT(explained(hit), WithinRel(hit.score, 1e-9));
            }
        }
    }
}

TEST_CASE("Searcher: ranks by any Xapian weight") {
    Searcher searcher(books());
    searcher.rank_by(Xapian::CoordWeight());
    const SearchResult result = searcher.search({.text = "ship whale", .explain = true});
    REQUIRE(!result.hits.empty());
    CHECK(result.hits[0].name == "whale");
    CHECK(result.hits[0].score == 2);
    CHECK(explained(result.hits[0]) == 2);
    CHECK_THAT(result.hits[0].explanation->path, Catch::Contains(Xapian::CoordWeight().name()));
}

TEST_CASE("Searcher: free text makes a bag of words in which no sign is an operator") {
    Searcher searcher(books());
    CHECK(
        searcher.bag_of_words("Ships AND (\"whales\" -garden) ships, the ship").get_description() ==
        "Query((Zship#3@1 OR Zwhale@2 OR Zgarden@3))");
    // Of stop words alone, those are the query.
    CHECK(searcher.bag_of_words("to be or not").get_length() == 4);
    CHECK(searcher.bag_of_words("...").empty());
}

TEST_CASE("Searcher: a database that another program wrote, with and without stems") {
    for (const bool stems : {true, false}) {
        Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
        Xapian::TermGenerator generator;
        if (stems) generator.set_stemmer(Xapian::Stem("english"));
        for (const char* text : {"first ships\nof the line", "second houses"}) {
            Xapian::Document document;
            generator.set_document(document);
            generator.index_text(text);
            document.set_data(text);
            database.add_document(document);
        }
        Searcher searcher(database);
        CHECK(found(searcher, {.text = "houses"}) == std::vector<std::string>{"2"});
        CHECK(found(searcher, {.text = "house"}).size() == (stems ? 1 : 0));
        CHECK(searcher.search({.text = "line"}).hits.at(0).title == "first ships");
        CHECK(searcher.bag_of_words("ships").get_description() ==
              (stems ? "Query(Zship@1)" : "Query(ships@1)"));
    }
}

TEST_CASE("Searcher: without other names, documents are called by their docid in all shards") {
    Random random(seed());
    const RandomCorpus corpus(random, 40, 5, 40);
    Searcher searcher(corpus.database(3));
    for (const SearchHit& hit : searcher.search({.text = "w0", .count = 40}).hits) {
        CHECK(hit.name == std::to_string(hit.docid));
    }
}

TEST_CASE("Searcher: a database that changes meanwhile is opened again") {
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    const auto add_whales = [&](int count) {
        for (int i = 0; i < count; ++i) {
            add_book(writer, book_settings(), "n" + std::to_string(i), "Number",
                     "Whale number " + std::to_string(i) + ".", "sea", 2000);
        }
        writer.commit();
    };
    // Large enough that a reader has not seen every block when the writer comes back to them.
    add_whales(1500);
    SearcherOptions options;
    options.follows = false;
    Searcher searcher(SearchPaths{{path}}, options);
    for (int i = 0; i < 4; ++i) add_whales(200);
    const SearchResult result = searcher.search({.text = "whale"});
    CHECK(result.reopened >= 1);
    CHECK(result.matches == 2300);
}

TEST_CASE("Searcher: suggests a spelling where the settings say so") {
    SearcherOptions options;
    options.search.spelling = true;
    const TemporaryFolder folder;
    Xapian::WritableDatabase spelled((folder / "db").string(), Xapian::DB_CREATE);
    add_books(spelled);
    spelled.add_spelling("treasure");
    spelled.commit();
    Searcher searcher(spelled, options);
    CHECK(searcher.search({.text = "treasuer"}).corrected == "treasure");
    Searcher without(spelled);
    CHECK(without.search({.text = "treasuer"}).corrected.empty());
}

TEST_CASE("Searcher: words are joined by AND where the settings say so") {
    SearcherOptions options;
    options.search.default_operator = "and";
    Searcher searcher(books(), options);
    CHECK(found(searcher, {.text = "ship whale"}) == std::vector<std::string>{"whale"});
}
