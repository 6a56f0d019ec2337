// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/fuzz/small_database.h"

#include <cmath>
#include <vector>

#include "braid/core/vectors/vector_codes.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::fuzz {
namespace {

constexpr unsigned kDocuments = 40;
constexpr std::size_t kDimensions = 4;

// Of length 1, nearer to one of two axes.
std::vector<float> vector_of(unsigned number) {
    const float angle = 0.1F * static_cast<float>(number % 15);
    std::vector<float> vector(kDimensions, 0.0F);
    vector[number % 2] = std::cos(angle);
    vector[2 + number % 2] = std::sin(angle);
    return vector;
}

std::string number_of(unsigned number) {
    if (number % 5 == 0) return "2024-02-" + std::to_string(10 + number % 10);
    if (number % 5 == 1) return Xapian::sortable_serialise(1.5 * number - 20);
    return number % 5 == 2 ? "text" : std::to_string(number);
}

}  // namespace

void write_small_database(Xapian::WritableDatabase& database) {
    DocumentRecords records{
        .slot = 1001, .form = WordForm::kWords, .fields = {{.name = "title", .prefix = "S"}}};
    const std::uint8_t tag = topic_model_tag(kSmallModel);
    for (unsigned number = 1; number <= kDocuments; ++number) {
        Xapian::Document document;
        for (unsigned i = 0; i < number % 7; ++i) {
            document.add_term("w" + std::to_string((number * 3 + i * i) % 10), 1 + i % 3);
        }
        if (number % 3 == 0) document.add_term("Sw" + std::to_string(number % 10), 2);
        if (number % 4 != 0) document.add_value(kSmallNumbers, number_of(number));
        if (number % 6 != 0) {
            const auto coding = static_cast<VectorCoding>(number % 8 == 0 ? number / 8 % 4 : 0);
            document.add_value(kSmallSlot,
                               encode_vector({coding, tag, number % 7}, vector_of(number)));
            document.add_boolean_term(cluster_term(kSmallModel, number % 2));
        }
        if (number % 9 != 0) {
            const std::vector<std::int32_t> near = {1, -static_cast<std::int32_t>(number % 5)};
            document.add_value(kSmallNeighbours,
                               encode_numbers({VectorCoding::kFloat32, tag, number % 7}, near));
        }
        document.add_value(records.slot,
                           encode_document_record(make_document_record(document, records)));
        database.add_document(document);
    }
    records.fields = count_fields(database, records);
    store_document_records(database, records);
    TopicClusters clusters{.centroids = {2, kDimensions}, .radius = {0, 0}};
    clusters.centroids.row(0)[0] = clusters.centroids.row(1)[1] = 1;
    database.set_metadata(topic_key(kSmallModel, kTopicClustersEnding), serialise(clusters));
    database.set_metadata(topic_key(kSmallModel, kTopicRecordEnding), "a record");
    database.commit();
}

Xapian::Database small_database() {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    write_small_database(database);
    return database;
}

}  // namespace braid::fuzz
