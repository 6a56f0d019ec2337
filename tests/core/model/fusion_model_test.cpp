// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/core/base/random.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/tests/support/support.h"

using namespace braid;

namespace {

constexpr const char* kWhere = "metadata key braid:model";

FusionModel example_model() {
    FusionModel model;
    model.rankers = {
        {.ranker = "bm25", .parameters = {{"b", 0.4}, {"k1", 1.2}}, .weight = 2},
        {.ranker = "lm-dirichlet", .name = "language model", .field = "title", .weight = 0.1},
        {.ranker = "lsa", .topics = "large", .weight = 3},
    };
    model.normaliser = {.normaliser = "sigmoid",
                        .parameters = {{"scale", 0.5}},
                        .missing = braid::MissingScore::kMinimum};
    model.candidates = braid::Candidates::kAll;
    model.function = {.form = "steps",
                      .numbers = {{"at", {0.5, -1}}, {"empty", {}}},
                      .names = {{"query features", {"length", "idf"}}}};
    model.provenance = {.learner = "genm-bat",
                        .options = {{"measure", "map"}, {"sigma", "5"}},
                        .seed = std::numeric_limits<std::uint64_t>::max(),
                        .measures = {{"map", 0.533}, {"ndcg@10", 1.0 / 3}},
                        .topic_models = {{"lsa", "3f2a"}, {"lda", "77"}}};
    model.provenance.learning = {.measure = "ndcg@10",
                                 .relevant_from = 2,
                                 .queries = 63,
                                 .documents = 9630,
                                 .judgements = 9000,
                                 .measures = {{"map", 0.5}},
                                 .validation = {{"map", 0.4}},
                                 .objective_name = "smooth map",
                                 .objective = 0.45,
                                 .iterations = 2,
                                 .stop_reason = "converged",
                                 .scales = {1, 2, 0.125},
                                 .curve = {{0, 0.25, 0.5}, {1, 0.45, {}}},
                                 .state = {{"steps", {3}}, {"weights", {0.1, 0.2, 0.3}}}};
    model.calibration = {.scores = {-1.5, 0.25, 7}, .probabilities = {0, 0.125, 0.75}};
    return model;
}

std::string read_error(const std::string& bytes) {
    return braid::test::error_of([&] { fusion_model_from_bytes(bytes, kWhere); });
}

// The bytes of a model with one ranker, as fusion_model_to_bytes would write them.
std::string model_bytes(double weight, double parameter, const std::string& second_parameter) {
    ByteWriter body;
    body.varint(1);
    for (const char* text : {"bm25", "", "", ""}) body.text(text);
    body.varint(2);
    body.text("k1");
    body.real(parameter);
    body.text(second_parameter);
    body.real(1);
    body.real(weight);
    body.text("none");  // normaliser, its parameters and missing scores
    body.raw(std::string_view("\0\0", 2));
    body.text("linear");  // form, its numbers and names
    body.raw(std::string_view("\0\0", 2));
    body.varint(0);                              // candidates
    body.text("");                               // learner
    for (int i = 0; i < 5; ++i) body.varint(0);  // options, seed, measures, topic models, learning
    return write_stored({.magic = "BrFM", .version = 4, .kind = "fusion model"}, body);
}

}  // namespace

TEST_CASE("Fusion model: a list that lacks documents is for fusion methods") {
    braid::FusionModel model;
    model.normaliser.missing = braid::MissingScore::kAbsent;
    CHECK_THROWS_AS(braid::validate(model), braid::InvalidArgument);
    model.function = {.form = "fusion", .names = {{"method", {"rrf"}}}};
    CHECK_NOTHROW(braid::validate(model));
}

TEST_CASE("Fusion model: positions in lists are features, no ranker gives them") {
    braid::FusionModel model;
    model.normaliser.normaliser = "position";
    model.rankers = {{.ranker = "feature", .name = "1"}};
    CHECK_NOTHROW(braid::validate(model));
    model.rankers.push_back({.ranker = "bm25"});
    CHECK_THROWS_WITH(braid::validate(model), Catch::Matchers::Contains("bm25"));
}

TEST_CASE("Fusion model: a ranker is called by its name, or by what it is and on which field") {
    CHECK(RankerSpec{.ranker = "bm25"}.label() == "bm25");
    CHECK(RankerSpec{.ranker = "bm25", .field = "title"}.label() == "bm25:title");
    CHECK(RankerSpec{.ranker = "lsa", .topics = "large"}.label() == "lsa:large");
    CHECK(RankerSpec{.ranker = "bm25", .name = "words", .field = "title"}.label() == "words");
}

TEST_CASE("Fusion model: its binary form gives it back") {
    CHECK(fusion_model_from_bytes(fusion_model_to_bytes(example_model()), kWhere) ==
          example_model());
    CHECK(fusion_model_from_bytes(fusion_model_to_bytes({}), kWhere) == FusionModel{});
}

namespace {

// Of the default model, behind magic and version; `candidates` is "" in version 3.
std::string default_body(const std::string& candidates = std::string(1, '\0')) {
    const std::string body(
        "\x01"                  // one ranker
        "\x04"                  // its name's length
        "bm25"                  //
        "\0\0\0\0"              // name, field, topics, parameters
        "\0\0\0\0\0\0\xf0\x3f"  // weight 1
        "\x04none\0\0"          // normaliser
        "\x06linear\0\0",       // function
        34);
    const std::string provenance(6, '\0');
    return static_cast<char>(body.size() + candidates.size() + provenance.size()) + body +
           candidates + provenance;
}

}  // namespace

TEST_CASE("Fusion model: the binary form is the one written down") {
    const std::string bytes = fusion_model_to_bytes({});
    CHECK(bytes.substr(0, 47) == "BrFM\x04" + default_body());
    const std::uint32_t checksum = braid::crc32c(bytes.substr(0, 47));
    CHECK(bytes.substr(47) ==
          std::string{static_cast<char>(checksum), static_cast<char>(checksum >> 8),
                      static_cast<char>(checksum >> 16), static_cast<char>(checksum >> 24)});
}

TEST_CASE("Fusion model: the bytes of earlier versions are read") {
    CHECK(fusion_model_from_bytes("BrFM\x03" + default_body(""), kWhere) == FusionModel{});
    CHECK(fusion_model_from_bytes(std::string("BrFM\x02\x17\x01\x04"
                                              "bm25\0\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0",
                                              29),
                                  kWhere) == FusionModel{});
    CHECK(fusion_model_from_bytes(std::string("BrFM\x01\x16\x01\x04"
                                              "bm25\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0",
                                              28),
                                  kWhere) == FusionModel{});
}

TEST_CASE("Fusion model: only a calibration takes the newer version") {
    FusionModel model;
    CHECK(fusion_model_to_bytes(model)[4] == 4);
    model.calibration = {{1, 2}, {.25, .5}};
    const std::string bytes = fusion_model_to_bytes(model);
    CHECK(bytes[4] == 5);
    CHECK(fusion_model_from_bytes(bytes, kWhere) == model);
    // A version that never writes one must not announce it.
    std::string body(bytes.substr(6, bytes.size() - 6 - 4 - 2 * 17));
    body += std::string(2, '\0');
    ByteWriter out;
    out.raw(body);
    const std::string hollow =
        write_stored({.magic = "BrFM", .version = 5, .kind = "fusion model"}, out);
    CHECK_THAT(read_error(hollow), Catch::Matchers::Contains("calibration"));
}

TEST_CASE("Fusion model: a calibration that falls or doesn't ascend is refused") {
    for (const braid::Calibration& wrong :
         {braid::Calibration{{1, 2}, {.5, .25}}, braid::Calibration{{2, 1}, {.25, .5}},
          braid::Calibration{{1, 2}, {.25, 1.5}}, braid::Calibration{{1}, {}}}) {
        FusionModel model;
        model.calibration = wrong;
        CHECK_THROWS_AS(braid::validate(model), braid::InvalidArgument);
        if (!wrong.probabilities.empty()) {
            CHECK_THAT(read_error(fusion_model_to_bytes(model)),
                       Catch::Matchers::Contains("calibration"));
        }
    }
}

TEST_CASE("Fusion model: every truncation and every longer form is refused", "[property]") {
    const std::string bytes = fusion_model_to_bytes(example_model());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(fusion_model_from_bytes(bytes.substr(0, size), kWhere), FormatError);
    }
    CHECK_THROWS_AS(fusion_model_from_bytes(bytes + "x", kWhere), FormatError);
}

TEST_CASE("Fusion model: a body that is cut short inside its frame is refused", "[property]") {
    const std::string bytes = fusion_model_to_bytes(example_model());
    const std::size_t head = std::string("BrFM").size() + 1 + 2;
    REQUIRE(bytes.size() - head >= 128);  // The length takes two bytes.
    constexpr std::size_t kChecksum = 4;
    for (std::size_t size = head; size < bytes.size() - kChecksum; ++size) {
        ByteWriter body;
        body.raw(std::string_view(bytes).substr(head, size - head));
        const std::string cut =
            write_stored({.magic = "BrFM", .version = 5, .kind = "fusion model"}, body);
        CHECK_THROWS_AS(fusion_model_from_bytes(cut, kWhere), FormatError);
    }
}

TEST_CASE("Fusion model: random changes to the bytes are refused or give another model",
          "[property]") {
    braid::Random random(braid::test::seed());
    const std::string bytes = fusion_model_to_bytes(example_model());
    for (int round = 0; round < 20000; ++round) {
        std::string changed = bytes;
        for (std::uint64_t i = random.below(4) + 1; i > 0; --i) {
            changed[random.below(changed.size())] = static_cast<char>(random.below(256));
        }
        try {
            const FusionModel model = fusion_model_from_bytes(changed, kWhere);
            // What can be read has one form only, so it is the form that was read. (The weight
            // -0.0 is not refused, and has its own bytes.)
            if (changed[4] == bytes[4]) CHECK(fusion_model_to_bytes(model) == changed);
        } catch (const FormatError&) {
        }
    }
}

TEST_CASE("Fusion model: random bytes are refused", "[property]") {
    braid::Random random(braid::test::seed(), 1);
    for (int round = 0; round < 5000; ++round) {
        std::string bytes(random.below(60), '\0');
        for (char& c : bytes) c = static_cast<char>(random.below(256));
        CHECK_THROWS_AS(fusion_model_from_bytes(bytes, kWhere), FormatError);
    }
}

TEST_CASE("Fusion model: what is refused is named, with the place") {
    const std::string bytes = fusion_model_to_bytes(example_model());
    CHECK(read_error("braidless") ==
          "metadata key braid:model: fusion model: is something else, "
          "expected bytes that begin with 'BrFM'");
    std::string newer = bytes;
    newer[4] = 6;
    CHECK(read_error(newer) ==
          "metadata key braid:model: fusion model: version: 6, but this Braid "
          "reads 1 to 5: it is damaged, or a newer Braid wrote it");
    newer = braid::write_stored({.magic = "BrFM", .version = 6, .kind = "fusion model"}, {});
    CHECK(read_error(newer) ==
          "metadata key braid:model: fusion model: version: 6, but this Braid "
          "reads 1 to 5; a newer Braid wrote it");
    CHECK(read_error(model_bytes(1, 2, "k3")).empty());
    CHECK(
        read_error(model_bytes(-1, 2, "k3")) ==
        "metadata key braid:model: fusion model: weight of ranker bm25: -1, expected 0 to 1e+100");
    CHECK(read_error(model_bytes(1e308, 2, "k3")) ==
          "metadata key braid:model: fusion model: weight of ranker bm25: 1e+308, expected 0 to "
          "1e+100");
    CHECK(read_error(model_bytes(std::numeric_limits<double>::infinity(), 2, "k3")) ==
          "metadata key braid:model: fusion model: ranker's weight: inf, expected a finite number");
    CHECK(read_error(model_bytes(1, std::numeric_limits<double>::quiet_NaN(), "k3")) ==
          "metadata key braid:model: fusion model: ranker's parameters: nan, expected a finite "
          "number");
    CHECK(read_error(model_bytes(1, 2, "k1")) ==
          "metadata key braid:model: fusion model: ranker's parameters: 'k1' is not in order");
}
