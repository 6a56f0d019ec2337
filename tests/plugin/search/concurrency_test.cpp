// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <chrono>
#include <thread>

#include "braid/error.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/topic_corpus.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

void add_documents(Xapian::WritableDatabase& writer, int from, int count) {
    Xapian::TermGenerator generator;
    generator.set_stemmer(Xapian::Stem("english"));
    for (int i = from; i < from + count; ++i) {
        Xapian::Document document;
        generator.set_document(document);
        generator.index_text("document number " + std::to_string(i) + " of many");
        writer.add_document(document);
    }
    writer.commit();
}

// Runs `kSearches` of `search(searcher, number)` in each of eight threads, all by one model and
// with one memory for vectors and postings, until they are done; `commit(number)` meanwhile.
template <typename Search, typename Commit>
void search_during_commits(const std::string& path, const FusionModel& model, const Search& search,
                           const Commit& commit) {
    constexpr int kThreads = 8;
    constexpr int kSearches = 40;
    std::atomic<int> running = kThreads;
    std::atomic<int> found = 0;
    std::atomic<int> gave_up = 0;
    std::atomic<int> failed = 0;
    SearcherOptions options;
    options.vectors = std::make_shared<VectorTables>();
    // With room for some of the terms: threads make, use and forget tables at a time.
    options.postings = std::make_shared<PostingTables>(8000);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            try {
                Searcher searcher(SearchPaths{{path}}, options);
                searcher.rank_by(model);
                for (int j = 0; j < kSearches; ++j) {
                    try {
                        if (search(searcher, j)) ++found;
                    } catch (const Error&) {  // The writer was faster, eleven times.
                        ++gave_up;
                    }
                }
            } catch (...) {
                ++failed;
            }
            --running;
        });
    }
    for (int i = 0; running > 0; ++i) {
        commit(i);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failed == 0);
    CHECK(found + gave_up == kThreads * kSearches);
    CHECK(found > kThreads * kSearches / 2);
}

}  // namespace

TEST_CASE("Searcher: threads search with one model while a writer commits", "[property]") {
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    add_documents(writer, 0, 500);
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lm-dirichlet", .weight = 0.3}};
    search_during_commits(
        path, model,
        [](Searcher& searcher, int) {
            const SearchResult result = searcher.search({.text = "documents 7", .explain = true});
            return result.matches_at_most >= 500 && result.hits.size() == 10;
        },
        [&](int i) { add_documents(writer, 500 + 50 * i, 50); });
}

TEST_CASE("Searcher: threads share vectors, postings and records in memory while a writer commits",
          "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 400, 30);
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    corpus.write_shard(writer, 0, 1);
    const DocumentRecords records{.slot = 1007, .form = WordForm::kWords};
    const auto record = [&](Xapian::docid docid) {
        Xapian::Document document = writer.get_document(docid);
        document.add_value(records.slot,
                           encode_document_record(make_document_record(document, records)));
        writer.replace_document(docid, document);
    };
    for (Xapian::docid docid = 1; docid <= corpus.corpus().size(); ++docid) record(docid);
    store_document_records(writer, records);
    writer.commit();
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "tfidf-cosine", .weight = 2},
                                        {.ranker = "lm-absdiscount", .weight = 0.1},
                                        {.ranker = "all-words", .weight = 2},
                                        {.ranker = "lsa", .weight = 5}}};
    search_during_commits(
        path, model,
        [](Searcher& searcher, int number) {
            SearchRequest request;
            request.query = bag_of_words({"w0", "w" + std::to_string(number % 9)});
            if (number % 3 == 0) request.filter = Xapian::Query("XODD");
            request.explain = number % 5 == 0;
            const SearchResult result = searcher.search(request);
            return result.run.pruned && result.hits.size() == 10;
        },
        [&](int number) {
            const auto docid = static_cast<Xapian::docid>(1 + number % 400);
            const Xapian::docid copy = writer.add_document(writer.get_document(docid));
            writer.delete_document(copy);
            record(docid);
            writer.commit();
        });
}

TEST_CASE("Searcher: threads that rank all documents share no query", "[property]") {
    // Under tsan one search in each of two threads is enough to see a shared count of references.
    constexpr int kThreads = 4;
    constexpr int kSearches = 100;
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 60, 30);
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    {
        Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
        corpus.write_shard(writer, 0, 1);
        writer.commit();
    }
    const FusionModel model{.rankers = {{.ranker = "lm-dirichlet"}, {.ranker = "lsa"}}};
    std::atomic<int> whole = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            Searcher searcher{Xapian::Database(path)};
            searcher.rank_by(model);
            for (int j = 0; j < kSearches; ++j) {
                SearchRequest request;
                request.query = bag_of_words({"w0", "w" + std::to_string(j % 9)});
                request.filter = Xapian::Query(Xapian::Query::OP_VALUE_LE, 1, "4");
                request.candidates = SearchSettings::Candidates::kAll;
                request.explain = j % 5 == 0;
                if (searcher.search(request).hits.size() == 10) ++whole;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(whole == kThreads * kSearches);
}
