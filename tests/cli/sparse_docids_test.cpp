// SPDX-License-Identifier: GPL-2.0-or-later
// Documents with docids far apart cost what documents cost.
#include <algorithm>
#include <array>

#include <xapian.h>

#include "braid/tests/cli/topic_fixture.h"

using namespace braid::test;

namespace {

constexpr int kDocuments = 300;
constexpr long kMostKilobytes = 300'000;

/// The same 300 documents twice: with docids 1 to 300, and with docids up to `last`.
struct SparseFixture : TopicFixture {
    explicit SparseFixture(Xapian::docid last) : TopicFixture(kDocuments) {
        const Xapian::Database dense(database);
        Xapian::WritableDatabase writer(sparse, Xapian::DB_CREATE);
        for (Xapian::docid docid = 1; docid <= kDocuments; ++docid) {
            writer.replace_document(last / kDocuments * docid, dense.get_document(docid));
        }
        for (auto key = dense.metadata_keys_begin(); key != dense.metadata_keys_end(); ++key) {
            writer.set_metadata(*key, dense.get_metadata(*key));
        }
        writer.commit();
        std::string query_lines;
        std::string judgement_lines;
        for (int q = 0; q < 8; ++q) {
            const std::string id = std::to_string(q);
            query_lines += id + "\tw" + std::to_string(5 * q) + " w" + std::to_string(q) + "\n";
            for (int d = q; d < kDocuments; d += 7) {
                judgement_lines += id + " 0 d" + std::to_string(d) + " 1\n";
            }
        }
        write_file(queries, query_lines);
        write_file(qrels, judgement_lines);
        write_file(model,
                   "model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: lsa, weight: 3}\n"
                   "    - {ranker: tfidf-cosine}\n");
    }

    // Runs it on both, and gives what both print. Sanitizers take memory of their own.
    std::string both(const std::string& command, const std::vector<std::string>& options) const {
        std::array<CommandResult, 2> results;
        for (const bool is_sparse : {false, true}) {
            std::vector<std::string> words = {command, "--db", is_sparse ? sparse : database};
            words.insert(words.end(), options.begin(), options.end());
            CommandResult& result = results[is_sparse ? 1 : 0];
            result = run_braid(words);
            INFO(command << (is_sparse ? ", sparse: " : ", dense: ") << result.err);
            REQUIRE(result.code == 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
            CHECK(result.peak_kilobytes < kMostKilobytes);
#endif
        }
        CHECK(results[1].out == results[0].out);
        return results[0].out;
    }

    std::string sparse = folder / "sparse";
    std::string queries = folder / "queries.tsv";
    std::string qrels = folder / "qrels";
    std::string model = folder / "model.yaml";
};

}  // namespace

TEST_CASE("braid adopt, run, train, index: memory and results don't depend on docids") {
    const auto last = GENERATE(Xapian::docid{200'000'000}, Xapian::docid{4'200'000'000});
    INFO("docids up to " << last);
    const SparseFixture fixture(last);
    fixture.both("adopt", {"--topics", "lsa:8", "--quiet"});
    fixture.both("adopt", {"--statistics", "--quiet"});
    const std::string vectors = fixture.folder / "vectors.jsonl";
    std::string lines;
    for (int d = 0; d < kDocuments; ++d) {
        lines += "{\"id\": \"d" + std::to_string(d) + "\", \"vector\": [1, " +
                 std::to_string(d % 5) + "]}\n";
    }
    write_file(vectors, lines);
    fixture.both("adopt", {"--vectors", vectors, "--quiet"});
    for (const char* candidates : {"words", "hybrid", "all"}) {
        const std::string run =
            fixture.both("run", {"--queries", fixture.queries, "--model", fixture.model, "--quiet",
                                 "--candidates", candidates, "--depth", "20"});
        CHECK(std::count(run.begin(), run.end(), '\n') == 8 * 20);
    }
    const std::string weights =
        fixture.both("train", {"--queries", fixture.queries, "--qrels", fixture.qrels, "--learner",
                               "genm-bat", "--model-rankers", fixture.model, "--quiet"});
    CHECK(!weights.empty());
    // Every document once more, and none is new.
    const std::string documents = fixture.documents(0, kDocuments);
    fixture.both("index", {documents, "--quiet"});
    CHECK(Xapian::Database(fixture.sparse).get_doccount() == kDocuments);
}
