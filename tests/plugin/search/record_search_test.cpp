// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <set>

#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr unsigned kSlot = 1000;

// Every tenth document has no record.
Xapian::Database with_records(const RandomCorpus& corpus, std::size_t shards = 1) {
    const Xapian::Database texts = corpus.database();
    Xapian::Database result;
    for (std::size_t shard = 0; shard < shards; ++shard) {
        Xapian::WritableDatabase part("", Xapian::DB_BACKEND_INMEMORY);
        for (std::size_t i = shard; i < corpus.size(); i += shards) {
            Xapian::Document document = texts.get_document(static_cast<Xapian::docid>(i + 1));
            if (i % 10 != 9) {
                document.add_value(kSlot,
                                   encode_document_record(make_document_record(
                                       document, {.slot = kSlot, .form = WordForm::kWords})));
            }
            part.add_document(document);
        }
        store_document_records(part, {.slot = kSlot, .form = WordForm::kWords});
        result.add_database(part);
    }
    return result;
}

FusionModel needing_records() {
    return {.rankers = {{.ranker = "bm25", .weight = 0.25},
                        {.ranker = "tfidf-cosine", .weight = 3},
                        {.ranker = "lm-absdiscount", .parameters = {{"longest", 1e7}}}}};
}

std::map<std::string, double> counts_of(const std::vector<std::string>& words) {
    std::map<std::string, double> counts;
    for (const std::string& word : words) counts[word] += 1;
    return counts;
}

// The cosine of two vectors written out.
double cosine(const Xapian::Database& database, const std::map<std::string, double>& query,
              const std::map<std::string, double>& document) {
    double product = 0, query_squares = 0, document_squares = 0;
    for (const auto& [word, count] : document) {
        document_squares += std::pow(1 + std::log(count), 2);
    }
    for (const auto& [word, count] : query) {
        const double frequency = std::max(1U, database.get_termfreq(word));
        const double component =
            (1 + std::log(count)) * std::log(database.get_doccount() / frequency);
        query_squares += component * component;
        const auto found = document.find(word);
        if (found != document.end()) product += component * (1 + std::log(found->second));
    }
    return product > 0 ? product / std::sqrt(query_squares * document_squares) : 0;
}

Scores expected_cosines(const RandomCorpus& corpus, const Xapian::Database& database,
                        const std::vector<std::string>& words) {
    Scores scores;
    for (Xapian::docid docid = 1; docid <= corpus.size(); ++docid) {
        const auto document = counts_of(corpus.words(docid));
        bool found = false;
        for (const std::string& word : words) found = found || document.contains(word);
        if (!found) continue;
        scores[docid] = docid % 10 == 0 ? 0 : cosine(database, counts_of(words), document);
    }
    return scores;
}

}  // namespace

TEST_CASE("Records: tfidf-cosine is the cosine, on any number of shards", "[property]") {
    Random random(seed());
    for (int round = 0; round < 8; ++round) {
        const RandomCorpus corpus(random, 150, 40, 60);
        const auto words = corpus.random_words(random, 5);
        const FusionModel model{.rankers = {{.ranker = "tfidf-cosine"}}};
        Scores first;
        for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
            const Xapian::Database database = with_records(corpus, shards);
            const Scores found = searched(database, model, request_of(bag_of_words(words)));
            check_equal(found, expected_cosines(corpus, database, words),
                        1e-6);  // Norms are floats.
            if (shards == 1) first = found;
            CHECK(found == first);
        }
    }
}

TEST_CASE("Records: the top is the same whatever is asked for, and pools agree", "[property]") {
    Random random(seed(), 1);
    for (int round = 0; round < 8; ++round) {
        const RandomCorpus corpus(random, 300, 30, 60);
        const auto words = corpus.random_words(random, 4);
        const Xapian::Database database = with_records(corpus, 2);
        SearchRequest request = request_of(bag_of_words(words), 300);
        const Scores all = searched(database, needing_records(), request);
        std::vector<Xapian::docid> documents;
        for (const auto& [docid, score] : all) documents.push_back(docid);
        PoolScorer scorer(database, needing_records());
        const PoolScores pool = scorer.score(*request.query, documents);
        for (std::size_t i = 0; i < documents.size(); ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < pool.rows.width(); ++k) {
                sum += needing_records().rankers[k].weight *
                       pool.rows.scores[i * pool.rows.width() + k];
                CHECK(pool.rows.scores[i * pool.rows.width() + k] <=
                      pool.rows.bounds[k] * (1 + 1e-12));
            }
            CHECK(std::abs(sum - all.at(documents[i])) <= 1e-9 * sum);
        }
        const std::vector<double> ranked = descending(all);
        request.count = 5;
        const std::vector<double> top = descending(searched(database, needing_records(), request));
        CHECK(std::equal(top.begin(), top.end(), ranked.begin()));
    }
}

TEST_CASE("Records: a damaged one counts as missing, and whoever reads it says so") {
    Random random(seed(), 7);
    const RandomCorpus corpus(random, 120, 20, 40);
    Xapian::WritableDatabase whole("", Xapian::DB_BACKEND_INMEMORY);
    Xapian::WritableDatabase missing("", Xapian::DB_BACKEND_INMEMORY);
    Xapian::WritableDatabase damaged("", Xapian::DB_BACKEND_INMEMORY);
    const Xapian::Database texts = with_records(corpus);
    Xapian::docid chosen = 1;  // Some documents have no words.
    while (corpus.words(chosen).size() < 2) ++chosen;
    for (Xapian::docid docid = 1; docid <= corpus.size(); ++docid) {
        Xapian::Document document = texts.get_document(docid);
        whole.add_document(document);
        std::string record = document.get_value(kSlot);
        if (docid == chosen) document.remove_value(kSlot);
        missing.add_document(document);
        if (docid == chosen) {
            record[3] = static_cast<char>(record[3] ^ 2);
            document.add_value(kSlot, record);
        }
        damaged.add_document(document);
    }
    for (Xapian::WritableDatabase* database : {&whole, &missing, &damaged}) {
        store_document_records(*database, {.slot = kSlot, .form = WordForm::kWords});
    }
    const auto words = corpus.words(chosen);
    SearchRequest request = request_of(bag_of_words({words[0], words[1]}), 120);
    request.explain = true;
    const auto search = [&](const Xapian::Database& database) {
        Searcher searcher(database);
        searcher.rank_by(needing_records());
        return searcher.search(request);
    };
    CHECK(search(whole).run.counters.damaged == 0);
    CHECK(search(missing).run.counters.damaged == 0);
    const SearchResult result = search(damaged);
    CHECK(result.run.counters.damaged > 0);
    CHECK(searched(damaged, needing_records(), request) ==
          searched(missing, needing_records(), request));
    for (const SearchHit& hit : result.hits) {
        const bool is_named = hit.explanation->note.find("damaged") != std::string::npos;
        CHECK(is_named == (hit.docid == chosen));
    }
    const std::vector<Xapian::docid> documents = {chosen, chosen + 1, chosen + 2};
    PoolScorer scorer(damaged, needing_records());
    CHECK(scorer.score(*request.query, documents).damaged == std::set<Xapian::docid>{chosen});
}

TEST_CASE("Records: explained as they score") {
    Random random(seed(), 2);
    const RandomCorpus corpus(random, 80, 20, 40);
    const Xapian::Database database = with_records(corpus);
    Searcher searcher(database);
    searcher.rank_by(needing_records());
    SearchRequest request = request_of(bag_of_words({"w0", "w2", "w2"}), 80);
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 20);
    for (const SearchHit& hit : result.hits) check_explanation(hit);
}

TEST_CASE("Records: where pruning can't run, the best of a first pass are rescored") {
    Random random(seed(), 3);
    const RandomCorpus corpus(random, 120, 12, 40);
    FusionModel model = needing_records();
    for (const bool feedback : {false, true}) {
        if (feedback) model.rankers.push_back({.ranker = "rm3", .weight = 0.5});
        Searcher searcher(with_records(corpus, 2));
        searcher.rank_by(model);
        const Query words = bag_of_words({"w0", "w2", "w2"});
        const Query phrase(Query::OP_PHRASE, Query("w0"), Query("w1"));
        const Query both(Query::OP_AND, Query("w1"), Query("w2"));
        for (const Query& query : {words, Query(Query::OP_OR, phrase, Query("w2")),
                                   Query(Query::OP_OR, Query("w0"), both)}) {
            INFO(query.get_description());
            SearchRequest request = request_of(query);
            request.path = SearchRequest::Path::kPlain;
            request.explain = true;
            const SearchResult result = searcher.search(request);
            CHECK(result.run.rescored == result.hits.size());
            CHECK(result.hits.size() ==
                  all_matches(searcher.database(), Xapian::BoolWeight(), query).size());
            PoolScorer scorer(searcher.database(), model);
            for (const SearchHit& hit : result.hits) {
                const PoolScores row = scorer.score(query, std::vector{hit.docid});
                double sum = 0;
                for (std::size_t k = 0; k < row.rows.width(); ++k) {
                    sum += model.rankers[k].weight * row.rows.scores[k];
                    CHECK(hit.explanation->rankers[k].value.value() == row.rows.scores[k]);
                }
                CHECK(std::abs(hit.score - sum) <= 1e-9 * sum);
            }
        }
        if (feedback) continue;
        SearchRequest request = request_of(words);
        const Scores pruned = searched(searcher.database(), model, request);
        request.path = SearchRequest::Path::kPlain;
        check_equal(searched(searcher.database(), model, request), pruned, 1e-9);
    }
}

TEST_CASE("Records: are the database's own where a sidecar has the vectors") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 100, 20);
    const TemporaryFolder folder;
    const std::string path = (folder / "texts").string();
    {
        Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
        const Xapian::Database texts = with_records(corpus.corpus());
        for (Xapian::docid docid = 1; docid <= corpus.corpus().size(); ++docid) {
            writer.add_document(texts.get_document(docid));
        }
        store_document_records(writer, {kSlot, WordForm::kWords});
    }
    const Xapian::Database database(path);
    SearcherOptions options;
    options.sidecars = corpus.sidecars(database);
    FusionModel model = needing_records();
    model.rankers.push_back({.ranker = "lsa", .weight = 2});
    Searcher searcher(database, options);
    searcher.rank_by(model);
    SearchRequest request = request_of(bag_of_words({"w0", "w3"}));
    const SearchResult pruned = searcher.search(request);
    CHECK(pruned.run.pruned);
    CHECK(pruned.run.rescored == 0);
    REQUIRE(pruned.hits.size() > 20);
    PoolScorer scorer(database, model, {.sidecars = options.sidecars});
    for (const SearchHit& hit : pruned.hits) {
        const PoolScores row = scorer.score(*request.query, std::vector{hit.docid});
        double sum = 0;
        for (std::size_t k = 0; k < row.rows.width(); ++k) {
            sum += model.rankers[k].weight * row.rows.scores[k];
        }
        CHECK(std::abs(hit.score - sum) <= 1e-9 * sum);
    }
    // Among all documents it takes two passes, and finds no fewer.
    request.candidates = SearchSettings::Candidates::kAll;
    const SearchResult all = searcher.search(request);
    CHECK(all.run.rescored == all.hits.size());
    const Scores among_all = scores_of(all);
    for (const SearchHit& hit : pruned.hits) {
        CHECK(std::abs(among_all.at(hit.docid) - hit.score) <= 1e-9 * hit.score);
    }
}

TEST_CASE("Records: a model that is refused leaves the one before as it was") {
    Random random(seed(), 4);
    const RandomCorpus corpus(random, 60, 12, 40);
    Searcher searcher(with_records(corpus));
    searcher.rank_by(needing_records());
    const Query mixed(Query::OP_OR, Query("w0"), Query(Query::OP_AND, Query("w1"), Query("w2")));
    const Scores before = scores_of(searcher.search(request_of(mixed)));
    const FusionModel field{.rankers = {{.ranker = "bm25", .field = "title"}}};
    CHECK_THROWS_AS(searcher.rank_by(field), ModelMismatch);
    CHECK(scores_of(searcher.search(request_of(mixed))) == before);
    FusionModel in_field = needing_records();
    in_field.rankers.back().field = "title";
    CHECK_THROWS_AS(searcher.rank_by(in_field), ModelMismatch);
    CHECK(scores_of(searcher.search(request_of(mixed))) == before);
}

TEST_CASE("Records: without them the reason is said") {
    Random random(seed(), 3);
    const RandomCorpus corpus(random, 40, 20, 40);
    CHECK_THROWS_WITH(FusedWeight(needing_records()),
                      Contains("tfidf-cosine") && Contains("the norm") && Contains("--statistics"));
    Searcher bare(corpus.database());
    CHECK_THROWS_WITH(bare.rank_by(needing_records()), Contains("--statistics"));
    CHECK_THROWS_WITH(PoolScorer(corpus.database(), needing_records()), Contains("--statistics"));
    // With them, what wants one pass by all means is told what it can't be.
    Searcher searcher(with_records(corpus));
    searcher.rank_by(needing_records());
    SearchRequest request = request_of(Query(Query::OP_SYNONYM, Query("w0"), Query("w1")));
    request.path = SearchRequest::Path::kPruned;
    CHECK_THROWS_WITH(searcher.search(request), Contains("bag of words"));
}
