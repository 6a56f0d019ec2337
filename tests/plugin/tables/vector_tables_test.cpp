// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/vector_tables.h"

#include "braid/plugin/store/sidecar.h"
#include "braid/tests/plugin/fused_search.h"
#include "braid/tests/plugin/stored_corpus.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

TEST_CASE("FusedSource: vectors read from memory give the same, after a commit too", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 150, 30);
    StoredCorpus stored(corpus);
    const auto tables = std::make_shared<VectorTables>();
    const auto small = std::make_shared<VectorTables>(2000);
    for (int round = 0; round < 20; ++round) {
        const std::vector<std::string> words = corpus.corpus().random_words(random, 4);
        const FusedSearch search{corpus, random_model(random, 3), words, Query::OP_OR,
                                 random_topics(random, corpus, words)};
        const Xapian::Database database = stored.open();
        FusedSource source = search.source(database);
        const Scores expected = all_of(database, source);
        if (round < 10) REQUIRE(expected == evaluated(search));
        for (const auto& room : {tables, small}) {
            FusedSource from_memory = search.source(database);
            from_memory.use_tables(room);
            REQUIRE(all_of(database, from_memory) == expected);
        }
        if (round < 10) continue;
        const auto docid = static_cast<Xapian::docid>(1 + random.below(150));
        Xapian::Document document = stored.writer.get_document(docid);
        document.add_value(1000, corpus.value("lsa", 1 + random.below(8)));
        stored.writer.replace_document(docid, document);
        stored.writer.commit();
    }
}

TEST_CASE("FusedSource: vectors that sidecars hold are found by shard", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 120, 30);
    const TemporaryFolder folder;
    const Xapian::Database shards = corpus.corpus().stored_database(folder.path().string(), 2);
    std::vector<Xapian::Database> sidecars;
    for (const std::size_t number : {1U, 0U}) {
        const std::string path = (folder / ("sidecar" + std::to_string(number))).string();
        Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
        corpus.write_sidecar(writer, number, 2);
        mark_as_sidecar(writer, shard_uuids(shards)[number]);
        writer.commit();
        sidecars.emplace_back(path);
    }
    for (int round = 0; round < 10; ++round) {
        const std::vector<std::string> words = corpus.corpus().random_words(random, 4);
        const FusedSearch search{corpus,
                                 random_model(random, 3),
                                 words,
                                 Query::OP_OR,
                                 {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), 3}}};
        FusedSource source(search.model, read_bag_of_words(shards, search.text()), search.topics,
                           sidecars);
        CHECK_THROWS_AS(source.serialise(), Xapian::UnimplementedError);
        const Scores expected = evaluated(search);
        REQUIRE(all_of(shards, source) == expected);
        source.use_tables(std::make_shared<VectorTables>());
        REQUIRE(all_of(shards, source) == expected);
        const FusedSource half(search.model, read_bag_of_words(shards, search.text()),
                               search.topics, {sidecars[0]});
        CHECK_THROWS_AS(all_of(shards, half), Xapian::InvalidOperationError);
    }
}

TEST_CASE("VectorTables: values as the database has them, where there is room") {
    Random random(seed());
    const TopicCorpus corpus(random, 60, 10);
    StoredCorpus stored(corpus);
    stored.writer.delete_document(60);
    stored.writer.delete_document(7);
    stored.writer.commit();
    const Xapian::Database database = stored.open();
    VectorTables tables;
    const auto table = tables.vectors(database, 1000).table;
    REQUIRE(table != nullptr);
    CHECK(tables.vectors(database, 1000).table == table);
    CHECK(tables.vectors(database, 1001).table != table);
    for (Xapian::docid docid = 1; docid <= 60; ++docid) {
        if (docid == 7 || docid == 60) {
            CHECK(table->value(docid) == "");
        } else {
            CHECK(table->value(docid) == database.get_document(docid).get_value(1000));
        }
    }
    CHECK(table->value(61) == "");
    const auto lengths = tables.lengths(database).table;
    REQUIRE(lengths != nullptr);
    for (Xapian::docid docid = 1; docid < 60; ++docid) {
        if (docid != 7) CHECK(lengths->length(docid) == database.get_doclength(docid));
    }
    CHECK(VectorTables(100).lengths(database).table == nullptr);
    CHECK(tables.bytes() > table->bytes() + lengths->bytes());
    CHECK(VectorTables(table->bytes() / 2).vectors(database, 1000).table == nullptr);
    CHECK(VectorTables().vectors(corpus.database(), 1000).table == nullptr);
    stored.writer.delete_document(1);
    stored.writer.commit();
    const Xapian::Database later = stored.open();
    CHECK(tables.vectors(later, 1000).table->value(1) == "");
    CHECK(table->value(1) == corpus.value("lsa", 1));
}
