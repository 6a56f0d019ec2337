// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/topic_source.h"

#include <limits>

#include "braid/core/vectors/query_vector.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/sources.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_corpus.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

TopicSource source_of(const TopicCorpus& corpus, const std::vector<std::string>& words,
                      double weight) {
    return {{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), weight};
}

Scores above_zero(std::map<Xapian::docid, double> values, double weight) {
    Scores scores;
    for (const auto& [docid, value] : values) {
        if (value > 0) scores[docid] = weight * value;
    }
    return scores;
}

}  // namespace

TEST_CASE("TopicSource: matches the similar documents, each with its weight", "[property]") {
    Random random(seed());
    for (const VectorCoding coding :
         {VectorCoding::kSigned8, VectorCoding::kFloat16, VectorCoding::kFloat32}) {
        const TopicCorpus corpus(random, 120, 40, coding);
        for (const std::size_t shards : {1U, 2U, 4U}) {
            const Xapian::Database database = corpus.database(shards);
            for (int round = 0; round < 5; ++round) {
                const auto words = corpus.corpus().random_words(random, 4);
                const double weight = 0.1 + random.uniform();
                const Scores found = matched(database, source_of(corpus, words, weight));
                check_equal(found, above_zero(corpus.similarities("lsa", words), weight), 1e-12);
            }
        }
    }
}

TEST_CASE("TopicSource: no document weighs more than the bound, also below a factor",
          "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 200, 30, VectorCoding::kFloat16);
    const Xapian::Database database = corpus.database();
    for (int round = 0; round < 20; ++round) {
        const auto words = corpus.corpus().random_words(random, 3);
        TopicSource source = source_of(corpus, words, 2);
        source.init(database);
        CHECK(source.get_maxweight() <= 2 * (1 + 1e-11));
        check_bound(source, database, bag_of_words(words), true);
    }
}

TEST_CASE("TopicSource: moves by skip_to and check as by next", "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 150, 40);
    const Xapian::Database database = corpus.database();
    for (int round = 0; round < 30; ++round) {
        TopicSource source = source_of(corpus, corpus.corpus().random_words(random, 3), 1);
        braid::test::check_moves(source, database, random);
    }
}

TEST_CASE("TopicSource: values that are damaged, foreign or another model's are similar to nothing",
          "[property]") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 40, 20);
    const TopicSource source = source_of(corpus, {"w0", "w1"}, 1);
    const std::string good = corpus.value("lsa", 1);
    CHECK(source.similarity("") == 0);
    CHECK(source.similarity("a title") == 0);
    for (std::size_t size = 0; size < good.size(); ++size) {
        CHECK(source.similarity(good.substr(0, size)) == 0);
    }
    CHECK(source.similarity(good + "x") == 0);
    std::string other = good;
    other[1] = static_cast<char>(other[1] + 1);
    CHECK(source.similarity(other) == 0);
    for (int i = 0; i < 20000; ++i) {
        std::string changed = good;
        changed[random.below(changed.size())] = static_cast<char>(random.bits());
        const double similarity = source.similarity(changed);
        REQUIRE((similarity >= 0 && similarity <= 1));
    }
    const TopicSlot model{corpus.topics("lsa").id, 1000};
    const std::vector<float> one = {1, 0, 0, 0, 0, 0, 0, 0};
    std::vector<float> huge(8, std::numeric_limits<float>::max());
    const VectorInfo info{VectorCoding::kFloat32, topic_model_tag(model.id), 1};
    CHECK(TopicSource(model, one, 1).similarity(encode_vector(info, huge)) == 1);
}

TEST_CASE("TopicSource: a shard without the model is refused") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 30, 20);
    const TopicSource source = source_of(corpus, {"w0"}, 1);
    const Xapian::Database bare = corpus.corpus().database();
    CHECK_THAT(message_of([&] { matched(bare, source); }),
               Contains("InvalidOperationError") && Contains("doesn't hold the topic model") &&
                   Contains(corpus.topics("lsa").id));
    Xapian::Database mixed = corpus.database();
    mixed.add_database(bare);
    CHECK_THAT(message_of([&] { matched(mixed, source); }), Contains("doesn't hold"));
}

TEST_CASE("TopicSource: what can't be a source is refused") {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<float> vector = {1, 0};
    CHECK_THROWS_AS(TopicSource({"id", 1}, vector, -1), InvalidArgument);
    CHECK_THROWS_AS(TopicSource({"id", 1}, vector, infinity), InvalidArgument);
    const std::vector<float> infinite = {static_cast<float>(infinity), 0};
    CHECK_THROWS_AS(TopicSource({"id", 1}, infinite, 1), InvalidArgument);
}

TEST_CASE("TopicSource: serialised and back, it matches the same", "[property]") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 60, 30);
    const Xapian::Database database = corpus.database();
    check_sent(source_of(corpus, {"w0", "w2"}, 0.75), database);
}

TEST_CASE("TopicSource: every truncation, longer form and junk is refused", "[property]") {
    const std::vector<float> vector = {0.6F, -0.8F};
    const std::string bytes = TopicSource({"0123456789abcdef", 1000}, vector, 2).serialise();
    Random random(seed(), 6);
    check_bytes(TopicSource(), bytes, random);
}
