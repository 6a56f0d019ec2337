// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include "braid/error.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

// A database of another program, and a place for its sidecar.
struct Fixture {
    explicit Fixture(std::size_t count = 60) {
        braid::test::index_by_plain_loop(topical_documents(count), database);
    }

    AdoptedModel adopt_beside(std::size_t dimensions = 5, braid::AdoptOptions options = {}) const {
        options.sidecar = sidecar;
        return adopt(database, small_model(dimensions), options);
    }
    TopicState state(const AdoptedModel& adopted) const {
        return braid::topic_state(Xapian::Database(database), Xapian::Database(sidecar),
                                  adopted.identity);
    }

    TemporaryFolder folder;
    std::string database = folder / "db";
    std::string sidecar = folder / "sidecar";
};

}  // namespace

TEST_CASE("Topic sidecar: holds what the database would, which keeps every byte") {
    const Fixture fixture;
    const auto before = files_of(fixture.database);
    const AdoptedModel beside = fixture.adopt_beside();
    CHECK(beside.written == 60);
    CHECK(fixture.adopt_beside().written == 0);
    CHECK(fixture.adopt_beside(4).replaced == beside.identity.id);
    const AdoptedModel back = fixture.adopt_beside();
    CHECK(back.identity == beside.identity);
    CHECK(files_of(fixture.database) == before);
    const Xapian::Database sidecar(fixture.sidecar);
    CHECK(problem_of(Xapian::Database(fixture.database), sidecar).empty());
    CHECK(leftovers_of(sidecar).empty());
    CHECK(Xapian::Database::check(fixture.sidecar) == 0);
    const AdoptedModel inside = adopt(fixture.database, small_model(5));
    CHECK(inside.identity == beside.identity);
    CHECK(values_of(Xapian::Database(fixture.database), inside.record->slot) ==
          values_of(sidecar, back.record->slot));
}

TEST_CASE("Topic sidecar: a locked database can be adopted beside") {
    const Fixture fixture;
    const Xapian::WritableDatabase writer(fixture.database);
    CHECK_THROWS_WITH(adopt(fixture.database, small_model(5)), Contains("it is locked"));
    CHECK(fixture.adopt_beside().written == 60);
}

TEST_CASE("Topic sidecar: documents that come, change and go later") {
    const Fixture fixture;
    const AdoptedModel adopted = fixture.adopt_beside();
    {
        Xapian::WritableDatabase database(fixture.database);
        database.delete_document(1);
        database.delete_document(60);
        Xapian::Document changed = database.get_document(7);
        changed.add_term("Zw7", 5);
        database.replace_document(7, changed);
        Xapian::Document added;
        added.add_term("Zw7", 2);
        database.add_document(added);
        database.commit();
    }
    CHECK(fixture.state(adopted).missing == 1);
    CHECK(fixture.state(adopted).stale == 1);
    const AdoptedModel again = fixture.adopt_beside();
    CHECK_FALSE(again.trained);
    CHECK(again.written == 2);
    CHECK(again.folded == 2);
    const Xapian::Database sidecar(fixture.sidecar);
    CHECK(sidecar.get_doccount() == 59);
    CHECK(values_of(sidecar, again.record->slot).size() == 59);
    CHECK(problem_of(Xapian::Database(fixture.database), sidecar).empty());
    CHECK(fixture.state(adopted).advice().empty());
}

TEST_CASE("Topic sidecar: one of another database is refused, and what is none") {
    const Fixture fixture;
    const Fixture other;
    fixture.adopt_beside();
    const auto refused = [&](const std::string& sidecar) {
        try {
            adopt(other.database, small_model(5), {.sidecar = sidecar});
        } catch (const braid::Error& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    CHECK_THAT(refused(fixture.sidecar), Contains("belongs to a database of identifier " +
                                                  Xapian::Database(fixture.database).get_uuid()));
    CHECK_THAT(refused(fixture.database), Contains("no sidecar") && Contains("braid:sidecar"));
    std::filesystem::create_directory(other.folder / "full");
    braid::test::write_file(other.folder / "full/notes.txt", "mine");
    CHECK_THAT(refused(other.folder / "full"), Contains("full"));
    CHECK(files_of(other.folder / "full").size() == 1);
    CHECK_THROWS_AS(
        adopt({fixture.database, other.database}, {small_model(5)}, {.sidecar = other.sidecar}),
        braid::InvalidArgument);
    CHECK_THROWS_WITH(
        fixture.adopt_beside(5, {.names = braid::DocumentNameSource::parse("term:Q")}),
        Contains("sidecar"));
    const Xapian::Database wrong(other.database);
    const auto lsa = braid::find_topic_model(Xapian::Database(fixture.sidecar), "lsa");
    CHECK_THROWS_WITH(braid::topic_state(wrong, Xapian::Database(fixture.sidecar), lsa),
                      Contains("is for a database with the UUID"));
    CHECK_THROWS_WITH(braid::topic_state(wrong, Xapian::Database(fixture.database), lsa),
                      Contains("no metadata key braid:sidecar"));
    CHECK_THROWS_AS(
        braid::remove_topic_model({fixture.database, other.database}, fixture.sidecar, "lsa"),
        braid::InvalidArgument);
}

TEST_CASE("Topic sidecar: one whose making was cut short is made") {
    const Fixture fixture;
    {  // what a kill after creating the folder leaves
        Xapian::WritableDatabase empty(fixture.sidecar, Xapian::DB_CREATE);
    }
    CHECK(fixture.adopt_beside().written == 60);
    CHECK(Xapian::Database(fixture.sidecar).get_metadata(braid::kSidecarKey) ==
          Xapian::Database(fixture.database).get_uuid());
}

TEST_CASE("Topic sidecar: removing a model leaves the database alone") {
    const Fixture fixture;
    fixture.adopt_beside();
    const auto before = files_of(fixture.database);
    braid::remove_topic_model({fixture.database}, fixture.sidecar, "lsa");
    CHECK(files_of(fixture.database) == before);
    const Xapian::Database sidecar(fixture.sidecar);
    CHECK(braid::load_topic_catalogue(sidecar).empty());
    CHECK(leftovers_of(sidecar).empty());
}

TEST_CASE("Topic sidecar: a database without a termlist needs one") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const auto add = [](Xapian::WritableDatabase& database, int word) {
        Xapian::Document document;
        document.add_term("Zw" + std::to_string(word % 5), 2);
        document.add_term("Zw" + std::to_string(word % 7));
        database.add_document(document);
    };
    {
        Xapian::WritableDatabase database(path, Xapian::DB_CREATE | Xapian::DB_NO_TERMLIST);
        for (int i = 0; i < 50; ++i) add(database, i);
    }
    CHECK_THROWS_WITH(adopt(path, small_model(3)),
                      Contains("no termlist") && Contains("--sidecar"));
    const auto before = files_of(path);
    const std::string sidecar = folder / "sidecar";
    const AdoptedModel adopted = adopt(path, small_model(3), {.sidecar = sidecar});
    CHECK(adopted.written == 50);
    CHECK(files_of(path) == before);
    CHECK(problem_of(Xapian::Database(path), Xapian::Database(sidecar)).empty());
    {
        Xapian::WritableDatabase database(path, Xapian::DB_OPEN | Xapian::DB_NO_TERMLIST);
        add(database, 3);
    }
    // Which words the new document has can't be told; learning anew reads postings.
    CHECK_THROWS_WITH(adopt(path, small_model(3), {.sidecar = sidecar}), Contains("--retrain"));
    const AdoptedModel anew = adopt(path, small_model(3), {.sidecar = sidecar, .retrain = true});
    CHECK(anew.written == 51);
    CHECK(problem_of(Xapian::Database(path), Xapian::Database(sidecar)).empty());
}
