// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/lbdm_source.h"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/sources.h"
#include "braid/tests/plugin/naive_lbdm.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

Scores scaled(Scores scores, double weight) {
    for (auto& [docid, score] : scores) score *= weight;
    return scores;
}

// A query of the corpus with settings of its own.
LbdmQuery random_query(Random& random, const TopicCorpus& corpus) {
    LbdmQuery query = lbdm_query(corpus, corpus.corpus().random_words(random, 5));
    query.settings = {0.05 + 0.95 * random.uniform(), 1 + 50 * random.uniform()};
    if (random.below(2) == 0) query.longest = 20;  // Some documents are longer.
    query.length_scale = 0.3 + 0.7 * random.uniform();
    if (!query.words.empty() && random.below(2) == 0) query.words[0].topics.clear();
    return query;
}

LbdmQuery small_query() {
    return {.model = {"0123456789abcdef", 1000},
            .dimensions = 2,
            .words = {{"word", 2, 0.25, {0.5F, 0.125F}}, {"unknown", 1, 0.125, {}}}};
}

}  // namespace

TEST_CASE("LbdmSource: weighs documents as core's formula does, on any number of shards",
          "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 120, 60);
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 15; ++round) {
            const LbdmQuery query = random_query(random, corpus);
            const double weight = 0.1 + random.uniform();
            check_equal(matched(database, LbdmSource(query, weight)),
                        scaled(naive_lbdm(corpus, query), weight), 1e-9);
        }
    }
}

TEST_CASE("LbdmSource: no document weighs more than the bound, also below a factor", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 200, 30);
    const Xapian::Database database = corpus.database();
    for (int round = 0; round < 40; ++round) {
        const LbdmQuery query = random_query(random, corpus);
        LbdmSource source(query, 2);
        source.init(database);
        CHECK(source.get_maxweight() == 2 * source.bound(database));
        check_bound(source, database, bag_of_words(corpus.corpus().random_words(random, 3)));
    }
}

// Above 257 dimensions the ones that a document's topics are summed by are quantised, too.
TEST_CASE("LbdmSource: each weight is in the range of its document, of any number of topics",
          "[property]") {
    Random random(seed(), 5);
    for (const std::size_t dimensions : {1U, 8U, 300U, 1500U}) {
        const TopicSlot model = {"0123456789abcdef", 1000};
        const TemporaryFolder folder;
        const std::string path = (folder / "db").string();
        const auto random_topics = [&](std::size_t most) {
            std::vector<float> topics(dimensions);
            for (std::size_t i = 0; i <= random.below(most); ++i) {
                topics[random.below(dimensions)] = static_cast<float>(random.uniform());
            }
            return topics;
        };
        Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
        writer.set_metadata(topic_key(model.id, kTopicRecordEnding), "there");
        for (int i = 0; i < 200; ++i) {
            Xapian::Document document;
            const std::size_t words = i % 20 == 0 ? 0 : 1 + random.below(30);
            for (std::size_t k = 0; k < words; ++k) {
                document.add_term("w" + std::to_string(random.below(12)));
            }
            std::vector<float> topics = random_topics(dimensions);
            double squares = 0;
            for (const float x : topics) squares += double{x} * x;
            for (float& x : topics) x = static_cast<float>(x / std::sqrt(squares));
            const VectorCoding coding =
                i % 7 == 0 ? VectorCoding::kFloat32 : VectorCoding::kUnsigned8;
            if (i % 9 != 0) {
                document.add_value(
                    model.slot, encode_vector({coding, topic_model_tag(model.id), words}, topics));
            }
            writer.add_document(document);
        }
        writer.commit();
        const Xapian::Database database(path);
        for (int round = 0; round < 20; ++round) {
            LbdmQuery query{.model = model, .dimensions = dimensions};
            query.settings = {0.05 + 0.9 * random.uniform(), 1 + 50 * random.uniform()};
            query.longest = random.below(2) == 0 ? 20 : 1e7;
            for (const char* word : {"w0", "w3", "w7"}) {
                query.words.push_back(
                    {word, 1, 0.001 + 0.1 * random.uniform(), random_topics(round % 3 + 1)});
            }
            LbdmSource source(query, 2);
            INFO(dimensions << " topics");
            check_ranges(source, database);
        }
    }
}

TEST_CASE("LbdmSource: a document of nothing but the query's word comes near the bound") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    Xapian::Document document;
    document.add_term("word", 7);
    database.add_document(document);
    LbdmQuery query = small_query();
    query.words.resize(1);
    query.words[0].topics.clear();
    LbdmSource source(query, 1);
    const std::vector<double> counts = {7};
    const double score = source.score(counts, 7, "");
    CHECK(score <= source.bound(database));
    CHECK(source.bound(database) <= score * (1 + 1e-9));
}

TEST_CASE("LbdmSource: moves by skip_to and check as by next", "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 150, 40);
    const Xapian::Database database = corpus.database();
    check_moves_of_queries<LbdmSource>(database, random,
                                       [&] { return random_query(random, corpus); });
}

TEST_CASE("LbdmSource: damaged values leave the words' part, junk scores stay in range",
          "[property]") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 40, 20);
    LbdmSource source(lbdm_query(corpus, {"w0", "w1"}), 1);
    const std::vector<double> counts = {1, 0};
    const double words = source.score(counts, 10, "");
    CHECK(words > 0);
    // Of a document whose topics have the words.
    std::string good = corpus.value("lda", 1);
    for (Xapian::docid d = 2; source.score(counts, 10, good) <= words && d <= 40; ++d) {
        good = corpus.value("lda", d);
    }
    CHECK(source.score(counts, 10, good) > words);
    CHECK(source.score(counts, 0, good) == 0);
    check_foreign_values(good, words,
                         [&](const std::string& value) { return source.score(counts, 10, value); });
    CHECK(source.score(counts, 10, good + "x") == words);
    for (int i = 0; i < 20000; ++i) {
        std::string changed = good;
        changed[random.below(changed.size())] = static_cast<char>(random.bits());
        const double score = source.score(counts, 10, changed);
        REQUIRE((std::isfinite(score) && score >= words * (1 - 1e-12)));
    }
    const std::uint8_t tag = topic_model_tag(corpus.topics("lda").id);
    const VectorInfo info{VectorCoding::kFloat32, tag, 1};
    const std::vector<float> negative = {1, 0, -1, 0, 0, 0, 0, 0};
    CHECK(source.score(counts, 10, encode_vector(info, negative)) == words);
    const std::vector<float> none(8, 0.0F);
    CHECK(source.score(counts, 10, encode_vector(info, none)) == words);
}

TEST_CASE("LbdmSource: a shard without the model is refused") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 30, 20);
    const LbdmSource source(lbdm_query(corpus, {"w0"}), 1);
    Xapian::Database mixed = corpus.database();
    mixed.add_database(corpus.corpus().database());
    CHECK_THAT(message_of([&] { matched(mixed, source); }),
               Contains("InvalidOperationError") && Contains("LbdmSource") &&
                   Contains("doesn't hold the topic model") && Contains(corpus.topics("lda").id));
}

TEST_CASE("LbdmSource: what can't be scored by is refused") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK_NOTHROW(LbdmSource(small_query(), 1));
    CHECK_THROWS_WITH(LbdmSource(small_query(), -1), Contains("weight -1"));
    CHECK_THROWS_WITH(LbdmSource(small_query(), 1e308),
                      Contains("weight 1e+308, expected 0 to 1e+100"));
    CHECK_THROWS_AS(LbdmSource(small_query(), infinity), InvalidArgument);
    const auto refused = [](const std::function<void(LbdmQuery&)>& change, const char* word) {
        LbdmQuery query = small_query();
        change(query);
        CHECK_THROWS_WITH(validate(query), Contains(word));
    };
    refused([](LbdmQuery& query) { query.chains = 0; }, "chains");
    refused([](LbdmQuery& query) { query.dimensions = 3, query.chains = 2; }, "chains");
    refused([](LbdmQuery& query) { query.settings.lambda = 0; }, "lambda 0");
    refused([](LbdmQuery& query) { query.settings.mu = 0; }, "mu 0");
    refused([](LbdmQuery& query) { query.longest = 0; }, "longest 0");
    refused([](LbdmQuery& query) { query.length_scale = 1.5; }, "length 1.5");
    refused([](LbdmQuery& query) { query.words[0].term.clear(); }, "term");
    refused([](LbdmQuery& query) { query.words[0].count = 0; }, "count 0");
    refused([](LbdmQuery& query) { query.words[0].collection_share = 0; }, "collection 0");
    refused([](LbdmQuery& query) { query.words[0].topics.pop_back(); }, "1 topics, expected 2");
    refused([](LbdmQuery& query) { query.words[0].topics[1] = -1; }, "p(w|z) -1");
}

TEST_CASE("LbdmSource: serialised and back, it matches the same", "[property]") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 60, 30);
    const Xapian::Database database = corpus.database(2);
    for (int round = 0; round < 10; ++round) {
        const LbdmSource source(random_query(random, corpus), 0.75);
        check_sent(source, database);
        const auto back = LbdmSource().from_bytes(source.serialise());
        CHECK(back->query() == source.query());
    }
}

TEST_CASE("LbdmSource: every truncation, longer form and junk is refused", "[property]") {
    const std::string bytes = LbdmSource(small_query(), 2).serialise();
    Random random(seed(), 6);
    check_bytes(LbdmSource(), bytes, random);
}
