// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/known_items.h"

#include <cmath>
#include <set>

#include "braid/core/eval/summary.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// Every document has `common`, its own word twice, and others that must not be drawn.
void write_documents(const std::string& path, std::size_t documents) {
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
    for (std::size_t i = 0; i < documents; ++i) {
        Xapian::Document document;
        document.add_term("common");
        document.add_term("rare" + std::string(1 + i / 2, 'x'), 2);
        document.add_term("other" + std::string(1 + i / 3, 'y'));
        document.add_term("alone" + std::string(1 + i, 'z'));
        document.add_term("abc");
        document.add_term("word" + std::to_string(i / 4));
        document.add_term("Qid" + std::to_string(i));
        database.add_document(document);
    }
    database.commit();
}

std::set<std::string> words_of(const KnownItem& item) {
    return {item.query.get_terms_begin(), item.query.get_terms_end()};
}

}  // namespace

TEST_CASE("Known items: two to four words of a document that neither all nor one alone have") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    write_documents(path, 60);
    const Xapian::Database database(path);
    const std::vector<KnownItem> items = draw_known_items(database, 200);
    REQUIRE(items.size() == 200);
    std::set<Xapian::docid> documents;
    for (const KnownItem& item : items) {
        documents.insert(item.docid);
        const std::set<std::string> words = words_of(item);
        // `common` and `abc` are too common or short, word7 has a digit, alone.. one document.
        CHECK(words.size() == 2);
        const std::size_t i = item.docid - 1;
        CHECK(words.contains("rare" + std::string(1 + i / 2, 'x')));
        CHECK(words.contains("other" + std::string(1 + i / 3, 'y')));
    }
    CHECK(documents.size() > 30);
    // The same each time, and another for another seed.
    const std::vector<KnownItem> again = draw_known_items(database, 200);
    const std::vector<KnownItem> others = draw_known_items(database, 200, kDefaultSeed + 1);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        CHECK(again[i].docid == items[i].docid);
        CHECK(words_of(again[i]) == words_of(items[i]));
        equal += others[i].docid == items[i].docid ? 1 : 0;
    }
    CHECK(equal < 50);
}

TEST_CASE("Known items: ranks are those of searches, at any number of threads") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    write_documents(path, 60);
    const std::vector<KnownItem> items = draw_known_items(Xapian::Database(path), 100);
    const auto one = make_executor(1);
    const auto three = make_executor(3);
    const std::vector<double> ranks = reciprocal_ranks({{path}}, FusionModel{}, items, *one);
    CHECK(ranks == reciprocal_ranks({{path}}, FusionModel{}, items, *three));
    // Two documents have the first word, three the second, and mostly one has both.
    for (const double rank : ranks) CHECK((rank == 1 || rank == 0.5));
    const auto stop = [](const ProgressReport&) { return false; };
    CHECK_THROWS_AS(reciprocal_ranks({{path}}, FusionModel{}, items, *one, stop), Cancelled);
    // Nothing to draw.
    Xapian::WritableDatabase empty("", Xapian::DB_BACKEND_INMEMORY);
    CHECK(draw_known_items(empty, 10).empty());
    empty.add_document(Xapian::Document());
    CHECK(draw_known_items(empty, 10).empty());
}

TEST_CASE("Known items: a ranking is safe whose interval begins at -.005 or above") {
    const std::vector<double> before(500, 0.5);
    std::vector<double> ranks(500, 0.5);
    CHECK(compare_known_items(ranks, before).is_safe);
    CHECK(compare_known_items(ranks, before).p == 1);
    for (std::size_t i = 0; i < 500; i += 2) ranks[i] = 0.49;
    const KnownItemFinding less = compare_known_items(ranks, before);
    CHECK_THAT(less.difference, WithinAbs(-0.005, 1e-12));
    CHECK(less.interval.low < -0.005);
    CHECK_FALSE(less.is_safe);
    for (std::size_t i = 0; i < 500; i += 4) ranks[i] = 0.5;
    const KnownItemFinding little = compare_known_items(ranks, before);
    CHECK_THAT(little.mean, WithinAbs(0.4975, 1e-12));
    CHECK(little.is_safe);
    CHECK_THROWS_AS(compare_known_items(ranks, {}), InvalidArgument);
    CHECK_THROWS_AS(compare_known_items({}, {}), InvalidArgument);
}
