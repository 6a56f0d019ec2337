// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/adopt.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

SourceVectors random_vectors(std::size_t count, std::size_t dimensions, std::uint64_t stream) {
    Random random(seed(), stream);
    SourceVectors vectors{dimensions, {}, {}};
    for (std::size_t i = 0; i < count * dimensions; ++i) {
        vectors.values.push_back(static_cast<float>(random.uniform() - 0.3));
    }
    return vectors;
}

SourceVectors named(SourceVectors vectors, std::size_t first = 0) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        vectors.ids.push_back("d" + std::to_string(first + i));
    }
    return vectors;
}

AdoptVectorsOptions by_name() {
    AdoptVectorsOptions options;
    options.names = DocumentNameSource::parse("value:0");
    options.coding = TopicSettings::Coding::kFloat32;
    return options;
}

std::vector<float> decoded(const std::string& value, std::size_t dimensions) {
    std::vector<float> vector(dimensions);
    decode_vector(open_vector(value, dimensions, "test"), vector);
    return vector;
}

bool same_direction(std::span<const float> stored, std::span<const float> given) {
    double squares = 0;
    for (const float x : given) squares += static_cast<double>(x) * x;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (std::abs(stored[i] - given[i] / std::sqrt(squares)) > 1e-6) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("Vector adopter: each document gets its vector, by name or by order") {
    const TopicalDatabase topical(20);
    const std::string& path = topical.path;
    const SourceVectors vectors = random_vectors(20, 6, 1);
    const AdoptedVectors adopted = adopt_vectors({path}, named(vectors), by_name());
    CHECK(adopted.documents == 20);
    CHECK(adopted.written == 20);
    CHECK(adopted.missing == 0);
    const Xapian::Database database(path);
    const auto values = values_of(database, adopted.slot);
    REQUIRE(values.size() == 20);
    for (const auto& [docid, value] : values) {
        const auto number = std::stoul(database.get_document(docid).get_value(0).substr(1));
        CHECK(same_direction(decoded(value, 6), vectors.row(number)));
        CHECK(open_vector(value, 6, "test").info.document_length == database.get_doclength(docid));
    }
    CHECK(load_topic_record(database, adopted.identity.id).header.model == kVectorsModel);
    AdoptVectorsOptions ordered = by_name();
    ordered.name = "ordered";
    const AdoptedVectors by_order = adopt_vectors({path}, vectors, ordered);
    CHECK(by_order.slot != adopted.slot);
    const Xapian::Database again(path);
    for (const auto& [docid, value] : values_of(again, by_order.slot)) {
        CHECK(same_direction(decoded(value, 6), vectors.row(docid - 1)));
    }
    CHECK(leftovers_of(again).empty());
}

TEST_CASE("Vector adopter: the same again writes nothing, others take the name") {
    const TopicalDatabase topical(20);
    const std::string& path = topical.path;
    const AdoptedVectors first = adopt_vectors({path}, named(random_vectors(20, 6, 1)), by_name());
    CHECK(adopt_vectors({path}, named(random_vectors(20, 6, 1)), by_name()).written == 0);
    const AdoptedVectors other = adopt_vectors({path}, named(random_vectors(20, 5, 2)), by_name());
    CHECK(other.replaced == first.identity.id);
    CHECK(other.identity.id != first.identity.id);
    const Xapian::Database database(path);
    CHECK(load_topic_catalogue(database).size() == 1);
    CHECK(leftovers_of(database).empty());
    CHECK(values_of(database, other.slot).size() == 20);
    remove_topic_model({path}, "", "vectors");
    CHECK(leftovers_of(Xapian::Database(path)).empty());
    CHECK(load_topic_catalogue(Xapian::Database(path)).empty());
}

TEST_CASE("Vector adopter: a document that changed has lost its vector until they come again") {
    const TopicalDatabase topical(20);
    const std::string& path = topical.path;
    const AdoptedVectors first = adopt_vectors({path}, named(random_vectors(20, 6, 1)), by_name());
    Documents changed = topical_documents(1);
    changed[0].fields.push_back({"text", "more words"});
    index(path, changed);
    const auto state = [&] {
        const Xapian::Database database(path);
        return topic_state(database, database, first.identity);
    };
    CHECK(state().missing == 1);
    CHECK(adopt_vectors({path}, named(random_vectors(20, 6, 1)), by_name()).written == 1);
    CHECK(state().missing + state().stale + state().foreign == 0);
    {
        Xapian::WritableDatabase database(path);
        Xapian::Document document = database.get_document(3);
        document.add_term("another");
        database.replace_document(3, document);
        database.commit();
    }
    CHECK(state().stale == 1);
    CHECK(adopt_vectors({path}, named(random_vectors(20, 6, 1)), by_name()).written == 1);
    CHECK(state().stale == 0);
}

TEST_CASE("Vector adopter: several databases are one, a sidecar leaves its own alone") {
    const TopicalShards topical(9, 8);
    const SourceVectors vectors = random_vectors(17, 4, 3);
    const AdoptedVectors adopted = adopt_vectors(topical.paths, named(vectors), by_name());
    CHECK(adopted.written == 17);
    const Xapian::Database b(topical.paths[1]);
    for (const auto& [docid, value] : values_of(b, adopted.slot)) {
        CHECK(same_direction(decoded(value, 4), vectors.row(docid + 8)));
    }
    const TopicalDatabase third(9);
    const auto before = files_of(third.path);
    AdoptVectorsOptions beside = by_name();
    beside.sidecar = third.folder / "sidecar";
    const AdoptedVectors there =
        adopt_vectors({third.path}, named(random_vectors(9, 4, 4)), beside);
    CHECK(files_of(third.path) == before);
    CHECK(values_of(Xapian::Database(beside.sidecar), there.slot).size() == 9);
}

TEST_CASE("Vector adopter: what does not fit is refused or warned of") {
    const TopicalDatabase topical(10);
    const std::string& path = topical.path;
    CHECK_THROWS_WITH(adopt_vectors({path}, random_vectors(9, 4, 1), by_name()),
                      Contains("9 vectors") && Contains("10 documents"));
    CHECK_THROWS_WITH(adopt_vectors({path}, named(random_vectors(10, 4, 1), 50), by_name()),
                      Contains("'d50'") && Contains("value:0"));
    CHECK_THROWS_AS(adopt_vectors({path}, SourceVectors{}, by_name()), InvalidArgument);
    AdoptVectorsOptions options = by_name();
    std::string warning;
    options.warn = [&](const std::string& text) { warning += text; };
    const AdoptedVectors some = adopt_vectors({path}, named(random_vectors(6, 4, 1), 6), options);
    CHECK(some.unknown == 2);
    CHECK(some.missing == 6);
    CHECK_THAT(warning, Contains("2 of 6") && Contains("'d10'"));
    adopt(path, small_model(3));
    options.name = "lsa";
    CHECK_THROWS_WITH(adopt_vectors({path}, named(random_vectors(10, 4, 1)), options),
                      Contains("called 'lsa'"));
}

TEST_CASE("Vector adopter: work that was stopped is seen by nobody and goes on") {
    const TopicalDatabase topical(600);
    const std::string& path = topical.path;
    AdoptVectorsOptions options = by_name();
    options.batch = 100;
    options.progress = [](const ProgressReport& report) { return report.done < 300; };
    const SourceVectors vectors = named(random_vectors(600, 3, 1));
    CHECK_THROWS_AS(adopt_vectors({path}, vectors, options), Cancelled);
    CHECK(load_topic_catalogue(Xapian::Database(path)).empty());
    options.progress = {};
    const AdoptedVectors rest = adopt_vectors({path}, vectors, options);
    CHECK(rest.written < 600);
    CHECK(values_of(Xapian::Database(path), rest.slot).size() == 600);
    CHECK(leftovers_of(Xapian::Database(path)).empty());
}
