// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <thread>

#include "braid/core/error.h"
#include "braid/plugin/search/searcher.h"
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

}  // namespace

TEST_CASE("Searcher: threads search with one model while a writer commits", "[property]") {
    constexpr int kThreads = 8;
    constexpr int kSearches = 40;
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    add_documents(writer, 0, 500);
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lm-dirichlet", .weight = 0.3}};

    std::atomic<int> running = kThreads;
    std::atomic<int> found = 0;
    std::atomic<int> gave_up = 0;
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            try {
                Searcher searcher{Xapian::Database(path)};
                searcher.rank_by(model);
                for (int j = 0; j < kSearches; ++j) {
                    try {
                        const SearchResult result =
                            searcher.search({.text = "documents 7", .explain = true});
                        if (result.matches_at_most >= 500 && result.hits.size() == 10) ++found;
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
    for (int from = 500; running > 0; from += 50) {
        add_documents(writer, from, 50);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failed == 0);
    CHECK(found + gave_up == kThreads * kSearches);
    CHECK(found > kThreads * kSearches / 2);
}
