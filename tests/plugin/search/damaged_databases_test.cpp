// SPDX-License-Identifier: GPL-2.0-or-later
// Databases whose parts don't agree: searches don't trust one for the size of another.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "braid/searcher.h"
#include "braid/tests/plugin/clustered_corpus.h"
#include "braid/tests/plugin/fused_search.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr Xapian::docid kDocuments = 60;
// With as many documents as docids Xapian would not read their list.
constexpr Xapian::docid kLastOfHeader = 61;

// The documents of `source`, the last one as document `last`.
void copy(const Xapian::Database& source, const std::string& path, Xapian::docid last) {
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    for (Xapian::docid docid = 1; docid <= kDocuments; ++docid) {
        writer.replace_document(docid < kDocuments ? docid : last, source.get_document(docid));
    }
    for (auto key = source.metadata_keys_begin(); key != source.metadata_keys_end(); ++key) {
        writer.set_metadata(*key, source.get_metadata(*key));
    }
    writer.commit();
}

// A database of 60 documents, one of which has the docid `last`, and whose header says that no
// docid is above 61: tables of one database with the header of another that has the same blocks.
Xapian::Database forged(const Xapian::Database& source, const TemporaryFolder& folder,
                        Xapian::docid last) {
    const std::string honest = folder / "honest";
    const std::string forged = folder / "forged";
    copy(source, honest, kLastOfHeader);
    copy(source, forged, last);
    std::filesystem::copy_file(honest + "/iamglass", forged + "/iamglass",
                               std::filesystem::copy_options::overwrite_existing);
    Xapian::Database database(forged);
    REQUIRE(database.get_lastdocid() == kLastOfHeader);
    REQUIRE(database.get_doclength(last) == source.get_doclength(kDocuments));
    return database;
}

}  // namespace

TEST_CASE("FusedSource: docids above the last one of the header are served as all others",
          "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, kDocuments, 30);
    const auto last = GENERATE(Xapian::docid{1'000'000}, Xapian::docid{4'000'000'000});
    INFO("docid " << last);
    const TemporaryFolder folder;
    Xapian::WritableDatabase source((folder / "source").string(), Xapian::DB_CREATE);
    corpus.write_shard(source, 0, 1);
    add_clusters(source, corpus, "lsa", 4);
    const Xapian::Database database = forged(source, folder, last);
    const auto tables = std::make_shared<VectorTables>();
    const auto postings = std::make_shared<PostingTables>();
    std::size_t seen = 0;
    auto word = source.termlist_begin(kDocuments);
    if (word != source.termlist_end(kDocuments)) word.skip_to("w");
    // A random document may have no words.
    const std::string word_of_last = word == source.termlist_end(kDocuments) ? "" : *word;
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> words = corpus.corpus().random_words(random, 4);
        if (round % 4 == 3 && !word_of_last.empty()) words.front() = word_of_last;
        const FusedSearch search{corpus,
                                 random_model(random, 3),
                                 words,
                                 Query::OP_OR,
                                 {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), 3}}};
        const bool finds = round % 2 == 0;
        FusedSource plain = search.source(source);
        FusedSource from_memory = search.source(database);
        from_memory.use_tables(tables);
        if (round % 4 < 2) from_memory.use_postings(postings);
        if (finds) plain.find_similar({});
        if (finds) from_memory.find_similar({});
        const Scores found = all_of(database, from_memory);
        Scores expected;
        for (const auto& [docid, score] : all_of(source, plain)) {
            expected[docid == kDocuments ? last : docid] = score;
        }
        REQUIRE(found == expected);
        seen += found.contains(last) ? 1 : 0;
    }
    CHECK((seen > 0 || word_of_last.empty()));
}

TEST_CASE("Searcher: damaged databases that plain Xapian reads give results or an error") {
    const auto archive = shared_file("trust/damaged.tar.gz");
    BRAID_SKIP_WITHOUT(archive);
    const TemporaryFolder folder;
    const std::string unpack =
        "tar xzf '" + archive->string() + "' -C '" + folder.path().string() + "'";
    REQUIRE(std::system(unpack.c_str()) == 0);
    for (const char* name : {"gcrash342_0", "gcrash348_0"}) {
        INFO(name);
        SearcherOptions options;
        options.vectors = std::make_shared<VectorTables>();
        options.postings = std::make_shared<PostingTables>();
        try {
            Searcher searcher(Xapian::Database((folder / name).string()), options);
            for (const char* text : {"image viewer", "library json", "game"}) {
                SearchRequest request;
                request.text = text;
                request.count = 30;
                for (const SearchHit& hit : searcher.search(request).hits) {
                    CHECK(std::isfinite(hit.score));
                }
            }
        } catch (const Error&) {  // Either is a right answer.
        } catch (const Xapian::Error&) {
        }
    }
}
