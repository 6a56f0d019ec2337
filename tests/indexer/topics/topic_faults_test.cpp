// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <set>

#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

void copy_folder(const std::string& from, const std::string& to) {
    fs::remove_all(to);
    fs::copy(from, to);
}

// Stops at the n-th report; true if there were so many.
bool stop_at(int n, const std::string& path, const std::string& sidecar,
             const TopicSettings& settings, std::string& phase) {
    int calls = 0;
    AdoptOptions options{.sidecar = sidecar, .batch = 100};
    options.progress = [&](const ProgressReport& report) {
        phase = report.phase;
        return ++calls < n;
    };
    try {
        adopt(path, settings, options);
        return false;
    } catch (const braid::Cancelled&) {
        return true;
    }
}

}  // namespace

TEST_CASE("Topic adopter: stopped anywhere, readers have whole models and a rerun finishes") {
    const TemporaryFolder folder;
    const std::string original = folder / "original";
    const std::string path = folder / "db";
    const std::string sidecar = folder / "sidecar";
    index(original, topical_documents(600, 0, 12));
    for (const bool beside : {false, true}) {
        const std::string vectors = beside ? sidecar : path;
        copy_folder(original, path);
        const AdoptOptions options{.sidecar = beside ? sidecar : ""};
        const AdoptedModel former = adopt(path, small_model(3), options);
        copy_folder(vectors, folder / "before");
        std::set<std::string> phases;
        std::string phase;
        for (int n = 1; n < 100; n += n < 12 ? 1 : 3) {
            copy_folder(folder / "before", vectors);
            const bool stopped = stop_at(n, path, options.sidecar, small_model(4), phase);
            INFO("report " << n << ", " << phase);
            const Xapian::Database seen(vectors);
            CHECK(problem_of(Xapian::Database(path), seen).empty());
            CHECK(braid::load_topic_catalogue(seen).size() == 1);
            if (!stopped) break;
            phases.insert(phase.substr(0, 8));
            const AdoptedModel done = adopt(path, small_model(4), options);
            const Xapian::Database after(vectors);
            CHECK(problem_of(Xapian::Database(path), after).empty());
            CHECK(leftovers_of(after).empty());
            CHECK(braid::find_topic_model(after, "lsa") == done.identity);
            CHECK(done.identity != former.identity);
        }
        CHECK(phases.contains("writing "));
        CHECK(phases.contains("clearing"));
        CHECK(phases.size() >= 3);  // and learning
        CHECK(Xapian::Database::check(vectors) == 0);
    }
}

TEST_CASE("Topic adopter: after a stop, other settings clear what was begun") {
    const TopicalDatabase topical(600, 0, 12);
    const std::string& path = topical.path;
    AdoptOptions options{.batch = 100};
    options.progress = [&](const ProgressReport& report) {
        return report.done < 256 || report.phase[0] != 'w';
    };
    CHECK_THROWS_AS(adopt(path, small_model(4), options), braid::Cancelled);
    CHECK_FALSE(leftovers_of(Xapian::Database(path)).empty());
    adopt(path, small_model(5));
    const Xapian::Database database(path);
    CHECK(leftovers_of(database).empty());
    CHECK(problem_of(database, database).empty());
    CHECK(Xapian::Database::check(path) == 0);
}

TEST_CASE("Topic adopter: another program may write while it learns") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    auto documents = topical_documents(600);
    for (std::size_t d = 0; d < documents.size(); ++d) {
        for (const int kinds : {290, 280, 270, 260, 250}) {
            documents[d].fields[1].text += " x" + std::to_string(kinds) + "y" +
                                           std::to_string(d % static_cast<std::size_t>(kinds));
        }
    }
    index(path, documents);
    int commits = 0;
    AdoptOptions options;
    options.progress = [&](const ProgressReport& report) {
        if (report.phase.starts_with("reading") && ++commits <= 2) {
            Xapian::WritableDatabase other(path);
            for (Xapian::docid id = 1; id <= 600; id += 2) {
                Xapian::Document document = other.get_document(id);
                document.add_term("Zw7", 3);
                other.replace_document(id, document);
                if (id % 100 == 1) other.commit();
            }
            other.add_document(other.get_document(1));
            other.commit();
        }
        return true;
    };
    const AdoptedModel adopted = adopt(path, small_model(4), options);
    REQUIRE(commits >= 2);
    CHECK(adopted.documents == 602);
    const Xapian::Database database(path);
    CHECK(problem_of(database, database).empty());
}

TEST_CASE("Topic adopter: a database without documents or words is refused as it is") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, {});
    const auto before = braid::test::files_of(path);
    CHECK_THROWS_WITH(adopt(path, small_model(3)), Contains(path) && Contains("no documents"));
    CHECK(braid::test::files_of(path) == before);
    index(path, {make_document("a", {{"section", "net"}}), make_document("b", {{"section", "x"}})});
    CHECK_THROWS_WITH(adopt(path, small_model(3)),
                      Contains("no word to learn topics from") && Contains("2 documents"));
    CHECK_THROWS_WITH(adopt(folder / "nowhere", small_model(3)), Contains("nowhere"));
    CHECK_THROWS_AS(adopt(std::vector<std::string>(), {small_model(3)}), braid::InvalidArgument);
}

TEST_CASE("Topic adopter: few words or documents lower the dimensions, with a warning") {
    const TemporaryFolder folder;
    for (const auto& info : braid::topic_models()) {
        INFO(info.name);
        const std::string path = folder / info.name;
        index(path, {make_document("a", {{"text", "cats"}}), make_document("b", {{"text", "cats"}}),
                     make_document("c", {{"text", ""}}), make_document("d", {{"text", "dogs"}})});
        TopicSettings settings = small_model(50, info.name);
        settings.max_document_share = 1;
        std::vector<std::string> warnings;
        AdoptOptions options;
        options.warn = [&](const std::string& message) { warnings.push_back(message); };
        const AdoptedModel adopted = adopt(path, settings, options);
        CHECK(adopted.record->vocabulary == 1);
        CHECK(adopted.written == 4);
        CHECK(adopted.record->header.dimensions < 50);
        REQUIRE_FALSE(warnings.empty());
        CHECK_THAT(warnings[0], Contains("50"));
        const Xapian::Database database(path);
        CHECK(problem_of(database, database).empty());
        // What was asked for is there, though it could not be done.
        CHECK_FALSE(adopt(path, settings).trained);
    }
}

TEST_CASE("Topic adopter: wrong settings are refused before anything is written") {
    const TopicalDatabase topical(30);
    const std::string& path = topical.path;
    const auto before = braid::test::files_of(path);
    CHECK_THROWS_WITH(adopt(path, small_model(3, "lsi")), Contains("did you mean 'lsa'"));
    CHECK_THROWS_AS(adopt({path}, {small_model(3), small_model(4)}), braid::InvalidArgument);
    TopicSettings settings = small_model(3);
    settings.parameters = {{"no_such", 1}};
    CHECK_THROWS_AS(adopt(path, settings), braid::UnknownComponent);
    settings = small_model(3);
    settings.max_document_share = 0;
    CHECK_THROWS_AS(adopt(path, settings), braid::InvalidArgument);
    CHECK_THROWS_WITH(adopt(path, small_model(3), {.stemmer = "klingon"}), Contains("klingon"));
    {
        const Xapian::WritableDatabase writer(path);
        CHECK_THROWS_WITH(adopt(path, small_model(3)), Contains("it is locked"));
    }
    CHECK(braid::test::files_of(path) == before);
}

TEST_CASE("Topic adopter: a record that can't be read is learned anew, the rest is refused") {
    const TopicalDatabase topical(40);
    const std::string& path = topical.path;
    const AdoptedModel adopted = adopt(path, small_model(3));
    const auto put = [&](const std::string& key, const std::string& value) {
        Xapian::WritableDatabase database(path);
        database.set_metadata(key, value);
    };
    const std::string key = braid::topic_key(adopted.identity.id, ":h");
    for (const std::string value : {"junk", ""}) {
        put(key, value);
        CHECK_THROWS_WITH(index(path, topical_documents(2, 40)), Contains(key));
        std::string warnings;
        AdoptOptions options;
        options.warn = [&](const std::string& text) { warnings += text; };
        const AdoptedModel again = adopt(path, small_model(3), options);
        CHECK(again.trained);
        CHECK(again.identity == adopted.identity);
        CHECK_THAT(warnings, Contains(key));
        CHECK(problem_of(Xapian::Database(path), Xapian::Database(path)).empty());
        CHECK(leftovers_of(Xapian::Database(path)).empty());
    }
    put(braid::kTopicCatalogueKey, "junk");
    CHECK_THROWS_WITH(adopt(path, small_model(3)), Contains("braid:current"));
    CHECK_THROWS_WITH(index(path, topical_documents(2, 40)), Contains("braid:current"));
}
