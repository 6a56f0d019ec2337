// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/model_rankers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/lexical/proximity.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/lexical/title_exact.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/core/topics/lbdm.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/topics/word_vectors.h"

namespace braid {
namespace {

ModelRanker lexical_ranker(const std::string& name) {
    const LexicalRankerInfo& info = lexical_rankers().find(name);
    return {.summary = info.summary, .formula = info.formula, .parameters = info.parameters};
}

ModelRanker topic_ranker(const std::string& name) {
    const TopicModelInfo& info = topic_model_info(name);
    return {.summary = "similarity of the query's and the document's topics: " + info.summary,
            .formula = "max(0, cos(query, document)), both as vectors of the " + info.name +
                       " model; 0 for a document without a vector",
            .family = RankerFamily::kTopic,
            .topic_model = info.name};
}

ParameterInfo longest_document_length() {
    return {"longest", 1e7, 1, 4294967295,
            "words; longer documents count as this long, which sets the score of a document "
            "without query words"};
}

ModelRanker lbdm() {
    const LbdmSettings defaults;
    return {.summary = "Query likelihood, smoothed by the words of the document's LDA topics",
            .formula =
                "sum over words of qtf * log(p(w|d) (mu + longest) / (lambda mu cf/T)), p(w|d) = "
                "lambda (tf + mu cf/T) / (len + mu) + (1 - lambda) sum over topics of p(w|z) "
                "p(z|d)",
            .parameters = {{"lambda", defaults.lambda, 1e-6, 1,
                            "share of the document's smoothed words (Wei and Croft 2006)"},
                           {"mu", defaults.mu, 1e-3, 1e9,
                            "words of the collection mixed into a document (Wei and Croft 2006)"},
                           longest_document_length()},
            .family = RankerFamily::kTopicLanguage,
            .topic_model = "lda"};
}

ModelRanker lm_neighbours() {
    const NeighbourSettings defaults;
    return {.summary = "Query likelihood of the document's words and those of its neighbours",
            .formula =
                "sum over words of qtf * log((len s + mu cf/T) (mu + longest) / ((len + mu) mu "
                "cf/T)), s = own tf/len + (1 - own) mean over neighbours of their tf/len",
            .parameters = {{"own", defaults.own, 0, 1, "share of the document's own words"},
                           {"mu", defaults.mu, 1e-3, 1e9,
                            "words of the collection mixed into a document"},
                           longest_document_length()},
            .family = RankerFamily::kNeighbours,
            .topic_model = kNeighboursModel};
}

ModelRanker proximity() {
    const ProximitySettings defaults;
    return {
        .summary = "Adjacent words of the query next to each other, or near, in the document",
        .formula =
            "sum over pairs of adjacent words of idf * (ordered g(o) + (1 - ordered) g(u)), idf = "
            "mean "
            "of both words' log(1 + (N-df+.5) / (df+.5)), o = times they stand side by side in "
            "order, u = times within the window, g(f) = (k1+1) f / (f + k1 ((1-b) + b len/avg))",
        .parameters = {{"window", defaults.window, 2, 1e6,
                        "positions within which two words are near (Metzler and Croft 2005)",
                        kWhole},
                       {"ordered", defaults.ordered, 0, 1,
                        "share of words side by side (Metzler and Croft 2005)"},
                       {"k1", defaults.k1, 0, 1000, "saturation, as in bm25"},
                       {"b", defaults.b, 0, 1, "share of the length normalisation, as in bm25"}},
        .family = RankerFamily::kProximity};
}

// docs/algorithms/feedback.md
ModelRanker topic_feedback(const std::string& name) {
    return {.summary = "like " + name +
                       ", with the query's topics moved towards those of its best documents",
            .formula =
                "max(0, cos(mix * query + (1 - mix) * mean of the best documents, "
                "document)), as vectors of the " +
                name + " model",
            .parameters = {{"documents", 10, 1, 1000,
                            "best documents of a first pass by topics (Rocchio)", kWhole},
                           {"mix", 0.5, 0, 1, "share of the query's own topics"}},
            .family = RankerFamily::kTopicFeedback,
            .topic_model = name};
}

// docs/algorithms/feedback.md
ModelRanker rm3() {
    return {
        .summary = "BM25 of the query with words of its best documents (relevance model)",
        .formula =
            "BM25 with weights of |q| (mix q(w)/|q| + (1 - mix) p(w|R)), p(w|R) = sum over the "
            "best documents of s(d)/sum of s * tf/len",
        .parameters = {{"documents", 10, 1, 1000, "best documents of a first pass by BM25", kWhole},
                       {"terms", 20, 0, 1000, "words added to the query's own", kWhole},
                       {"mix", 0.5, 0, 1, "share of the query's own words"}},
        .family = RankerFamily::kTermFeedback};
}

ModelRanker feature() {
    return {.summary = "a feature of a LETOR file; for models that rank files",
            .formula = "the file's feature with the ranker's name",
            .family = RankerFamily::kFeature};
}

ModelRanker vector() {
    return {
        .summary = "similarity of the query's and the document's vectors, both brought by the user",
        .formula = "max(0, cos(query, document)); 0 for a document without a vector",
        .family = RankerFamily::kVector,
        .topic_model = kVectorsModel};
}

ParameterInfo times() {
    return {kTimesParameter, 0, 0, kMostTimes,
            "multiplies the score of all other rankers by 1 to this instead of adding; 0: adds"};
}

ModelRanker value_ranker(const std::string& name) {
    const ValueRankerInfo& info = value_rankers().find(name);
    ModelRanker ranker{.summary = info.summary,
                       .formula = info.formula,
                       .parameters = info.parameters,
                       .family = RankerFamily::kValue};
    ranker.parameters.push_back(times());
    return ranker;
}

// docs/algorithms/boosts.md
ModelRanker filter() {
    return {.summary = "Whether a document matches a filter: a section, a tag, a range of dates",
            .formula = "1 if the document matches the filter in `field`, else 0",
            .parameters = {times()},
            .family = RankerFamily::kFilter};
}

// docs/algorithms/title-exact.md
ModelRanker title_exact() {
    const TitleScores defaults;
    return {.summary = "Whether a field is the query, begins with it or contains it, word by word",
            .formula =
                "equals, begins or contains: the best that holds of the field's words and "
                "the query's; else 0",
            .parameters = {{"equals", defaults.equals, 0, 1, "the field's words are the query's"},
                           {"begins", defaults.begins, 0, 1, "the field begins with them"},
                           {"contains", defaults.contains, 0, 1,
                            "the field has them, one right after the other"}},
            .family = RankerFamily::kTitle};
}

// docs/algorithms/all-words.md
ModelRanker all_words() {
    return {.summary = "BM25 of documents that have all words of a short query",
            .formula =
                "bm25 if the document has each of the query's words that any document has, and "
                "these are two or more, but not more than `words`; else 0",
            .parameters = {{"words", 5, 2, 10000, "longest query for which it counts", kWhole}},
            .family = RankerFamily::kAllWords};
}

using ModelRankers = LazyRegistry<ModelRanker>;

ModelRankers make_model_rankers() {
    std::vector<ModelRankers::Item> items;
    const auto add_all = [&](const std::vector<std::string>& names,
                             ModelRanker (*make)(const std::string&), const char* ending = "") {
        for (const std::string& name : names) {
            items.push_back({name + ending, [name, make] { return make(name); }});
        }
    };
    const std::vector<std::string> topics = topic_models().names();
    add_all(lexical_rankers().names(), lexical_ranker);
    add_all(topics, topic_ranker);
    add_all({kWordVectorsModel}, topic_ranker);
    items.push_back({"lbdm", lbdm});
    items.push_back({"lm-neighbours", lm_neighbours});
    items.push_back({"proximity", proximity});
    items.push_back({"all-words", all_words});
    items.push_back({"rm3", rm3});
    add_all(topics, topic_feedback, "-feedback");
    items.push_back({"feature", feature});
    items.push_back({"vector", vector});
    add_all(value_rankers().names(), value_ranker);
    items.push_back({"filter", filter});
    items.push_back({"title-exact", title_exact});
    return {"ranker", std::move(items)};
}

}  // namespace

const LazyRegistry<ModelRanker>& model_rankers() {
    static const ModelRankers registry = make_model_rankers();
    return registry;
}

namespace {

FusionModel part(const FusionModel& model, bool lexical) {
    FusionModel result = model;
    result.rankers.clear();
    // Nobody continues learning from a part, and parts are sent to every remote shard.
    result.provenance.learning = {};
    result.calibration = {};
    for (const RankerSpec& spec : model.rankers) {
        if ((family_of(spec) == RankerFamily::kLexical) == lexical) result.rankers.push_back(spec);
    }
    return result;
}

}  // namespace

RankerFamily family_of(const RankerSpec& spec) { return model_rankers().find(spec.ranker).family; }

std::string topic_model_of(const RankerSpec& spec) {
    const ModelRanker& ranker = model_rankers().find(spec.ranker);
    return spec.topics.empty() ? ranker.topic_model : spec.topics;
}

FusionModel lexical_part(const FusionModel& model) { return part(model, true); }
FusionModel source_part(const FusionModel& model) { return part(model, false); }

namespace {

bool blends_fields(const RankerSpec& spec) {
    return lexical_rankers().find(spec.ranker).traits.blends_fields;
}

FusionModel lexical_part(const FusionModel& model, const std::string& field, bool blended) {
    FusionModel result = lexical_part(model);
    std::erase_if(result.rankers, [&](const RankerSpec& spec) {
        return spec.field != field || blends_fields(spec) != blended;
    });
    return result;
}

}  // namespace

FusionModel field_part(const FusionModel& model, const std::string& field) {
    return lexical_part(model, field, false);
}

FusionModel blend_part(const FusionModel& model, const std::string& fields) {
    return lexical_part(model, fields, true);
}

namespace {

// Of lexical rankers of positive weight, each once.
std::vector<std::string> fields_of(const FusionModel& model, bool blended) {
    std::vector<std::string> fields;
    for (const RankerSpec& spec : model.rankers) {
        if (!(spec.weight > 0) || spec.field.empty()) continue;
        if (family_of(spec) != RankerFamily::kLexical) continue;
        if (blends_fields(spec) != blended) continue;
        if (std::find(fields.begin(), fields.end(), spec.field) == fields.end()) {
            fields.push_back(spec.field);
        }
    }
    return fields;
}

}  // namespace

std::vector<std::string> scored_fields(const FusionModel& model) { return fields_of(model, false); }

std::vector<std::string> blended_fields(const FusionModel& model) { return fields_of(model, true); }

bool is_factor(const RankerSpec& spec) {
    const auto times = spec.parameters.find(kTimesParameter);
    if (times == spec.parameters.end() || !(times->second > 0)) return false;
    const RankerFamily family = family_of(spec);
    return family == RankerFamily::kValue || family == RankerFamily::kFilter;
}

FusionModel without_factors(const FusionModel& model) {
    FusionModel result = model;
    std::erase_if(result.rankers, is_factor);
    return result;
}

std::string why_no_weight(double weight) {
    if (weight >= 0 && weight <= kMostWeight) return "";
    return fmt::format("{}, expected 0 to {}", weight, kMostWeight);
}

std::string why_no_calibration(const Calibration& calibration) {
    const std::vector<double>& scores = calibration.scores;
    const std::vector<double>& probabilities = calibration.probabilities;
    if (scores.size() != probabilities.size()) {
        return fmt::format("found {} probabilities for {} scores, expected one a score",
                           probabilities.size(), scores.size());
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!std::isfinite(scores[i]) || (i > 0 && scores[i] <= scores[i - 1])) {
            return fmt::format("found {} as score {}, expected finite numbers that ascend",
                               scores[i], i + 1);
        }
        const double least = i == 0 ? 0 : probabilities[i - 1];
        if (probabilities[i] >= least && probabilities[i] <= 1) continue;
        return fmt::format(
            "found {} as probability {}, expected {} to 1, none below the one before",
            probabilities[i], i + 1, least);
    }
    return "";
}

bool has_weight(const FusionModel& model) {
    return std::any_of(model.rankers.begin(), model.rankers.end(),
                       [](const RankerSpec& spec) { return spec.weight > 0; });
}

}  // namespace braid
