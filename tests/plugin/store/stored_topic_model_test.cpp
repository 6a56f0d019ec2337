// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/stored_topic_model.h"

#include <cmath>

#include "braid/core/model/fusion_model_bytes.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/store/topic_samples.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// A model that was fitted, and the database that it was written into.
struct Fixture {
    explicit Fixture(const std::string& name)
        : counts(braid::test::random_counts(braid::test::seed(), {})),
          model(braid::test::fit_sample(name, counts, braid::kDefaultSeed, 12)) {
        const braid::TopicRecord record = braid::test::record_of(model, name);
        identity = {name, braid::topic_model_id(record, model)};
        braid::write_topic_model(database, identity.id, record, braid::test::sample_summary(),
                                 model);
    }

    StoredTopicModel open() const { return {database, identity}; }

    TermDocumentCounts counts;
    TopicModel model;
    braid::TopicModelIdentity identity;
    Xapian::WritableDatabase database = braid::test::memory_database();
};

double length_of(const std::vector<float>& vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    return std::sqrt(squares);
}

}  // namespace

TEST_CASE("Stored topic model: folds as the fitted model does, every model", "[conformance]") {
    for (const auto& info : braid::topic_models()) {
        INFO(info.name);
        const Fixture fixture(info.name);
        StoredTopicModel stored = fixture.open();
        CHECK(stored.record().header == fixture.model.header);
        const auto folding = braid::make_topic_folding(fixture.model.header);
        for (std::size_t d = 0; d < fixture.counts.documents(); d += 7) {
            const braid::TermCounts text = fixture.counts.document(d);
            WordCounts words;
            double known = 0;
            for (std::size_t i = 0; i < text.size(); ++i) {
                words[fixture.counts.vocabulary[text.terms[i]]] = text.counts[i];
                known += text.counts[i];
            }
            words["unheard"] = 2;
            words["of"] = 1;
            const FoldedText folded = stored.fold(words);
            CHECK(folded.known == known);
            CHECK(folded.unknown == 3);
            const std::vector<float> expected = fold_in(*folding, fixture.model, text);
            REQUIRE(folded.vector.size() == expected.size());
            double difference = 0;
            for (std::size_t k = 0; k < expected.size(); ++k) {
                difference = std::max(
                    difference, std::fabs(static_cast<double>(folded.vector[k]) - expected[k]));
            }
            CHECK(difference < 1e-3);
            // What was looked up before, known or not, gives the same bits.
            CHECK(stored.fold(words).vector == folded.vector);
            CHECK(fixture.open().fold(words).vector == folded.vector);
        }
    }
}

TEST_CASE("Stored topic model: a text of unknown words, or none, has the zero vector") {
    const Fixture fixture("lsa");
    StoredTopicModel stored = fixture.open();
    const std::size_t dimensions = fixture.model.header.dimensions;
    // The longest word that a key can hold, and longer ones.
    for (const std::string& word : {std::string("unheard"), std::string(200, 'x'),
                                    std::string(201, 'x'), std::string(100000, 'x')}) {
        const FoldedText text = stored.fold({{word, 3}});
        CHECK(text.vector == std::vector<float>(dimensions));
        CHECK(text.known == 0);
        CHECK(text.unknown == 3);
        CHECK(stored.term_vector(word) == nullptr);
    }
    const FoldedText nothing = stored.fold({});
    CHECK(nothing.vector == std::vector<float>(dimensions));
    CHECK(nothing.known + nothing.unknown == 0);
    CHECK_THAT(length_of(stored.fold({{fixture.model.vocabulary[0], 1}}).vector),
               Catch::WithinAbs(1, 1e-6));
}

TEST_CASE("Stored topic model: a word's vector is the fitted one") {
    const Fixture fixture("lsa");
    StoredTopicModel stored = fixture.open();
    for (std::size_t t = 0; t < fixture.model.vocabulary.size(); t += 11) {
        const std::vector<float>* vector = stored.term_vector(fixture.model.vocabulary[t]);
        REQUIRE(vector != nullptr);
        const double length = length_of(*vector);
        for (std::size_t k = 0; k < vector->size(); ++k) {
            CHECK_THAT((*vector)[k],
                       Catch::WithinAbs(static_cast<double>(fixture.model.term_vectors.row(t)[k]),
                                        length * 1e-3));
        }
    }
}

TEST_CASE("Stored topic model: documents' vectors say whose they are, and of what length") {
    const Fixture fixture("lda");
    const StoredTopicModel stored = fixture.open();
    const auto bytes = stored.encode(fixture.model.document_vectors.row(3), 77);
    const auto opened = braid::open_vector(bytes, fixture.model.header.dimensions, "slot");
    CHECK(opened.info == braid::VectorInfo{braid::VectorCoding::kUnsigned8,
                                           braid::topic_model_tag(fixture.identity.id), 77});
}

TEST_CASE("Stored topic model: a model that isn't there or can't be read is refused") {
    Fixture fixture("lsa");
    CHECK_THROWS_AS(StoredTopicModel(fixture.database, {"lsa", "0000000000000000"}),
                    braid::ModelMismatch);
    const std::string word = fixture.model.vocabulary[0];
    const std::string key = braid::topic_key(fixture.identity.id, ":t:") + word;
    fixture.database.set_metadata(key, "junk");
    StoredTopicModel stored = fixture.open();
    CHECK_THROWS_AS(stored.fold({{word, 1}}), braid::FormatError);
    CHECK_THROWS_WITH(stored.fold({{word, 1}}), Contains("metadata key " + key));
    CHECK_THROWS_WITH(stored.term_vector(word), Contains(key));
    CHECK(stored.fold({{fixture.model.vocabulary[1], 1}}).known == 1);

    braid::TopicRecord record = stored.record();
    record.header.folding.push_back(1);  // another number of constants than the model has
    fixture.database.set_metadata(braid::topic_key(fixture.identity.id, ":h"), serialise(record));
    CHECK_THROWS_AS(fixture.open(), braid::FormatError);
    fixture.database.set_metadata(braid::topic_key(fixture.identity.id, ":h"), "junk");
    CHECK_THROWS_WITH(fixture.open(), Contains("braid:" + fixture.identity.id + ":h"));
}

TEST_CASE("Stored topic model: an unknown kind of model or stemmer is a wrong record") {
    Fixture fixture("lsa");
    braid::TopicRecord record = fixture.open().record();
    const std::string stemmer = record.stemmer;
    record.header.model = "lsb";
    const std::string key = braid::topic_key(fixture.identity.id, braid::kTopicRecordEnding);
    fixture.database.set_metadata(key, serialise(record));
    CHECK_THROWS_AS(fixture.open(), braid::FormatError);
    CHECK_THROWS_WITH(fixture.open(), Contains("metadata key " + key) && Contains("'lsb'"));
    record.header.model = "lsa";
    record.stemmer = "englisi";
    fixture.database.set_metadata(key, serialise(record));
    CHECK_THROWS_AS(fixture.open(), braid::FormatError);
    record.stemmer = stemmer;
    fixture.database.set_metadata(key, serialise(record));
    CHECK_NOTHROW(fixture.open());
}

TEST_CASE("Stored fusion model: an unknown ranker is a wrong record") {
    Xapian::WritableDatabase database = braid::test::memory_database();
    braid::FusionModel model;
    model.rankers.front().ranker = "bm26";
    database.set_metadata(braid::kFusionModelKey, braid::fusion_model_to_bytes(model));
    CHECK_THROWS_AS(braid::load_fusion_model(database), braid::FormatError);
    CHECK_THROWS_WITH(braid::load_fusion_model(database),
                      Contains("metadata key braid:model: ") && Contains("'bm26'"));
}
