// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/terms.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

TopicSettings clustered_model() {
    TopicSettings settings = small_model(6);
    settings.clusters = 5;
    return settings;
}

TopicClusters clusters_of(const Xapian::Database& database, const std::string& id) {
    const std::string key = braid::topic_key(id, braid::kTopicClustersEnding);
    return braid::parse_topic_clusters(database.get_metadata(key), key);
}

// Every document has the term of one cluster, with wdf 0, and lies within that cluster's radius.
void check_clusters(const Xapian::Database& database, const std::string& id) {
    const TopicClusters clusters = clusters_of(database, id);
    const unsigned slot = braid::load_topic_record(database, id).slot;
    std::size_t found = 0;
    for (std::uint32_t c = 0; c < clusters.size(); ++c) {
        const std::string term = braid::cluster_term(id, c);
        for (auto it = database.postlist_begin(term); it != database.postlist_end(term); ++it) {
            ++found;
            CHECK(it.get_wdf() == 0);
            const std::string value = database.get_document(*it).get_value(slot);
            std::vector<float> vector(clusters.centroids.columns);
            braid::decode_vector(braid::open_vector(value, vector.size(), "test"), vector);
            double dot = 0;
            for (std::size_t k = 0; k < vector.size(); ++k) {
                dot += static_cast<double>(vector[k]) * clusters.centroids.row(c)[k];
            }
            CHECK(dot >= static_cast<double>(clusters.radius[c]) - 1e-6);
        }
    }
    CHECK(found == database.get_doccount());
}

}  // namespace

TEST_CASE("Topic clusters: every document has one term, also those that come later") {
    const TopicalDatabase topical(80);
    const std::string& path = topical.path;
    const AdoptedModel adopted = adopt(path, clustered_model());
    check_clusters(Xapian::Database(path), adopted.identity.id);
    index(path, topical_documents(60, 80));
    const Xapian::Database later(path);
    REQUIRE(later.get_doccount() == 140);
    check_clusters(later, adopted.identity.id);
}

TEST_CASE("Topic clusters: go with their model") {
    const TopicalDatabase topical(50);
    const std::string& path = topical.path;
    const std::string id = adopt(path, clustered_model()).identity.id;
    const std::string prefix = braid::cluster_prefix(id);
    adopt(path, small_model(6));
    const Xapian::Database database(path);
    CHECK(database.allterms_begin(prefix) == database.allterms_end(prefix));
    CHECK(leftovers_of(database).empty());
}

TEST_CASE("Topic clusters: a sidecar's documents have the terms, the database's have none") {
    const TopicalDatabase topical(60);
    const std::string& path = topical.path;
    AdoptOptions options;
    options.sidecar = topical.folder / "side";
    const std::string id = adopt(path, clustered_model(), options).identity.id;
    const Xapian::Database sidecar(options.sidecar);
    check_clusters(sidecar, id);
    CHECK(sidecar.allterms_begin() != sidecar.allterms_end());
    const std::string prefix = braid::cluster_prefix(id);
    const Xapian::Database database(path);
    CHECK(database.allterms_begin(prefix) == database.allterms_end(prefix));
    CHECK(database.get_metadata(braid::topic_key(id, braid::kTopicClustersEnding)).empty());
}

TEST_CASE("Topic clusters: every truncation and every other first byte is refused") {
    TopicClusters clusters;
    clusters.centroids = braid::FloatMatrix(2, 2);
    clusters.centroids.values = {1, 0, 0.6F, -0.8F};
    clusters.radius = {0.5F, -0.25F};
    const std::string bytes = braid::serialise(clusters);
    const TopicClusters read = braid::parse_topic_clusters(bytes, "k");
    CHECK(read.radius == clusters.radius);
    CHECK(read.centroids.values == clusters.centroids.values);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(braid::parse_topic_clusters(bytes.substr(0, size), "k"),
                        braid::FormatError);
    }
    CHECK_THROWS_WITH(braid::parse_topic_clusters("X" + bytes.substr(1), "key k"),
                      Contains("key k"));
}

TEST_CASE("Installed ranking: loses a topic model that is removed") {
    const TopicalDatabase topical(40);
    const std::string& path = topical.path;
    adopt({path}, {small_model(4), small_model(3, "plsi")});
    CHECK_FALSE(braid::load_fusion_model(Xapian::Database(path)));  // Adopting installs none.
    braid::test::rank_by_topics(path, {"lsa", "plsi"});
    braid::remove_topic_model({path}, "", "lsa");
    const auto left = braid::load_fusion_model(Xapian::Database(path));
    REQUIRE(left);
    REQUIRE(left->rankers.size() == 2);
    CHECK(left->rankers[1].ranker == "plsi");
}

TEST_CASE("Judged dimensions: the number that ranks the queries best is taken") {
    const TopicalDatabase topical(200);
    const std::string& path = topical.path;
    AdoptOptions options;
    options.threads = 2;
    for (Xapian::docid document = 1; document <= 6; ++document) {
        const auto words = [path, document](const braid::TopicRecord& record) {
            return braid::document_words(Xapian::Database(path).get_document(document), record.form)
                .words;
        };
        options.judged.push_back({words, {document}});
    }
    TopicSettings settings = small_model(4);
    settings.dimensions = TopicSettings::kAutomatic;
    const AdoptedModel adopted = adopt(path, settings, options);
    REQUIRE(adopted.tried.size() >= 2);
    double best = 0;
    std::size_t dimensions = 0;
    for (const braid::DimensionTrial& trial : adopted.tried) {
        CHECK(trial.score > 0.9);  // a document is most similar to its own words
        CHECK(trial.score <= 1);
        if (trial.score > best) {
            best = trial.score;
            dimensions = trial.dimensions;
        }
    }
    CHECK(adopted.record->header.dimensions == dimensions);

    options.judged.resize(1);
    options.retrain = true;
    CHECK_THROWS_WITH(adopt(path, settings, options), Contains("at least 2"));
}
