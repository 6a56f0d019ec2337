// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

FusionModel example_model() {
    FusionModel model;
    model.rankers = {{.ranker = "bm25", .parameters = {{"b", 0.25}, {"k1", 1.2}}, .weight = 0.75},
                     {.ranker = "bm25", .field = "title", .weight = 1.0 / 3}};
    model.provenance = {.learner = "genm-bat",
                        .options = {{"beta", "20"}, {"measure", "map"}},
                        .seed = 20161218,
                        .measures = {{"map", 0.533}},
                        .topic_models = {{"lsa", "5f0c"}}};
    return model;
}

constexpr const char* kExampleText = R"(model:
  rankers:
    - {ranker: bm25, parameters: {b: 0.25, k1: 1.2}, weight: 0.75}
    - {ranker: bm25, field: title, weight: 0.3333333333333333}
  candidates: words
  provenance:
    learner: genm-bat
    options: {beta: "20", measure: map}
    seed: 20161218
    measures: {map: 0.533}
    topic_models:
      - {name: lsa, id: "5f0c"}
)";

}  // namespace

TEST_CASE("Model file: the form it has") {
    CHECK(format_model(example_model()) == kExampleText);
    CHECK(parse_model(kExampleText, "model.yaml") == example_model());
}

TEST_CASE("Model file: what a learner leaves in it") {
    FusionModel model;
    model.rankers = {{.ranker = "feature", .name = "1", .weight = 0.25},
                     {.ranker = "feature", .name = "2"}};
    model.normaliser = {.normaliser = "min-max", .missing = braid::MissingScore::kMinimum};
    model.function = {.form = "signed-linear", .numbers = {{"weights", {0.5, -0.5}}}};
    model.provenance = {.learner = "genm-on"};
    model.provenance.learning = {.measure = "map",
                                 .queries = 63,
                                 .measures = {{"map", 0.5}},
                                 .curve = {{0, 0.25, 0.5}, {1, 0.45, {}}},
                                 .state = {{"steps", {3}}, {"weights", {0.1, 0.2}}}};
    const char* text = R"(model:
  rankers:
    - {ranker: feature, name: "1", weight: 0.25}
    - {ranker: feature, name: "2"}
  normaliser:
    name: min-max
    missing: minimum
  function:
    form: signed-linear
    numbers: {weights: [0.5, -0.5]}
  candidates: words
  provenance:
    learner: genm-on
    learning:
      measure: map
      queries: 63
      measures: {map: 0.5}
      curve:
        - {objective: 0.25, validation: 0.5}
        - {iteration: 1, objective: 0.45}
      state: {steps: [3], weights: [0.1, 0.2]}
)";
    CHECK(format_model(model) == text);
    CHECK(parse_model(text, "model.yaml") == model);
}

TEST_CASE("Model file: what can't be meant is refused, with its place") {
    const auto parse = [](const std::string& yaml) { parse_model("model:\n  " + yaml, "m.yaml"); };
    check_refused(
        parse, {{"rankers: [{ranker: feature}]",
                 "m.yaml:2:13: model.rankers[0].name: found nothing, expected the feature"},
                {"rankers: [{ranker: feature, name: a, field: b}]", "2:"},
                {"normaliser: {name: minmax}", "did you mean 'min-max'?"},
                {"normaliser: {name: sigmoid, parameters: {scale: 0}}",
                 "m.yaml:2:43: model.normaliser.parameters: sigmoid: scale is 0"},
                {"normaliser: {name: rank, parameters: {scale: 1}}", "model.normaliser.parameters"},
                {"function: {numbers: {weights: [1]}}",
                 "model.function: found numbers or names, expected none"},
                {"function: {form: \"\"}", "model.function.form: found nothing"},
                {"provenance: {learning: {curve: [{objective: x}]}}",
                 "model.provenance.learning.curve[0].objective: found"}});
}

TEST_CASE("Model file: weights written by hand have no provenance") {
    CHECK(format_model({}) == "model:\n  rankers:\n    - {ranker: bm25}\n  candidates: words\n");
}

TEST_CASE("Model file: it is a configuration, and a configuration has a model") {
    CHECK(braid::parse_settings(kExampleText, "model.yaml").model == example_model());
    const std::string whole = "search: {wildcards: true}\n" + std::string(kExampleText);
    CHECK(parse_model(whole, "settings.yaml") == example_model());
    CHECK_THROWS_WITH(parse_model("search: {wildcard: true}\nmodel:\n", "s.yaml"),
                      Contains("s.yaml:1:10: search.wildcard: found an unknown key"));
}

TEST_CASE("Model file: one without a model is refused") {
    CHECK_THROWS_WITH(parse_model("search: {wildcards: true}\n", "s.yaml"),
                      "s.yaml:1:1: model: found no such section, expected one with rankers");
    CHECK_THROWS_WITH(parse_model("", "s.yaml"),
                      "s.yaml:1:1: model: found no such section, expected one with rankers");
    CHECK_THROWS_WITH(parse_model("rankers: [{ranker: bm25}]\n", "s.yaml"),
                      Contains("did you mean 'model.rankers'?"));
}

TEST_CASE("Model file: a path is read, and stands in messages") {
    const TemporaryFolder folder;
    const std::string path = (folder / "model.yaml").string();
    braid::test::write_file(path, kExampleText);
    CHECK(load_model(path) == example_model());
    braid::test::write_file(path, "model: {ranker: bm25}");
    CHECK_THROWS_WITH(load_model(path),
                      Contains(path + ":1:9: model.ranker: found an unknown key"));
}
