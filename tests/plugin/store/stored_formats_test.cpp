// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of every record whose fields are listed once, for writing and reading: a round trip
// notices neither two swapped fields nor an inserted one, and databases in use hold the old bytes.
// In the samples no field has its default or the value of another field of its kind; two-valued
// fields, which can't all differ at once, differ in one of two samples. A literal here changes with
// its format's version only.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/checksum.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/tests/plugin/store/topic_samples.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// Length and hash. Not the CRC that stored bytes end in: the CRC of any bytes and their CRC is one
// constant, whatever the bytes.
std::string digest(std::string_view bytes) {
    Fnv1a hash;
    hash.add(bytes);
    return std::to_string(bytes.size()) + " bytes, " + hash.digits();
}

void check_digest(std::string_view bytes, std::string_view expected) {
    INFO(shown(bytes));
    CHECK(digest(bytes) == expected);
}

IndexSettings full_settings() {
    IndexSettings settings;
    settings.analysis = {.stemmer = "german",
                         .stemming = AnalysisSettings::Stemming::kNone,
                         .stop_words = "/no/such/file",
                         .stop_list = {"das", "der"},
                         .stop_documents = true,
                         .positions = false,
                         .spelling = true,
                         .max_word_length = 200};
    settings.fields = {{.name = "tag",
                        .prefix = "XTAG",
                        .free_text = false,
                        .exact = true,
                        .weight = 1000,
                        .slot = 65535,
                        .numeric = true},
                       {.name = "year",
                        .prefix = "Y",
                        .free_text = false,
                        .exact = true,
                        .weight = 7,
                        .slot = 11}};
    settings.stored = {"text", "author", "title"};
    return settings;
}

LearningRecord full_learning() {
    return {.measure = "ndcg@10",
            .relevant_from = 3,
            .queries = 225,
            .documents = 123456,
            .judgements = 1837,
            .measures = {{"map", 0.375}, {"ndcg@10", 0.5625}},
            .validation = {{"map", 0.3125}, {"p@5", 0.4375}},
            .objective_name = "smooth ndcg@10",
            .objective = -17.25,
            .iterations = 42,
            .stop_reason = "converged",
            .scales = {12.5, 0.03125},
            .curve = {{.iteration = 5, .objective = 1.75, .validation = 0.6875},
                      {.iteration = 41, .objective = 1.25}},
            .state = {{"momentum", {0.1, 0.2, 0.3}}, {"step", {0.01}}}};
}

// Without a calibration.
FusionModel full_model() {
    FusionModel model;
    model.rankers = {{.ranker = "bm25",
                      .name = "titles",
                      .field = "title",
                      .topics = "lda",
                      .parameters = {{"b", 0.75}, {"k1", 1.5}},
                      .weight = 0.625},
                     {.ranker = "lm-dirichlet",
                      .name = "language",
                      .field = "text",
                      .topics = "lsa",
                      .parameters = {{"mu", 1500}},
                      .weight = 2.25}};
    model.normaliser = {
        .normaliser = "zscore", .parameters = {{"cut", 3.5}}, .missing = MissingScore::kAbsent};
    model.function = {.form = "forest",
                      .numbers = {{"leaves", {0.125, -0.25}}, {"splits", {9}}},
                      .names = {{"features", {"tf", "idf"}}, {"classes", {"good"}}}};
    model.candidates = Candidates::kHybrid;
    model.provenance = {.learner = "genm-bat",
                        .options = {{"bats", "30"}, {"loudness", "0.9"}},
                        .seed = 0xfedcba9876543210U,
                        .measures = {{"map", 0.28125}, {"mrr", 0.8125}},
                        .topic_models = {{.name = "lda", .id = "0123456789abcdef"},
                                         {.name = "lsa", .id = "fedcba9876543210"}},
                        .learning = full_learning()};
    return model;
}

FusionModel calibrated_model() {
    FusionModel model = full_model();
    model.calibration = {.scores = {-1.5, 0.5, 4}, .probabilities = {0.0625, 0.1875, 0.9375}};
    return model;
}

}  // namespace

TEST_CASE("Stored formats: index settings") {
    IndexSettings settings = full_settings();
    CHECK(shown(serialise(settings)) ==
          R"(BrIx\02U)"
          R"(\06german\02\0d/no/such/file\02\03das\03der\01\00\01\c8\01\02)"
          R"(\03tag\04XTAG\00\01\e8\07\fe\ff\07\01)"
          R"(\04year\01Y\00\01\07\16\00)"
          R"(\03\04text\06author\05title)"
          R"(E\9e'U)");
    settings.analysis.positions = true;
    settings.analysis.spelling = false;
    CHECK(shown(serialise(settings)) ==
          R"(BrIx\02U)"
          R"(\06german\02\0d/no/such/file\02\03das\03der\01\01\00\c8\01\02)"
          R"(\03tag\04XTAG\00\01\e8\07\fe\ff\07\01)"
          R"(\04year\01Y\00\01\07\16\00)"
          R"(\03\04text\06author\05title)"
          R"(\85\99D8)");
}

TEST_CASE("Stored formats: stemmers") {
    Xapian::WritableDatabase database = memory_database();
    store_stemmers(database, {{.stemmer = "german", .stems = 0x123456789abcdefU, .xapian = "1.4"},
                              {.stemmer = "finnish", .stems = 300, .xapian = "2.0.1"}});
    CHECK(shown(database.get_metadata(kStemmersKey)) ==
          R"(BrSt\01%\02)"
          R"(\06german\ef\9b\af\cd\f8\ac\d1\91\01\031.4)"
          R"(\07finnish\ac\02\052.0.1)"
          R"(+X\1f8)");
}

TEST_CASE("Stored formats: fusion model") {
    check_digest(fusion_model_to_bytes(full_model()), "526 bytes, 2e4a344c7f5bce03");
    check_digest(fusion_model_to_bytes(calibrated_model()), "576 bytes, 987a9d481696f05a");
}

TEST_CASE("Stored formats: installed models") {
    const std::vector<InstalledModel> models = {
        {.time = 1234567890,
         .by = "braid train",
         .note = "by --force",
         .measure = "ndcg@10",
         .queries = 225,
         .figures = {{.name = "learned", .mean = 0.5, .p = 0.75},
                     {.name = "bm25", .mean = 0.25, .p = 0.03125}},
         .model = calibrated_model()},
        {.time = 1300000000, .by = "braid adopt", .note = "again", .measure = "map", .queries = 7}};
    check_digest(serialise(models), "755 bytes, a771fd1a4c6b459a");
}

TEST_CASE("Stored formats: topic model") {
    TopicRecord record = sample_record();
    check_digest(serialise(record), "244 bytes, 7afad58b9ce24b0e");
    check_digest(identity_bytes(record), "232 bytes, 4d5866c319992629");
    record.header.kind = TopicVectorKind::kSigned;
    check_digest(serialise(record), "244 bytes, 6989e631ac8a7ea4");
    CHECK(shown(serialise(sample_summary())) ==
          R"(BrTW\02<)"
          R"(\02\00\00\00\00\00\00\e8?\02\03cat\00\00\00\00\00\00\e0?)"
          R"(\03dog\00\00\00\00\00\00\d0\bf)"
          R"(\00\00\00\00\00\00\d0?\00)"
          R"(\02\00\00\00\00\00\00\e0?\00\00\00\00\00\00\f0\bf)"
          R"(\f2=U*)");
    CHECK(shown(serialise(TopicUse{300, 1e6, 2.5})) ==
          R"(BrTS\02\12\ac\02)"
          R"(\00\00\00\00\80\84.A\00\00\00\00\00\00\04@)"
          R"(\a6\8aa\1b)");
    TopicClusters clusters{FloatMatrix(2, 3), {0.75F, 0.5F}};
    clusters.centroids.values = {0.25F, -0.5F, 1, -0.75F, 0.125F, -1};
    CHECK(shown(serialise(clusters)) ==
          R"(BrTK\02"\02\03)"
          R"(\00\00@?\00\00\00?)"
          R"(\00\00\80>\00\00\00\bf\00\00\80?\00\00@\bf\00\00\00>\00\00\80\bf)"
          R"(\bc\da\0b\a0)");
}

TEST_CASE("Stored formats: place of documents' records") {
    Xapian::WritableDatabase database = memory_database();
    store_document_records(
        database, {.slot = 70'000,
                   .form = WordForm::kWords,
                   .fields = {{.name = "title", .prefix = "S", .documents = 300, .words = 2500},
                              {.name = "text", .prefix = "XT", .documents = 299, .words = 99999}}});
    CHECK(shown(database.get_metadata(kDocumentRecordsKey)) == R"(BrDR\03\1e\f0\a2\04\01\02)"
                                                               R"(\05title\01S\ac\02\c4\13)"
                                                               R"(\04text\02XT\ab\02\9f\8d\06)"
                                                               R"(\02\c0\96\a6)");
}
