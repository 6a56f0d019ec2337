// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "braid/core/lexical/title_exact.h"
#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/sources/title_source.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/terms.h"
#include "braid/sources.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Path = SearchRequest::Path;

namespace {

struct Item {
    std::string name, title, text;
};

IndexSettings named_settings() {
    IndexSettings settings;
    settings.fields = {{.name = "name", .prefix = "XN", .exact = true},
                       {.name = "title", .prefix = "S"},
                       {.name = "other", .prefix = "XO"},
                       {.name = "text"}};
    return settings;
}

Xapian::Document document(const Item& item, bool positions) {
    Xapian::TermGenerator generator;
    generator.set_stemmer(Xapian::Stem("english"));
    const auto add = [&](const std::string& text, const std::string& prefix) {
        if (positions) {
            generator.index_text(text, 1, prefix);
        } else {
            generator.index_text_without_positions(text, 1, prefix);
        }
    };
    add(item.name, "");
    generator.increase_termpos(100);
    const Xapian::termpos start = generator.get_termpos();
    add(item.title, "");
    generator.set_termpos(start);
    add(item.title, "S");
    generator.increase_termpos(100);
    add(item.text, "");
    Xapian::Document result = generator.get_document();
    result.add_boolean_term(exact_term("XN", item.name));
    return result;
}

Xapian::Database database_of(const std::vector<Item>& items, std::size_t shards = 1,
                             bool positions = true) {
    return in_memory_shards(shards, [&](Xapian::WritableDatabase& part, std::size_t number) {
        for (std::size_t i = number; i < items.size(); i += shards) {
            part.add_document(document(items[i], positions));
        }
        store_index_settings(part, named_settings());
        part.commit();
    });
}

std::vector<TitleWord> title_words(const std::string& text) {
    const std::set<std::string> stop = {"the", "of"};
    const Xapian::Stem stem("english");
    std::vector<TitleWord> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back({word, stem(word), stop.contains(word)});
    return words;
}

// By the page, of a query without capitals and signs: stems of words that aren't stop words.
TitleMatch naive_match(const std::string& title, const std::string& query) {
    std::vector<NameWord> wanted;
    for (const TitleWord& word : title_words(query)) {
        if (!word.is_stop) wanted.push_back({word.stem, true});
    }
    const TitleMatch match = match_title(title_words(title), wanted);
    // One word's beginning isn't told from its being there.
    return wanted.size() == 1 && match == TitleMatch::kBegins ? TitleMatch::kContains : match;
}

std::string random_text(Random& random, std::size_t most) {
    const std::vector<std::string> words = {"image", "images", "viewer", "the",  "music",
                                            "of",    "player", "edit",   "edits"};
    std::string text;
    for (std::size_t i = 1 + random.below(most); i-- > 0;) {
        text += (text.empty() ? "" : " ") + words[random.below(words.size())];
    }
    return text;
}

std::vector<Item> random_items(Random& random, std::size_t size) {
    std::vector<Item> items(size);
    for (Item& item : items) {
        item = {random_text(random, 2), random_text(random, 4), random_text(random, 12)};
        std::replace(item.name.begin(), item.name.end(), ' ', '-');
    }
    return items;
}

SearchRequest text_request(const std::string& text, Xapian::doccount count, Path path) {
    SearchRequest request;
    request.text = text;
    request.count = count;
    request.path = path;
    return request;
}

FusionModel titles(double weight) {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "title-exact",
                         .field = "title",
                         .parameters = {{"equals", 0.75}, {"begins", 1}},
                         .weight = weight}}};
}

FusionModel names(double weight) {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "title-exact", .field = "name", .weight = weight}}};
}

std::string first_name(const std::vector<Item>& items, const Xapian::Database& database,
                       const std::string& query) {
    Searcher searcher(database);
    searcher.rank_by(names(100));
    const SearchResult result = searcher.search(text_request(query, 3, Path::kFastest));
    return result.hits.empty() ? "" : items[result.hits[0].docid - 1].name;
}

}  // namespace

TEST_CASE("Named: titles and names score as on the page, on each path and shard", "[property]") {
    Random random(seed());
    const FusionModel words{.rankers = {{.ranker = "bm25"}}};
    for (int round = 0; round < 12; ++round) {
        const std::vector<Item> items = random_items(random, 150);
        std::string query = random_text(random, 3);
        const bool stops_only = naive_match("x", query) == naive_match(query, query);
        if (stops_only) query += " music";
        for (const bool of_name : {false, true}) {
            const FusionModel model = of_name ? names(7) : titles(7);
            for (const std::size_t shards : {1U, 2U, 4U}) {
                const Xapian::Database database = database_of(items, shards);
                for (const Path path : {Path::kPlain, Path::kPruned}) {
                    INFO(query << ", " << shards << " shards, of names " << of_name);
                    const SearchRequest all = text_request(query, 150, path);
                    Scores expected = searched(database, words, all);
                    const TitleScores scores =
                        of_name ? TitleScores{1, 0, 0} : TitleScores{0.75, 1, 0.25};
                    for (auto& [docid, score] : expected) {
                        const Item& item = items[docid - 1];
                        std::string name = item.name;
                        std::replace(name.begin(), name.end(), '-', ' ');
                        // Names are looked for from their first word on, and one word is one.
                        const std::vector<TitleWord> words_of_name = title_words(name);
                        const auto wanted = title_words(query);
                        const bool is_one =
                            1 == std::count_if(wanted.begin(), wanted.end(),
                                               [](const TitleWord& word) { return !word.is_stop; });
                        const bool is_far =
                            words_of_name[0].is_stop || (is_one && words_of_name.size() > 1);
                        if (of_name && is_far) continue;
                        score += 7 * scores.of(naive_match(of_name ? name : item.title, query));
                    }
                    const Scores found = searched(database, model, all);
                    check_equal(found, expected, 1e-9);
                    const Scores best = searched(database, model, text_request(query, 3, path));
                    CHECK(best.size() == std::min<std::size_t>(3, expected.size()));
                    for (const auto& [docid, score] : best) {
                        CHECK(score == Approx(found.at(docid)).epsilon(1e-12));
                        const double above = score * (1 + 1e-12);
                        CHECK(std::count_if(found.begin(), found.end(), [&](const auto& hit) {
                                  return hit.second > above;
                              }) < 3);
                    }
                }
            }
        }
    }
}

TEST_CASE("Named: explained as it scores, and pools and Ranking agree", "[property]") {
    Random random(seed(), 1);
    const std::vector<Item> items = random_items(random, 120);
    const Xapian::Database database = database_of(items, 2);
    for (const std::string query : {"image viewer", "the music", "music"}) {
        Searcher searcher(database);
        searcher.rank_by(titles(5));
        SearchRequest request = text_request(query, 120, Path::kFastest);
        request.explain = true;
        const SearchResult result = searcher.search(request);
        CHECK(result.run.pruned);
        REQUIRE(result.hits.size() > 20);
        std::vector<Xapian::docid> documents;
        std::size_t matched = 0;
        for (const SearchHit& hit : result.hits) {
            check_explanation(hit);
            documents.push_back(hit.docid);
            matched += *hit.explanation->rankers[1].value > 0;
        }
        CHECK(matched > 0);
        std::sort(documents.begin(), documents.end());
        const Xapian::Query parsed = searcher.bag_of_words(query);
        const PoolScores pool = PoolScorer(database, titles(5)).score(parsed, documents);
        Ranking ranking(database, titles(5));
        const Scores by_ranking = applied(ranking, database, parsed).scores;
        for (const SearchHit& hit : result.hits) {
            const auto row = static_cast<std::size_t>(
                std::lower_bound(documents.begin(), documents.end(), hit.docid) -
                documents.begin());
            CHECK(pool.rows.row(row)[1] == *hit.explanation->rankers[1].value);
            CHECK(pool.rows.row(row)[1] <= pool.rows.bounds[1]);
            CHECK(by_ranking.at(hit.docid) == Approx(hit.score));
        }
    }
}

TEST_CASE("Named: who types a name finds it first, however it is written") {
    std::vector<Item> items = {{"libreoffice-writer", "word processor", "writer of libreoffice"},
                               {"libreoffice", "office suite", "suite"},
                               {"libreoffice-writer-nogui", "without windows", "writer"},
                               {"Vim", "editor", "text"},
                               {"g++", "compiler", "text"},
                               {"g", "letter", "vim vim vim vim"},
                               {"c-sharp", "language", "text"},
                               {"libraries", "many", "library"},
                               {"python3.11", "interpreter", "text"},
                               {"at-the-top", "lists", "top"}};
    for (int i = 0; i < 40; ++i) {
        items.push_back({"pad" + std::to_string(i), "writer libreoffice libreoffice",
                         "libreoffice writer vim vim g c sharp python3.11 library top"});
    }
    const Xapian::Database database = database_of(items);
    for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U}) {
        INFO(items[i].name);
        CHECK(first_name(items, database, items[i].name) == items[i].name);
    }
    CHECK(first_name(items, database, "libreoffice writer") == "libreoffice-writer");
    CHECK(first_name(items, database, "LibreOffice Writer") == "libreoffice-writer");
    CHECK(first_name(items, database, "vim") == "Vim");
}

TEST_CASE("Named: words are compared in the order of the text, however a query holds them") {
    Searcher searcher(database_of({{"a-b", "music player", "text"}}));
    const std::vector<NameWord> stems = {{"viewer", true}, {"imag", true}};
    CHECK(name_words(searcher.bag_of_words("viewer images"), {}) == stems);
    const SearchResult parsed = searcher.search(text_request("viewer images", 1, Path::kPlain));
    CHECK(name_words(parsed.query, {}) == stems);
    const Xapian::Query without_positions(Xapian::Query::OP_OR, Xapian::Query("b"),
                                          Xapian::Query("a"));
    const std::vector<NameWord> words = {{"b", false}, {"a", false}};
    CHECK(name_words(without_positions, {}) == words);
    CHECK(name_words(
              Xapian::Query(Xapian::Query::OP_SYNONYM, Xapian::Query("a"), Xapian::Query("b")), {})
              .empty());
    CHECK(name_words(Xapian::Query("Sa"), {}).empty());
}

TEST_CASE("Named: a query that is no name takes nothing from others' pruning") {
    Random random(seed(), 2);
    const std::vector<Item> items = random_items(random, 400);
    const Xapian::Database database = database_of(items);
    const auto skipped = [&](const FusionModel& model, const std::string& query) {
        Searcher searcher(database);
        searcher.rank_by(model);
        return searcher.search(text_request(query, 2, Path::kPruned)).run.counters.documents_scored;
    };
    const std::string query = "viewer player music edit image";
    const FusionModel words{.rankers = {{.ranker = "bm25"}}};
    CHECK(skipped(names(1000), query) == skipped(words, query));
}

TEST_CASE("Named: what is missing is said, with what to do") {
    const std::vector<Item> items = {{"a-b", "music player", "text"}};
    const auto error = [&](const Xapian::Database& database, const std::string& field) {
        return error_of([&] {
            Searcher searcher(database);
            searcher.rank_by(
                {.rankers = {{.ranker = "bm25"}, {.ranker = "title-exact", .field = field}}});
            searcher.search(text_request("music", 3, Path::kFastest));
        });
    };
    CHECK(error(database_of(items), "title").empty());
    CHECK(error(database_of(items), "name").empty());
    CHECK_THAT(error(database_of(items), "nome"),
               Contains("no field 'nome'") && Contains("name, title, other"));
    CHECK_THAT(error(database_of(items), "text"), Contains("no field 'text'"));
    Searcher searcher(database_of(items));
    searcher.rank_by(
        {.rankers = {{.ranker = "bm25"}, {.ranker = "title-exact", .field = "other"}}});
    const SearchResult unnamed = searcher.search(text_request("music", 3, Path::kFastest));
    REQUIRE(unnamed.doubts.size() == 1);
    CHECK_THAT(unnamed.doubts[0], Contains("no document has the field 'other'") && Contains("XO"));
    CHECK(unnamed.hits.size() == 1);
    CHECK_THAT(error(database_of(items, 1, false), "title"),
               Contains("no positions") && Contains("exact: true"));
    CHECK(error(database_of(items, 1, false), "name").empty());
    CHECK(error(database_of({}), "other").empty());
    CHECK_THAT(error_of([] { validate(FusionModel{.rankers = {{.ranker = "title-exact"}}}); }),
               Contains("rankers[0].field"));
}

TEST_CASE("Named: a source is sent whole, and damage is refused") {
    Random random(seed(), 3);
    std::vector<Item> items = random_items(random, 80);
    items.push_back({"image-viewer", "image viewer", "image viewer"});
    const Xapian::Database database = database_of(items, 2);
    const TitleSource source({.prefix = "S",
                              .words = {{"imag", true}, {"viewer", false}},
                              .stemmer = "english",
                              .stop_words = {"of", "the"},
                              .scores = {0.9, 0.5, 0.1}},
                             3);
    CHECK_FALSE(matched(database, source).empty());
    check_sent(source, database);
    check_bytes(TitleSource(), source.serialise(), random);
    CHECK_THROWS_AS(TitleSource({.prefix = "S"}, -1), InvalidArgument);
}
