// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "braid/adopt.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/check/database_check.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

TopicSettings neighbours(std::size_t count = 5) {
    return {.model = kNeighboursModel, .dimensions = count};
}

// The neighbours that each document should have by the vectors that are there.
std::map<Xapian::docid, std::vector<Xapian::docid>> expected(const Xapian::Database& database,
                                                             const AdoptedModel& lsa,
                                                             std::size_t count) {
    const auto values = values_of(database, lsa.record->slot);
    const std::size_t dimensions = lsa.record->header.dimensions;
    std::map<Xapian::docid, std::vector<Xapian::docid>> result;
    for (const auto& [docid, value] : values) {
        std::vector<float> vector(dimensions);
        decode_vector(open_vector(value, dimensions, "test"), vector);
        const QueryVector query(vector);
        std::vector<std::pair<double, Xapian::docid>> found;
        for (const auto& [other, bytes] : values) {
            std::vector<float> there(dimensions);
            decode_vector(open_vector(bytes, dimensions, "test"), there);
            const std::string codes = encode_vector({}, there);
            const double dot = query.dot(open_vector(codes, dimensions, "test"));
            if (other != docid && dot > 0) found.emplace_back(-dot, other);
        }
        std::sort(found.begin(), found.end());
        found.resize(std::min(count, found.size()));
        for (const auto& [dot, other] : found) result[docid].push_back(other);
    }
    return result;
}

std::vector<Xapian::docid> stored(const std::string& value, Xapian::docid docid,
                                  std::size_t count) {
    const StoredVector found = open_vector(value, count, "test");
    std::vector<Xapian::docid> result;
    for (std::size_t k = 0; k < count && number_at(found, k) != 0; ++k) {
        result.push_back(docid + static_cast<Xapian::docid>(number_at(found, k)));
    }
    return result;
}

void check_neighbours(const Xapian::Database& database, const AdoptedModel& lsa,
                      const AdoptedModel& near) {
    const std::size_t count = near.record->header.dimensions;
    const auto values = values_of(database, near.record->slot);
    REQUIRE(values.size() == database.get_doccount());
    for (const auto& [docid, documents] : expected(database, lsa, count)) {
        CHECK(stored(values.at(docid), docid, count) == documents);
    }
}

}  // namespace

TEST_CASE("Neighbours adopted: the nearest by lsa, and nothing else is touched") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Documents documents = topical_documents(90);
    documents.push_back(make_document("empty", {{"section", "net"}}));
    index(path, documents);
    const auto before = dump(path);
    const auto adopted = adopt({path}, {small_model(5), neighbours()});
    CHECK(adopted[1].trained);
    CHECK(adopted[1].documents == 91);
    CHECK(adopted[1].written == 91);
    const Xapian::Database database(path);
    CHECK(dump_without_topics(database) == before);
    check_neighbours(database, adopted[0], adopted[1]);
    CHECK(check_database({path}, {}).findings.empty());
    CHECK(topic_state(database, database, adopted[1].identity).advice().empty());
    CHECK(leftovers_of(database).empty());
}

TEST_CASE("Neighbours adopted: again they stay; those of new and changed documents are found") {
    const TopicalDatabase topical(60);
    const std::string& path = topical.path;
    const auto first = adopt({path}, {small_model(5), neighbours()});
    const auto again = adopt({path}, {small_model(5), neighbours()});
    CHECK_FALSE(again[1].trained);
    CHECK(again[1].identity == first[1].identity);
    CHECK(again[1].written == 0);
    const auto before = values_of(Xapian::Database(path), first[1].record->slot);
    index(path, topical_documents(10, 60));
    const auto state =
        topic_state(Xapian::Database(path), Xapian::Database(path), first[1].identity);
    CHECK(state.missing == 10);
    const auto later = adopt({path}, {small_model(5), neighbours()});
    CHECK_FALSE(later[1].trained);
    CHECK(later[1].written == 10);
    const auto values = values_of(Xapian::Database(path), first[1].record->slot);
    CHECK(values.size() == 70);
    for (const auto& [docid, value] : before) CHECK(values.at(docid) == value);
    const auto wanted = expected(Xapian::Database(path), later[0], 5);
    for (Xapian::docid docid = 61; docid <= 70; ++docid) {
        CHECK(stored(values.at(docid), docid, 5) == wanted.at(docid));
    }
}

TEST_CASE("Neighbours adopted: anew with an lsa that is learned anew, and with another number") {
    const TopicalDatabase topical(60);
    const std::string& path = topical.path;
    const auto first = adopt({path}, {small_model(5), neighbours()});
    const auto other = adopt({path}, {small_model(7), neighbours()});
    CHECK(other[1].trained);
    CHECK(other[1].identity.id != first[1].identity.id);
    CHECK(other[1].replaced == first[1].identity.id);
    check_neighbours(Xapian::Database(path), other[0], other[1]);
    const AdoptedModel fewer = adopt(path, neighbours(3));
    CHECK(fewer.trained);
    check_neighbours(Xapian::Database(path), other[0], fewer);
    CHECK(leftovers_of(Xapian::Database(path)).empty());
    remove_topic_model({path}, "", kNeighboursModel);
    CHECK(values_of(Xapian::Database(path), fewer.record->slot).empty());
}

TEST_CASE("Neighbours adopted: in a sidecar, and in several shards each its own") {
    const TopicalShards topical(50, 40);
    const std::string& path = topical.paths[0];
    const std::string sidecar = topical.folder / "side";
    const auto files = files_of(path);
    const auto beside = adopt({path}, {small_model(5), neighbours()}, {.sidecar = sidecar});
    CHECK(files_of(path) == files);
    check_neighbours(Xapian::Database(sidecar), beside[0], beside[1]);
    CHECK(check_database({path}, {.sidecar = sidecar}).findings.empty());
    const auto both = adopt(topical.paths, {small_model(5), neighbours()});
    CHECK(both[1].written == 90);
    for (const std::string& shard : topical.paths) {
        check_neighbours(Xapian::Database(shard), both[0], both[1]);
    }
}

TEST_CASE("Neighbours adopted: refused without lsa, and with settings that they have not") {
    const TopicalDatabase topical(30);
    const std::string& path = topical.path;
    CHECK_THROWS_WITH(adopt(path, neighbours()),
                      Contains("found by the vectors of lsa") && Contains("--topics lsa:100"));
    CHECK_THROWS_WITH(adopt(path, neighbours(65)), Contains("found 65, expected 1 to 64"));
    CHECK_THROWS_WITH(adopt(path, neighbours(0)), Contains("found 0, expected 1 to 64"));
    TopicSettings clustered = neighbours();
    clustered.clusters = 3;
    CHECK_THROWS_WITH(adopt(path, clustered), Contains("clusters"));
    TopicSettings parametrised = neighbours();
    parametrised.parameters = {{"tolerance", 1}};
    CHECK_THROWS_WITH(adopt(path, parametrised), Contains("tolerance"));
}

TEST_CASE("Neighbours adopted: damaged ones are found by a check, removed and found again") {
    const TopicalDatabase topical(40);
    const std::string& path = topical.path;
    const auto adopted = adopt({path}, {small_model(5), neighbours()});
    const unsigned slot = adopted[1].record->slot;
    const auto values = values_of(Xapian::Database(path), slot);
    {
        Xapian::WritableDatabase database(path);
        Xapian::Document flipped = database.get_document(3);
        std::string bytes = values.at(3);
        bytes[9] = static_cast<char>(bytes[9] ^ 4);
        flipped.add_value(slot, bytes);
        database.replace_document(3, flipped);
        Xapian::Document doubled = database.get_document(7);
        const VectorInfo info{VectorCoding::kFloat32, topic_model_tag(adopted[1].identity.id),
                              doubled.termlist_count() > 0 ? database.get_doclength(7) : 0};
        doubled.add_value(slot, encode_numbers(info, std::vector<std::int32_t>{1, 1, 0, 0, 0}));
        database.replace_document(7, doubled);
        database.commit();
    }
    const CheckReport found = check_database({path}, {});
    REQUIRE(found.findings.size() == 1);
    CHECK_THAT(found.findings[0].problem, Contains("2 vectors of documents are damaged"));
    check_database({path}, {.repair = true});
    CHECK(values_of(Xapian::Database(path), slot).size() == 38);
    CHECK(adopt({path}, {small_model(5), neighbours()})[1].written == 2);
    CHECK(values_of(Xapian::Database(path), slot) == values);
}
