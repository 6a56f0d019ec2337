// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/neighbour_source.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/sources.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kEach = 4;
const TopicSlot kModel = {"0123456789abcdef", kFirstTopicSlot};

// A random corpus of which most documents have random neighbours: one in nine has no value, one in
// thirteen a damaged one, one in five fewer, and one in seven a neighbour that is not there.
class NeighbourCorpus {
  public:
    NeighbourCorpus(Random& random, std::size_t documents, std::size_t vocabulary,
                    std::size_t shards = 1)
        : corpus_(random, documents, vocabulary, 30), shards_(shards), away_(documents + 1) {
        for (std::size_t docid = 1; docid <= documents; ++docid) {
            for (std::size_t k = 0; k < (docid % 5 == 0 ? 2 : kEach); ++k) {
                const std::size_t shard = (docid - 1) % shards;
                const std::size_t there = random.below((documents - 1 - shard) / shards + 1);
                const auto delta = static_cast<std::int32_t>(there + 1) - local(docid);
                const auto& before = away_[docid];
                const bool is_new = std::find(before.begin(), before.end(), delta) == before.end();
                if (delta != 0 && is_new) away_[docid].push_back(delta);
            }
            if (docid % 7 == 0) away_[docid].front() = 1'000'000;
        }
    }

    const RandomCorpus& corpus() const { return corpus_; }

    Xapian::Database database() const {
        return in_memory_shards(shards_, [&](Xapian::WritableDatabase& part, std::size_t number) {
            write(part, number, true);
        });
    }
    // The same on disk, where shards have identifiers.
    Xapian::Database stored(const TemporaryFolder& folder) const {
        Xapian::Database result;
        for (std::size_t i = 0; i < shards_; ++i) {
            Xapian::WritableDatabase part((folder / std::to_string(i)).string(), Xapian::DB_CREATE);
            write(part, i, true);
            result.add_database(Xapian::Database((folder / std::to_string(i)).string()));
        }
        return result;
    }
    // The first shard's, on disk, where it may have tables.
    Xapian::Database stored_sidecar(const std::string& path,
                                    const Xapian::Database& database) const {
        Xapian::WritableDatabase sidecar(path, Xapian::DB_CREATE);
        write(sidecar, 0, false);
        mark_as_sidecar(sidecar, database.get_uuid());
        sidecar.commit();
        return Xapian::Database(path);
    }
    std::vector<Xapian::Database> sidecars(const Xapian::Database& database) const {
        const std::vector<std::string> uuids = shard_uuids(database);
        std::vector<Xapian::Database> result;
        for (std::size_t i = uuids.size(); i-- > 0;) {
            Xapian::WritableDatabase sidecar("", Xapian::DB_BACKEND_INMEMORY);
            write(sidecar, i, false);
            mark_as_sidecar(sidecar, uuids[i]);
            result.push_back(sidecar);
        }
        return result;
    }

    std::string value(std::size_t docid) const {
        if (docid % 9 == 0) return "";
        std::vector<std::int32_t> away = away_[docid];
        away.resize(kEach);
        std::string bytes =
            encode_numbers({VectorCoding::kFloat32, topic_model_tag(kModel.id),
                            corpus_.words(static_cast<Xapian::docid>(docid)).size()},
                           away);
        if (docid % 13 == 0) bytes.pop_back();
        return bytes;
    }

    NeighbourQuery query(const std::vector<std::string>& words) const {
        NeighbourQuery query{.model = kModel, .neighbours = kEach};
        double total = 0;
        for (Xapian::docid d = 1; d <= corpus_.size(); ++d) {
            total += static_cast<double>(corpus_.words(d).size());
        }
        std::map<std::string, double> counts;
        for (const std::string& word : words) ++counts[word];
        for (const auto& [word, count] : counts) {
            double all = 0;
            for (Xapian::docid d = 1; d <= corpus_.size(); ++d) all += occurrences(d, word);
            if (all > 0) query.words.push_back({word, count, all / total});
        }
        return query;
    }

    // (1) to (3) of the texts themselves.
    Scores naive(const NeighbourQuery& query) const {
        Scores scores;
        for (Xapian::docid d = 1; d <= corpus_.size(); ++d) {
            const double size = length(d) * query.length_scale;
            if (size == 0) continue;
            std::vector<Xapian::docid> near;
            if (d % 9 != 0 && d % 13 != 0) {
                for (const std::int32_t delta : away_[d]) {
                    near.push_back(
                        static_cast<Xapian::docid>(d + delta * static_cast<std::int64_t>(shards_)));
                }
            }
            double score = 0;
            for (const SourceWord& word : query.words) {
                const double own = near.empty() ? 1 : query.settings.own;
                double s = own * share(query, d, word.term);
                for (const Xapian::docid n : near) {
                    s += (1 - own) * share(query, n, word.term) / static_cast<double>(near.size());
                }
                const double words = std::min(size, query.longest);
                const double p = word.collection_share;
                const double mu = query.settings.mu;
                score += word.count * (std::log((words * s + mu * p) / (words + mu)) -
                                       std::log(mu * p / (mu + query.longest)));
            }
            if (score > 1e-12) scores[d] = score;
        }
        return scores;
    }

  private:
    std::int32_t local(std::size_t docid) const {
        return static_cast<std::int32_t>((docid - 1) / shards_ + 1);
    }
    double occurrences(Xapian::docid docid, const std::string& word) const {
        const auto& words = corpus_.words(docid);
        return static_cast<double>(std::count(words.begin(), words.end(), word));
    }
    double length(Xapian::docid docid) const {
        return static_cast<double>(corpus_.words(docid).size());
    }
    double share(const NeighbourQuery& query, Xapian::docid docid, const std::string& word) const {
        if (docid < 1 || docid > corpus_.size() || length(docid) == 0) return 0;
        return static_cast<float>(occurrences(docid, word) / (query.length_scale * length(docid)));
    }
    void write(Xapian::WritableDatabase& part, std::size_t number, bool texts) const {
        const Xapian::Database source = corpus_.database();
        for (std::size_t i = number; i < corpus_.size(); i += shards_) {
            Xapian::Document document;
            if (texts) document = source.get_document(static_cast<Xapian::docid>(i + 1));
            document.add_value(kModel.slot, value(i + 1));
            part.replace_document(static_cast<Xapian::docid>(i / shards_ + 1), document);
        }
        TopicRecord record;
        record.name = kNeighboursModel;
        record.header = {.model = kNeighboursModel, .dimensions = kEach};
        record.coding = VectorCoding::kFloat32;
        record.slot = kModel.slot;
        record.form = WordForm::kWords;
        record.stemmer = "none";
        record.documents = corpus_.size();
        record.words = source.get_avlength() * source.get_doccount();
        write_topic_model(part, kModel.id, record, {}, {});
        publish_topic_model(part, {kNeighboursModel, kModel.id});
        part.commit();
    }

    RandomCorpus corpus_;
    std::size_t shards_;
    std::vector<std::vector<std::int32_t>> away_;
};

NeighbourQuery random_query(Random& random, const NeighbourCorpus& corpus) {
    NeighbourQuery query = corpus.query(corpus.corpus().random_words(random, 5));
    query.settings = {random.uniform(), 1 + 50 * random.uniform()};
    if (random.below(2) == 0) query.longest = 20;  // Some documents are longer.
    query.length_scale = 0.3 + 0.7 * random.uniform();
    return query;
}

NeighbourQuery small_query() {
    return {.model = kModel, .neighbours = 2, .words = {{"word", 2, 0.25}, {"other", 1, 0.125}}};
}

}  // namespace

TEST_CASE("NeighbourSource: weighs documents as a naive search does, on any number of shards",
          "[property]") {
    Random random(seed());
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const NeighbourCorpus corpus(random, 130, 60, shards);
        const Xapian::Database database = corpus.database();
        for (int round = 0; round < 15; ++round) {
            const NeighbourQuery query = random_query(random, corpus);
            const double weight = 0.1 + random.uniform();
            Scores expected = corpus.naive(query);
            for (auto& [docid, score] : expected) score *= weight;
            const NeighbourSource source(query, weight);
            check_equal(matched(database, source), expected, 1e-6);
            NeighbourScorer scorer(std::make_shared<const NeighbourQuery>(query), database, shards);
            for (auto& [docid, score] : expected) {
                score = weight *
                        scorer.score(docid, database.get_doclength(docid), corpus.value(docid));
            }
            check_equal(matched(database, source), expected, 1e-12);
            // No document of a query whose words no document has is looked at.
            CHECK((scorer.damaged() > 0) == !query.words.empty());
            CHECK((source.damaged() > 0) == !query.words.empty());
        }
    }
}

TEST_CASE("NeighbourSource: a sidecar's neighbours give the same scores") {
    Random random(seed(), 1);
    const NeighbourCorpus corpus(random, 90, 40, 2);
    const TemporaryFolder folder;
    const Xapian::Database database = corpus.stored(folder);
    const NeighbourQuery query = corpus.query({"w0", "w3"});
    const NeighbourSource beside(query, 1, corpus.sidecars(database));
    CHECK(matched(database, beside) == matched(database, NeighbourSource(query, 1)));
    CHECK_THROWS_AS(beside.serialise(), Xapian::UnimplementedError);
}

TEST_CASE(
    "NeighbourSource: each weight is in the range of its document, also behind a sidecar's end",
    "[property]") {
    Random random(seed(), 9);
    const NeighbourCorpus corpus(random, 130, 40);
    const TemporaryFolder folder;
    corpus.stored(folder);
    const std::string path = (folder / "0").string();
    const Xapian::Database sidecar =
        corpus.stored_sidecar((folder / "sidecar").string(), Xapian::Database(path));
    {
        Xapian::WritableDatabase writer(path);
        for (Xapian::docid docid = 1; docid <= 40; ++docid) {
            writer.add_document(writer.get_document(docid));
        }
        writer.add_document(Xapian::Document());
        writer.commit();
    }
    const Xapian::Database database(path);
    for (int round = 0; round < 30; ++round) {
        const NeighbourQuery query = random_query(random, corpus);
        if (query.words.empty()) continue;
        NeighbourSource source(query, 2, {sidecar});
        check_ranges(source, database);
    }
}

TEST_CASE("NeighbourSource: no document weighs more than the bound, also below a factor",
          "[property]") {
    Random random(seed(), 2);
    const NeighbourCorpus corpus(random, 200, 30);
    const Xapian::Database database = corpus.database();
    for (int round = 0; round < 40; ++round) {
        const NeighbourQuery query = random_query(random, corpus);
        NeighbourSource source(query, 2);
        source.init(database);
        CHECK(source.get_maxweight() <= 2 * neighbour_bound(query, database) * (1 + 1e-12));
        check_bound(source, database, bag_of_words(corpus.corpus().random_words(random, 3)));
    }
}

TEST_CASE("NeighbourSource: moves by skip_to and check as by next", "[property]") {
    Random random(seed(), 3);
    const NeighbourCorpus corpus(random, 150, 40);
    const Xapian::Database database = corpus.database();
    check_moves_of_queries<NeighbourSource>(database, random,
                                            [&] { return random_query(random, corpus); });
}

TEST_CASE("NeighbourSource: damaged values leave the document's words, junk stays in range",
          "[property]") {
    Random random(seed(), 4);
    const NeighbourCorpus corpus(random, 60, 20);
    const Xapian::Database database = corpus.database();
    const auto query = std::make_shared<const NeighbourQuery>(corpus.query({"w0", "w1"}));
    NeighbourScorer scorer(query, database, 1);
    const double words = scorer.score(1, 10, "");
    const std::string good = corpus.value(1);
    CHECK(scorer.score(1, 0, good) == 0);
    check_foreign_values(good, words,
                         [&](const std::string& value) { return scorer.score(1, 10, value); });
    for (int i = 0; i < 20000; ++i) {
        std::string changed = good;
        changed[random.below(changed.size())] = static_cast<char>(random.bits());
        const double score = scorer.score(static_cast<Xapian::docid>(random.bits()), 10, changed);
        REQUIRE((std::isfinite(score) && score >= 0 && score <= scorer.bound()));
    }
}

TEST_CASE("Neighbours in a search: alone and beside others, in training as in searching",
          "[property]") {
    Random random(seed(), 5);
    for (const std::size_t shards : {1U, 3U}) {
        const NeighbourCorpus corpus(random, 140, 50, shards);
        const TemporaryFolder folder;
        const Xapian::Database database = corpus.stored(folder);
        PoolScorer pools(
            database, {.rankers = {{.ranker = "lm-neighbours",
                                    .parameters = {{"own", 0.4}, {"mu", 30}, {"longest", 500}}}}});
        for (int round = 0; round < 6; ++round) {
            const auto words = corpus.corpus().random_words(random, 4);
            const RankerSpec spec{.ranker = "lm-neighbours",
                                  .parameters = {{"own", 0.4}, {"mu", 30}, {"longest", 500}},
                                  .weight = 0.7};
            NeighbourQuery query = corpus.query(words);
            query.settings = {0.4, 30};
            query.longest = 500;
            SearchRequest request = request_of(bag_of_words(words));
            request.candidates = Candidates::kAll;
            const Scores lexical = naive_scores(corpus.corpus().database(), FusionModel{}, words);
            const Scores near = corpus.naive(query);
            for (const Candidates candidates : {Candidates::kWords, Candidates::kAll}) {
                Scores expected = lexical;
                for (const auto& [docid, score] : near) {
                    if (candidates == Candidates::kAll || lexical.contains(docid)) {
                        expected[docid] += 0.7 * score;
                    }
                }
                request.candidates = candidates;
                const FusionModel both{.rankers = {{.ranker = "bm25"}, spec}};
                check_equal(searched(database, both, request), expected, 1e-6);
                SearcherOptions in_memory;  // From the first search on.
                in_memory.vectors = std::make_shared<VectorTables>();
                check_equal(searched(database, both, request, in_memory), expected, 1e-6);
                request.count = 3;
                const auto best = searched(database, both, request);
                request.count = 150;
                CHECK(best.size() == std::min<std::size_t>(3, expected.size()));
                for (const auto& [docid, score] : best) {
                    std::size_t better = 0;
                    for (const auto& [other, there] : expected) better += there > score * 1.0001;
                    CHECK(better < 3);
                }
            }
            const FusionModel alone{.rankers = {spec}};
            const Scores found = searched(database, alone, request);
            std::vector<Xapian::docid> pool;
            for (const auto& [docid, score] : found) pool.push_back(docid);
            if (pool.empty()) continue;
            const PoolScores scores = pools.score(*request.query, pool);
            for (std::size_t i = 0; i < pool.size(); ++i) {
                CHECK_THAT(0.7 * scores.rows.scores[i], WithinRel(found.at(pool[i]), 1e-9));
                CHECK(scores.rows.scores[i] <= scores.rows.bounds[0]);
            }
        }
    }
}

TEST_CASE("NeighbourSource: what can't be scored by, and a shard without the model, are refused") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK_NOTHROW(NeighbourSource(small_query(), 1));
    CHECK_THROWS_WITH(NeighbourSource(small_query(), -1), Contains("weight -1"));
    CHECK_THROWS_AS(NeighbourSource(small_query(), infinity), InvalidArgument);
    const auto refused = [](const std::function<void(NeighbourQuery&)>& change, const char* word) {
        NeighbourQuery query = small_query();
        change(query);
        CHECK_THROWS_WITH(validate(query), Contains(word));
    };
    refused([](NeighbourQuery& query) { query.neighbours = 0; }, "neighbours 0");
    refused([](NeighbourQuery& query) { query.neighbours = 65; }, "neighbours 65");
    refused([](NeighbourQuery& query) { query.settings.own = 1.5; }, "own 1.5");
    refused([](NeighbourQuery& query) { query.settings.mu = 0; }, "mu 0");
    refused([](NeighbourQuery& query) { query.longest = 0; }, "longest 0");
    refused([](NeighbourQuery& query) { query.length_scale = 2; }, "length 2");
    refused([](NeighbourQuery& query) { query.words[0].term.clear(); }, "term");
    refused([](NeighbourQuery& query) { query.words[0].count = 0; }, "count 0");
    refused([](NeighbourQuery& query) { query.words[0].collection_share = 0; }, "collection 0");
    Random random(seed(), 6);
    const NeighbourCorpus corpus(random, 30, 20);
    Xapian::Database mixed = corpus.database();
    mixed.add_database(corpus.corpus().database());
    const NeighbourSource source(corpus.query({"w0"}), 1);
    CHECK_THAT(message_of([&] { matched(mixed, source); }),
               Contains("InvalidOperationError") && Contains("NeighbourSource") &&
                   Contains("doesn't hold the topic model"));
}

TEST_CASE("NeighbourSource: serialised and back, it matches the same; other bytes are refused",
          "[property]") {
    Random random(seed(), 7);
    const NeighbourCorpus corpus(random, 60, 30, 2);
    const Xapian::Database database = corpus.database();
    for (int round = 0; round < 10; ++round) {
        check_sent(NeighbourSource(random_query(random, corpus), 0.75), database);
    }
    check_bytes(NeighbourSource(), NeighbourSource(small_query(), 2).serialise(), random);
}
