// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/database_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "braid/adopt.h"
#include "braid/core/base/bytes.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/check/checked_database.h"

using namespace braid;
using namespace braid::test;
using Kind = CheckFinding::Kind;

namespace {

// Requires one finding of damage, that names `where`, and that a repair leaves nothing to do.
void check_mended(const CheckedDatabase& fixture, const std::string& where,
                  const std::string& done) {
    INFO(where);
    const CheckReport damaged = fixture.check();
    INFO(text_of(damaged));
    CHECK_FALSE(damaged.sound());
    CHECK(count(damaged, Kind::kDamaged) == 1);
    CHECK(std::any_of(damaged.findings.begin(), damaged.findings.end(), [&](const auto& finding) {
        return finding.kind == Kind::kDamaged && finding.where.find(where) != std::string::npos;
    }));
    const CheckReport mended = fixture.check(true);
    INFO(text_of(mended));
    CHECK(mended.sound());
    REQUIRE_FALSE(mended.repaired.empty());
    CHECK_THAT(text_of(mended), Contains(done));
    const CheckReport again = fixture.check(true);
    CHECK(again.sound());
    CHECK(again.repaired.empty());
}

}  // namespace

TEST_CASE("Database check: a sound database has no findings, and is not written to") {
    const CheckedDatabase fixture;
    const auto files = files_of(fixture.path);
    const CheckReport report = fixture.check(true);
    INFO(text_of(report));
    CHECK(report.findings.empty());
    CHECK(report.repaired.empty());
    CHECK(report.sound());
    CHECK(report.documents == kDocuments);
    CHECK(report.models == 2);
    CHECK(report.vectors == 2 * kDocuments);
    CHECK(report.records == kDocuments);
    CHECK(report.words == fixture.record("lsa").vocabulary + fixture.record("plsi").vocabulary);
    CHECK(files_of(fixture.path) == files);
    const CheckReport plain = [&] {
        index(fixture.folder / "plain", topical_documents(5));
        return check_database({fixture.folder / "plain"});
    }();
    CHECK(plain.findings.empty());
}

TEST_CASE("Database check: a damaged model record takes the model out, and no other") {
    const CheckedDatabase fixture;
    const unsigned slot = fixture.record("lsa").slot;
    fixture.flip(fixture.key("lsa", kTopicRecordEnding), 30);
    check_mended(fixture, kTopicRecordEnding, "removed the topic model lsa");
    CHECK(fixture.names() == std::vector<std::string>{"plsi"});
    const Xapian::Database database(fixture.path);
    CHECK(database.get_value_freq(slot) == 0);
    CHECK(database.allterms_begin("XBRAID") == database.allterms_end("XBRAID"));
    const FusionModel ranking = load_fusion_model(database).value();
    for (const RankerSpec& spec : ranking.rankers) CHECK(spec.ranker != "lsa");
    CHECK(problem_of(database, database).empty());
}

TEST_CASE("Database check: the list of models is made again from their records") {
    const CheckedDatabase fixture;
    const std::string lsa = fixture.model("lsa").id;
    fixture.flip(kTopicCatalogueKey);
    check_mended(fixture, kTopicCatalogueKey, "made the list of topic models again");
    CHECK(fixture.model("lsa").id == lsa);
    CHECK(fixture.names() == std::vector<std::string>{"lsa", "plsi"});
}

TEST_CASE("Database check: other damaged keys of a model are mended or emptied") {
    const CheckedDatabase fixture;
    fixture.flip(fixture.key("lsa", kTopicWordsEnding), 30);
    check_mended(fixture, kTopicWordsEnding, "removed the topics' words");
    index(fixture.path, topical_documents(3, kDocuments));
    fixture.flip(fixture.key("lsa", kTopicUseEnding));
    check_mended(fixture, kTopicUseEnding, "from 0 again");
    fixture.flip(fixture.key("lsa", kTopicClustersEnding), 40);
    check_mended(fixture, kTopicClustersEnding, "made its clusters again");
    CHECK_FALSE(Xapian::Database(fixture.path)
                    .get_metadata(fixture.key("lsa", kTopicClustersEnding))
                    .empty());
}

TEST_CASE("Database check: a word with a damaged vector is forgotten") {
    const CheckedDatabase fixture;
    const std::uint64_t before = fixture.record("plsi").vocabulary;
    const Xapian::Database database(fixture.path);
    const std::string word = *database.metadata_keys_begin(fixture.key("plsi", kTopicTermEnding));
    fixture.flip(word);
    check_mended(fixture, kTopicTermEnding, "instead of");
    CHECK(Xapian::Database(fixture.path).get_metadata(word).empty());
    CHECK(fixture.record("plsi").vocabulary == before - 1);
}

TEST_CASE("Database check: damaged vectors of documents are made again from the words") {
    const CheckedDatabase fixture;
    for (const std::string name : {"lsa", "plsi"}) {
        const unsigned slot = fixture.record(name).slot;
        fixture.flip_value(7, slot);
        fixture.change(9, [&](Xapian::Document& document) { document.add_value(slot, "foreign"); });
        // Whole, but no vector of length 1.
        fixture.change(11, [&](Xapian::Document& document) {
            const std::string old = document.get_value(slot);
            std::string bytes = old.substr(0, old.size() - 2);
            bytes[0] = static_cast<char>(bytes[0] & 0xf3);  // version 0, without a checksum
            bytes.back() = static_cast<char>(bytes.back() + 30);
            document.add_value(slot, bytes);
        });
        check_mended(fixture, "value slot " + std::to_string(slot), "3 of them damaged");
        CHECK(values_of(Xapian::Database(fixture.path), slot).size() == kDocuments);
    }
}

TEST_CASE("Database check: documents in another cluster than their vector's are put right") {
    const CheckedDatabase fixture;
    const std::string id = fixture.model("lsa").id;
    const std::string prefix = cluster_prefix(id);
    std::size_t changed = 0;
    for (Xapian::docid docid = 3; changed < 2; ++docid) {
        REQUIRE(docid <= kDocuments);
        fixture.change(docid, [&](Xapian::Document& document) {
            auto term = document.termlist_begin();
            term.skip_to(prefix);
            // A document of words that no topic has is in no cluster.
            if (term == document.termlist_end() || (*term).rfind(prefix, 0) != 0) return;
            const std::string text = *term;
            document.remove_term(text);
            if (++changed == 2) return;
            document.add_boolean_term(cluster_term(id, 0));
            document.add_boolean_term(cluster_term(id, 1));
        });
    }
    check_mended(fixture, "terms " + prefix, "put 2 documents");
}

TEST_CASE("Database check: records of documents and their place are made again") {
    const CheckedDatabase fixture;
    const unsigned slot = load_document_records(Xapian::Database(fixture.path))->slot;
    fixture.flip_value(5, slot);
    fixture.change(6, [&](Xapian::Document& document) {
        DocumentRecord record = *try_document_record(document.get_value(slot));
        record.norm += 1;
        document.add_value(slot, encode_document_record({record, {}}));
    });
    check_mended(fixture, "value slot " + std::to_string(slot), "made 2 records");
    fixture.flip(kDocumentRecordsKey, 6);
    check_mended(fixture, kDocumentRecordsKey, "made 80 records");
    CHECK(load_document_records(Xapian::Database(fixture.path))->slot == slot);
}

TEST_CASE("Database check: a damaged list of installed models is removed, not the model") {
    const CheckedDatabase fixture;
    {
        Xapian::WritableDatabase database(fixture.path);
        store_installed_models(database, {{.by = "braid adopt"}});
        database.commit();
    }
    CHECK(fixture.check().findings.empty());
    const std::string model = Xapian::Database(fixture.path).get_metadata(kFusionModelKey);
    fixture.flip(kInstalledModelsKey);
    check_mended(fixture, kInstalledModelsKey, "removed the list of installed models");
    CHECK(Xapian::Database(fixture.path).get_metadata(kFusionModelKey) == model);
}

TEST_CASE("Database check: a damaged installed model is removed") {
    const CheckedDatabase fixture;
    fixture.flip(kFusionModelKey);
    check_mended(fixture, kFusionModelKey, "removed the installed model");
    CHECK_FALSE(load_fusion_model(Xapian::Database(fixture.path)));
    FusionModel model;
    model.provenance.topic_models = {{"lsa", "ffffffffffffffff"}};
    Xapian::WritableDatabase database(fixture.path);
    store_fusion_model(database, model);
    database.close();
    check_mended(fixture, kFusionModelKey, "removed the installed model");
}

TEST_CASE("Database check: names are mended, and damaged index settings are left and named") {
    const CheckedDatabase fixture;
    fixture.flip(kDocumentNamesKey);
    check_mended(fixture, kDocumentNamesKey, "value slot 0");
    fixture.flip(kStemmersKey);
    check_mended(fixture, kStemmersKey, "removed the record of stemmers");
    fixture.flip(kIndexSettingsKey, 20);
    const CheckReport report = fixture.check(true);
    CHECK_FALSE(report.sound());
    CHECK(report.repaired.empty());
    REQUIRE(report.findings.size() == 1);
    CHECK_THAT(report.findings[0].cure, Contains("--rebuild"));
}

TEST_CASE("Database check: what a newer Braid wrote is named and never touched") {
    const CheckedDatabase fixture;
    ByteWriter body;
    body.text("new");
    const std::string newer = write_stored({.magic = "BrTH", .version = 9, .kind = ""}, body);
    const std::string key = fixture.key("lsa", kTopicRecordEnding);
    Xapian::WritableDatabase database(fixture.path);
    database.set_metadata(key, newer);
    database.close();
    const CheckReport report = fixture.check(true);
    INFO(text_of(report));
    CHECK(count(report, Kind::kNewer) == 1);
    CHECK(count(report, Kind::kDamaged) == 0);
    CHECK_FALSE(report.sound());
    CHECK(report.repaired.empty());
    CHECK(Xapian::Database(fixture.path).get_metadata(key) == newer);
}

TEST_CASE("Database check: leftovers are notes, and a repair clears them") {
    const CheckedDatabase fixture;
    {
        Xapian::WritableDatabase database(fixture.path);
        store_topic_catalogue(database, {fixture.model("plsi")});
        remove_fusion_model(database);
        database.set_metadata("braid:00112233aabbccdd:t:word", "x");
        database.commit();
    }
    fixture.change(
        2, [](Xapian::Document& document) { document.add_boolean_term("XBRAID00112233:4"); });
    const CheckReport report = fixture.check();
    INFO(text_of(report));
    CHECK(report.sound());
    CHECK(count(report, Kind::kNote) == 3);
    const CheckReport mended = fixture.check(true);
    INFO(text_of(mended));
    CHECK(mended.repaired.size() == 3);
    CHECK(mended.findings.empty());
    CHECK(fixture.check(true).repaired.empty());
}

TEST_CASE("Database check: missing, stale and unchecked values are notes") {
    const CheckedDatabase fixture;
    const unsigned slot = fixture.record("plsi").slot;
    fixture.change(2, [&](Xapian::Document& document) { document.remove_value(slot); });
    fixture.change(3, [&](Xapian::Document& document) { document.add_term("Zmore"); });
    fixture.change(4, [&](Xapian::Document& document) {
        std::string bytes = document.get_value(slot);
        bytes.resize(bytes.size() - 2);
        bytes[0] = static_cast<char>(bytes[0] & 0xf3);
        document.add_value(slot, bytes);
    });
    const CheckReport report = fixture.check(true);
    INFO(text_of(report));
    CHECK(report.sound());
    CHECK(report.repaired.empty());
    CHECK_THAT(text_of(report), Contains("1 documents have no vector") &&
                                    Contains("1 vectors are of documents that changed") &&
                                    Contains("1 vectors have no checksum") &&
                                    Contains("1 records are outdated"));
}

TEST_CASE("Database check: given vectors that are damaged are removed") {
    const CheckedDatabase fixture;
    SourceVectors vectors;
    vectors.dimensions = 12;
    vectors.values.assign(kDocuments * 12, 1);
    adopt_vectors({fixture.path}, vectors, {});
    REQUIRE(fixture.check().findings.empty());
    const unsigned slot = fixture.record("vectors").slot;
    fixture.flip_value(8, slot);
    check_mended(fixture, "value slot " + std::to_string(slot), "removed 1 damaged vectors");
    CHECK(values_of(Xapian::Database(fixture.path), slot).size() == kDocuments - 1);
}

TEST_CASE("Database check: a database is checked with its sidecar, and both are mended") {
    const CheckedDatabase fixture;
    const std::string sidecar = fixture.folder / "side";
    adopt(fixture.path, small_model(3), {.sidecar = sidecar});
    const CheckReport sound = check_database({fixture.path}, {.sidecar = sidecar});
    INFO(text_of(sound));
    CHECK(sound.findings.empty());
    CHECK(sound.documents == kDocuments);
    CHECK(sound.models == 3);
    CHECK(sound.records == kDocuments);
    fixture.flip_value(7, fixture.record("plsi").slot);
    fixture.flip(kFusionModelKey);
    const CheckReport damaged = check_database({fixture.path}, {.sidecar = sidecar});
    CHECK(count(damaged, Kind::kDamaged) == 2);
    for (const CheckFinding& finding : damaged.findings) CHECK(finding.database == fixture.path);
    CHECK(check_database({fixture.path}, {.sidecar = sidecar, .repair = true}).sound());
    CHECK(check_database({fixture.path}).sound());
}

TEST_CASE("Database check: a sidecar is mended, and told from that of another database") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const std::string sidecar = folder / "side";
    index(path, topical_documents(40));
    adopt(path, small_model(3), {.sidecar = sidecar});
    CHECK(check_database({path}, {.sidecar = sidecar}).findings.empty());
    {
        Xapian::WritableDatabase database(sidecar);
        Xapian::Document document = database.get_document(3);
        document.add_value(kFirstTopicSlot, "junk");
        database.replace_document(3, document);
        database.commit();
    }
    CHECK_FALSE(check_database({path}, {.sidecar = sidecar}).sound());
    const CheckReport mended = check_database({path}, {.sidecar = sidecar, .repair = true});
    INFO(text_of(mended));
    CHECK(mended.sound());
    CHECK(mended.repaired.size() == 1);
    index(folder / "other", topical_documents(40));
    const CheckReport other = check_database({folder / "other"}, {.sidecar = sidecar});
    CHECK_FALSE(other.sound());
    CHECK_THAT(text_of(other), Contains("UUID"));
}

TEST_CASE("Database check: shards that are searched as one must have the same models") {
    const TopicalShards topical(40, 40);
    const std::vector<std::string>& shards = topical.paths;
    adopt(shards, {small_model(3)});
    CHECK(check_database(shards).findings.empty());
    adopt(shards[1], small_model(4));
    const CheckReport report = check_database(shards);
    INFO(text_of(report));
    CHECK_FALSE(report.sound());
    CHECK(report.findings.front().database == shards[1]);
}

TEST_CASE("Database check: a repair takes what all shards have the same from an intact one") {
    const CheckedDatabase fixture;
    const std::string other = fixture.folder / "other";
    std::filesystem::copy(fixture.path, other);
    const std::vector<std::string> shards = {fixture.path, other};
    const auto metadata = [](const std::string& path) {
        std::map<std::string, std::string> all;
        const Xapian::Database database(path);
        for (auto at = database.metadata_keys_begin(); at != database.metadata_keys_end(); ++at) {
            all[*at] = database.get_metadata(*at);
        }
        return all;
    };
    const auto before = metadata(fixture.path);
    const std::string prefix = fixture.key("plsi", kTopicTermEnding);
    const auto words = before.lower_bound(prefix);
    for (const std::string& key :
         {std::string(kIndexSettingsKey), std::string(kFusionModelKey), std::string(kStemmersKey),
          std::string(kDocumentRecordsKey), fixture.key("lsa", kTopicRecordEnding),
          fixture.key("plsi", kTopicWordsEnding), words->first, std::string(kTopicCatalogueKey)}) {
        fixture.flip(key, 12);
    }
    Xapian::WritableDatabase(fixture.path).set_metadata(std::next(words)->first, "");
    CHECK_FALSE(check_database(shards).sound());
    const CheckReport mended = check_database(shards, {.repair = true});
    INFO(text_of(mended));
    CHECK(mended.sound());
    CHECK_THAT(text_of(mended), Contains("copied"));
    CHECK(metadata(fixture.path) == before);
    CHECK(metadata(other) == before);
    CHECK(check_database(shards, {.repair = true}).repaired.empty());
}

TEST_CASE("Database check: index settings that no shard has intact stay a finding") {
    const CheckedDatabase fixture;
    const std::string other = fixture.folder / "other";
    fixture.flip(kIndexSettingsKey);
    std::filesystem::copy(fixture.path, other);
    const CheckReport report = check_database({fixture.path, other}, {.repair = true});
    CHECK_FALSE(report.sound());
    CHECK(report.repaired.empty());
}

TEST_CASE("Database check: damage of the database itself is told apart") {
    const CheckedDatabase fixture;
    for (const char* table : {"postlist.glass", "termlist.glass"}) {
        const std::string copy = fixture.folder / table;
        std::filesystem::copy(fixture.path, copy);
        {
            // Every block but the first, which has no more to say than that it is one.
            const std::string file = copy + "/" + table;
            const std::size_t size = std::filesystem::file_size(file);
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            const std::size_t begin = size > 8192 ? 8192 : 0;
            stream.seekp(static_cast<std::streamoff>(begin));
            stream << std::string(size - begin, '\0');
        }
        INFO(table);
        try {
            const CheckReport report = check_database({copy});
            INFO(text_of(report));
            CHECK(count(report, Kind::kDatabase) > 0);
            CHECK(count(report, Kind::kDamaged) == 0);
            CHECK_FALSE(report.sound());
        } catch (const Error& error) {  // It can't even be opened.
            CHECK_THAT(error.what(), Contains("xapian-check"));
        }
    }
}
