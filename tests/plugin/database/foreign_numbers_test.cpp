// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers that someone sent or stored, and that no Braid wrote.
#include "braid/core/base/bytes.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/lbdm_source.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_corpus.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr double kHuge = 1e308;

// The error of a search by a source.
std::string searched_foreign(const Xapian::Database& database,
                             const Xapian::PostingSource& source) {
    return message_of([&] {
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(Xapian::CoordWeight());
        enquire.set_query(Query(source.clone()->release()));
        enquire.get_mset(0, 10);
    });
}

}  // namespace

TEST_CASE("FusedWeight and sources: scores that could be infinite are refused") {
    Random random(seed());
    const TopicCorpus corpus(random, 40, 10);
    const Xapian::Database database = corpus.database();
    const auto is_refused = Contains("1e+308, expected 0 to 1e+100");
    const FusionModel model{.rankers = {{.ranker = "tf", .weight = kHuge}}};
    const Query words(Query::OP_OR, Query("w0"), Query("w1"));
    CHECK_THROWS_WITH(FusedWeight(model), is_refused);
    CHECK_THROWS_WITH(FusedSource(model, read_bag_of_words(database, words)), is_refused);
    const TopicSlot slot{corpus.topics("lsa").id, 1000};
    const std::vector<float> vector = corpus.fold("lsa", {"w0", "w1"});
    CHECK_THROWS_WITH(TopicSource(slot, vector, kHuge), is_refused);
    const LbdmQuery query{.model = {corpus.topics("lda").id, 1001},
                          .dimensions = 8,
                          .chains = 2,
                          .words = {{{.term = "w0", .count = 100, .collection_share = 1e-9}}}};
    CHECK_THROWS_WITH(LbdmSource(query, kHuge), is_refused);
    CHECK_THROWS_WITH(ValueRanker({.ranker = "value-linear", .slot = 1}, kHuge), is_refused);
    // What a source is told of those beside it comes over the wire, too.
    FusedSource source(FusionModel{}, read_bag_of_words(database, words));
    source.expect_beside(1e305);
    CHECK_THAT(searched_foreign(database, source), Contains("expected at most 1e+300: a weight"));
    CHECK(searched_foreign(database, TopicSource(slot, vector, 1e100)) == "");
}

TEST_CASE("FusedSource: a word that is empty would stand for all documents") {
    Random random(seed());
    const Xapian::Database database = RandomCorpus(random, 20, 10, 20).database();
    const Query words(Query::OP_OR, Query("w0"), Query("w1"));
    std::string bytes = FusedSource(FusionModel{}, read_bag_of_words(database, words)).serialise();
    CHECK_FALSE(rejected(FusedSource(), bytes));
    const std::size_t place = bytes.find("\2w0");
    REQUIRE(place != std::string::npos);
    CHECK(rejected(FusedSource(), bytes.replace(place, 3, std::string(1, '\0'))));
}

TEST_CASE("QueryFeatures: a coordinate that no embedding has is refused") {
    Random random(seed());
    const Xapian::Database database = RandomCorpus(random, 20, 10, 20).database();
    const FusionModel model;
    CHECK_NOTHROW(QueryFeatures(database, model, {}, {"embedding:e:0", "embedding:e:4"}));
    for (const char* name : {"embedding:e:18446744073709551615", "embedding:e:1048576"}) {
        CHECK_THROWS_WITH(QueryFeatures(database, model, {}, {"embedding:e:4", name}),
                          Contains(name));
    }
}
