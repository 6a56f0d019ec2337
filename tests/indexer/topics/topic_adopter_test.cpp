// SPDX-License-Identifier: GPL-2.0-or-later
#include <set>

#include "braid/adopt.h"
#include "braid/core/settings/stop_words.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/database.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/terms.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/progress.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

// Each document's words, read from its own terms rather than from the postings.
braid::TermDocumentCounts count_naively(const Xapian::Database& database, WordForm form,
                                        const braid::VocabularyLimits& limits) {
    const Xapian::Stem stem("english");
    std::set<std::string> stop_words;
    for (const std::string& word : braid::english_stop_words()) {
        stop_words.insert(form == WordForm::kStems ? stem(word) : word);
    }
    braid::TermDocumentCountsBuilder builder;
    for (auto document = database.postlist_begin(""); document != database.postlist_end("");
         ++document) {
        builder.begin_document();
        const auto words = braid::document_words(database.get_document(*document), form).words;
        for (const auto& [word, count] : words) {
            for (double i = 0; i < count; ++i) {
                if (!stop_words.contains(word)) builder.add(word);
            }
        }
    }
    return braid::restrict_vocabulary(builder.build(), limits);
}

// Fits what the adoption should have fitted, and compares every vector with what is stored.
void check_vectors(const Xapian::Database& database, const AdoptedModel& adopted) {
    const braid::TopicRecord record = braid::load_topic_record(database, adopted.identity.id);
    braid::VocabularyLimits limits = record.limits;
    if (limits.min_documents == 0) limits.min_documents = 2;
    const auto counts = count_naively(database, record.form, limits);
    const auto executor = braid::make_executor(1);
    const auto model =
        braid::fit_topic_model(record.header.model, counts, record.options, *executor);
    CHECK(record.vocabulary == model.vocabulary.size());
    CHECK(record.documents == database.get_doccount());
    CHECK(record.header == model.header);
    std::size_t row = 0;
    auto values = values_of(database, record.slot);
    REQUIRE(values.size() == database.get_doccount());
    for (auto document = database.postlist_begin(""); document != database.postlist_end("");
         ++document, ++row) {
        const braid::VectorInfo info{record.coding, braid::topic_model_tag(adopted.identity.id),
                                     document.get_doclength()};
        if (values[*document] != encode_vector(info, model.document_vectors.row(row))) {
            FAIL("document " << *document);
        }
    }
    for (std::size_t t = 0; t < model.vocabulary.size(); ++t) {
        const std::string key = braid::topic_key(adopted.identity.id, ":t:") + model.vocabulary[t];
        if (database.get_metadata(key) != braid::encode_term_vector(model.term_vectors.row(t))) {
            FAIL(key);
        }
    }
}

}  // namespace

TEST_CASE("Topic adopter: adds vectors as they were learned and touches nothing else") {
    for (const bool plain : {false, true}) {
        const TemporaryFolder folder;
        const std::string path = folder / "db";
        Documents documents = topical_documents(120);
        documents.push_back(braid::test::make_document("empty", {{"section", "net"}}));
        if (plain) {
            braid::test::index_by_plain_loop(documents, path);
        } else {
            index(path, documents);
        }
        const auto before = dump(path);
        const AdoptedModel adopted = adopt(path, small_model(5));
        CHECK(adopted.trained);
        CHECK(adopted.documents == 121);
        CHECK(adopted.written == 121);
        CHECK(adopted.folded == 0);
        CHECK(adopted.record->form == WordForm::kStems);
        const Xapian::Database database(path);
        CHECK(dump_without_topics(database) == before);
        check_vectors(database, adopted);
        CHECK(problem_of(database, database).empty());
        CHECK(Xapian::Database::check(path) == 0);
        CHECK(braid::load_topic_catalogue(database) ==
              std::vector<TopicModelIdentity>{adopted.identity});
    }
}

TEST_CASE("Topic adopter: every model, coding and choice of words", "[conformance]") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    braid::test::index_by_plain_loop(topical_documents(60), path);
    const auto before = dump(path);
    std::vector<TopicSettings> models;
    for (const auto& info : braid::topic_models()) models.push_back(small_model(4, info.name));
    models.push_back({.name = "half", .dimensions = 3, .coding = TopicSettings::Coding::kFloat16});
    models.push_back({.name = "full", .dimensions = 3, .coding = TopicSettings::Coding::kFloat32});
    models.push_back({.name = "words", .dimensions = 3, .words = TopicSettings::Words::kWords});
    models.push_back({.name = "common", .dimensions = 3, .max_document_share = 1});
    models.push_back({.name = "rare", .dimensions = 3, .min_documents = 4});
    models.push_back({.name = "few", .dimensions = 3, .max_terms = 30});
    const std::vector<AdoptedModel> adopted = adopt(std::vector<std::string>{path}, models);
    const Xapian::Database database(path);
    REQUIRE(adopted.size() == models.size());
    for (std::size_t i = 0; i < models.size(); ++i) {
        INFO(models[i].label());
        CHECK(adopted[i].identity.name == models[i].label());
        CHECK(adopted[i].record->slot == braid::kFirstTopicSlot + i);
        check_vectors(database, adopted[i]);
    }
    CHECK(problem_of(database, database).empty());
    CHECK(leftovers_of(database).empty());
    CHECK(dump_without_topics(database) == before);
}

TEST_CASE("Topic adopter: models of other words after one that took many commits") {
    const TopicalDatabase topical(800);
    const std::string& path = topical.path;
    TopicSettings second = small_model(4);
    second.name = "second";
    second.words = TopicSettings::Words::kWords;
    adopt(std::vector<std::string>{path}, {small_model(6), second}, {.batch = 100});
    const Xapian::Database database(path);
    CHECK(braid::load_topic_catalogue(database).size() == 2);
    CHECK(problem_of(database, database).empty());
}

TEST_CASE("Topic adopter: the same words give the same model, on any number of threads") {
    const TemporaryFolder folder;
    std::vector<std::string> ids;
    for (const std::size_t threads : {1U, 3U}) {
        const std::string path = folder / std::to_string(threads);
        index(path, topical_documents(150));
        ids.push_back(
            adopt(path, small_model(5, "lda"), {.threads = threads, .now = threads}).identity.id);
    }
    CHECK(ids[0] == ids[1]);
    TopicSettings other = small_model(5, "lda");
    other.seed = 7;
    CHECK(adopt(folder / "1", other).identity.id != ids[0]);
}

TEST_CASE("Topic adopter: a second run writes nothing") {
    const TopicalDatabase topical(80);
    const std::string& path = topical.path;
    const std::vector<TopicSettings> models = {small_model(5), small_model(4, "plsi")};
    const auto first = adopt(std::vector<std::string>{path}, models);
    const auto files = braid::test::files_of(path);
    const auto second = adopt(std::vector<std::string>{path}, models);
    for (std::size_t i = 0; i < models.size(); ++i) {
        CHECK_FALSE(second[i].trained);
        CHECK(second[i].identity == first[i].identity);
        CHECK(second[i].written == 0);
        CHECK(second[i].documents == 80);
        CHECK(serialise(*second[i].record) == serialise(*first[i].record));
    }
    CHECK(braid::test::files_of(path) == files);
    // A part of them, too, and with --retrain the same is learned again.
    CHECK_FALSE(adopt(path, small_model(4, "plsi")).trained);
    CHECK(braid::test::files_of(path) == files);
    const AdoptedModel again = adopt(path, small_model(5), {.retrain = true});
    CHECK(again.trained);
    CHECK(again.identity == first[0].identity);
    CHECK(again.replaced.empty());
    const Xapian::Database database(path);
    CHECK(problem_of(database, database).empty());
    CHECK(leftovers_of(database).empty());
    CHECK(braid::load_topic_catalogue(database).size() == 2);
}

TEST_CASE("Topic adopter: other settings take the former model's place, and clear its slot") {
    const TopicalDatabase topical(80);
    const std::string& path = topical.path;
    const auto before = dump(path);
    const AdoptedModel kept = adopt(path, small_model(3, "plsi"));
    AdoptedModel former = adopt(path, small_model(5));
    std::vector<TopicSettings> changes(6, small_model(5));
    changes[0].dimensions = 6;
    changes[1].seed = 5;
    changes[2].coding = TopicSettings::Coding::kFloat16;
    changes[3].min_documents = 3;
    changes[4].words = TopicSettings::Words::kWords;
    changes[5].choices = {{"weighting", "raw"}};
    for (const TopicSettings& settings : changes) {
        const AdoptedModel adopted = adopt(path, settings);
        CHECK(adopted.trained);
        CHECK(adopted.replaced == former.identity.id);
        CHECK(adopted.record->slot != former.record->slot);
        const Xapian::Database database(path);
        CHECK(database.get_value_freq(former.record->slot) == 0);
        CHECK(leftovers_of(database).empty());
        CHECK(problem_of(database, database).empty());
        CHECK(braid::load_topic_catalogue(database) ==
              std::vector<TopicModelIdentity>{kept.identity, adopted.identity});
        former = adopted;
    }
    CHECK(dump_without_topics(Xapian::Database(path)) == before);
}

TEST_CASE("Topic adopter: shards hold the same model, which is that of one database") {
    const TemporaryFolder folder;
    const Documents documents = topical_documents(101);
    const std::string whole = folder / "whole";
    index(whole, documents);
    const std::vector<std::string> paths = {folder / "0", folder / "1", folder / "2"};
    std::vector<Documents> parts(3);
    for (std::size_t d = 0; d < documents.size(); ++d) parts[d % 3].push_back(documents[d]);
    for (std::size_t s = 0; s < 3; ++s) index(paths[s], parts[s]);
    {
        Xapian::WritableDatabase other(paths[2]);
        Xapian::Document document = other.get_document(1);
        document.add_value(braid::kFirstTopicSlot, "another program's");
        other.replace_document(1, document);
    }
    const AdoptedModel single = adopt(whole, small_model(5));
    const AdoptedModel sharded = adopt(paths, {small_model(5)}).front();
    CHECK(sharded.identity == single.identity);
    CHECK(sharded.documents == 101);
    CHECK(sharded.written == 101);
    Xapian::Database all;
    for (const std::string& path : paths) {
        const Xapian::Database shard(path);
        CHECK(braid::find_topic_model(shard, "lsa") == single.identity);
        CHECK(braid::load_topic_record(shard, single.identity.id).slot ==
              braid::kFirstTopicSlot + 1);
        CHECK(problem_of(shard, shard).empty());
        all.add_database(shard);
    }
    CHECK(values_of(all, braid::kFirstTopicSlot + 1) ==
          values_of(Xapian::Database(whole), single.record->slot));
    CHECK(Xapian::Database(paths[2]).get_document(1).get_value(braid::kFirstTopicSlot) ==
          "another program's");
    CHECK_FALSE(adopt(paths, {small_model(5)}).front().trained);
}

TEST_CASE("Topic adopter: a shard without the model gets it") {
    const TopicalShards topical(50, 50);
    const std::vector<std::string>& paths = topical.paths;
    adopt(paths[0], small_model(5));
    const AdoptedModel adopted = adopt(paths, {small_model(5)}).front();
    CHECK(adopted.trained);
    for (const std::string& path : paths) {
        const Xapian::Database shard(path);
        CHECK(braid::find_topic_model(shard, "lsa") == adopted.identity);
        CHECK(problem_of(shard, shard).empty());
        CHECK(leftovers_of(shard).empty());
    }
}

TEST_CASE("Topic adopter: a compacted database has its models and vectors") {
    const TopicalDatabase topical(100);
    const std::string& path = topical.path;
    const AdoptedModel adopted = adopt(path, small_model(5));
    Xapian::Database before(path);
    before.compact((topical.folder / "compact").string(), Xapian::DBCOMPACT_NO_RENUMBER);
    const Xapian::Database after((topical.folder / "compact").string());
    CHECK(braid::find_topic_model(after, "lsa") == adopted.identity);
    CHECK(problem_of(after, after).empty());
    CHECK(values_of(after, adopted.record->slot) == values_of(before, adopted.record->slot));
    CHECK_FALSE(adopt(topical.folder / "compact", small_model(5)).trained);
}

TEST_CASE("Topic adopter: documents' names are kept in the database") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    braid::test::index_by_plain_loop(topical_documents(30), path);
    CHECK(Xapian::Database(path).get_metadata(braid::kDocumentNamesKey).empty());
    adopt(path, small_model(3), {.names = braid::DocumentNameSource::parse("term:Q")});
    CHECK(braid::load_document_names(Xapian::Database(path)) ==
          braid::DocumentNameSource::parse("term:Q"));
    adopt(path, small_model(3));
    CHECK(braid::load_document_names(Xapian::Database(path)) ==
          braid::DocumentNameSource::parse("term:Q"));
}
