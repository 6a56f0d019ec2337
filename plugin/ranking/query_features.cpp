// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/query_features.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/error.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/ranking/feedback.h"
#include "braid/weight.h"

namespace braid {
namespace {

// Length of BM25's list, for any model: lists are described before the query has weights.
constexpr Xapian::doccount kFirstPass = 100;

// Coordinates of a query's embedding, which a model's feature numbers from 0.
constexpr std::size_t kMostCoordinates = std::size_t{1} << 20;

constexpr std::string_view kKnown = "known:";
constexpr std::string_view kTopic = "topic:";
constexpr std::string_view kEmbedding = "embedding:";

const std::vector<std::string>& word_features() {
    static const std::vector<std::string> names = {"length",   "words",   "unknown", "idf-sum",
                                                   "idf-mean", "idf-max", "idf-min"};
    return names;
}

// One ranker of each topic model.
std::vector<RankerSpec> topic_rankers(const FusionModel& model) {
    std::vector<RankerSpec> result;
    std::set<std::string> seen;
    for (const RankerSpec& spec : model.rankers) {
        // Neighbours have the words of the model whose vectors made them.
        if (family_of(spec) == RankerFamily::kNeighbours) continue;
        const std::string topics = topic_model_of(spec);
        if (!topics.empty() && seen.insert(topics).second) result.push_back(spec);
    }
    return result;
}

// Those whose words a topic model knows: vectors that the query brings are made of none.
bool has_topic_model(const FusionModel& model, const std::string& name, bool with_vectors) {
    return std::any_of(model.rankers.begin(), model.rankers.end(), [&](const RankerSpec& spec) {
        return topic_model_of(spec) == name &&
               (with_vectors || family_of(spec) != RankerFamily::kVector);
    });
}

bool starts_with(const std::string& text, std::string_view prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

std::string numbered(std::string_view kind, const std::string& name, std::size_t place) {
    return fmt::format("{}{}:{}", kind, name, place);
}

[[noreturn]] void fail_for(const std::string& name, const std::string& reason) {
    throw ModelMismatch(fmt::format("the model's weights follow from the query's feature {}, {}",
                                    shown(name), reason));
}

}  // namespace

std::vector<std::string> query_feature_names(const FusionModel& model,
                                             const QueryFeatureGroups& groups,
                                             SourceRanking& topics) {
    std::vector<std::string> names;
    const std::vector<RankerSpec> rankers = topic_rankers(model);
    if (groups.words) {
        names = word_features();
        for (const RankerSpec& spec : rankers) {
            names.push_back(std::string(kKnown) + topic_model_of(spec));
        }
    }
    for (const RankerSpec& spec : rankers) {
        if (!groups.topics || family_of(spec) == RankerFamily::kVector) continue;
        const std::string name = topic_model_of(spec);
        const std::size_t dimensions = topics.topics_of(name, {}).vector.size();
        for (std::size_t i = 0; i < dimensions; ++i) names.push_back(numbered(kTopic, name, i));
    }
    for (const auto& [name, dimensions] : groups.embeddings) {
        for (std::size_t i = 0; i < dimensions; ++i) {
            names.push_back(embedding_feature(name, i));
        }
    }
    if (groups.lists) {
        const auto& lists = list_statistic_names();
        names.insert(names.end(), lists.begin(), lists.end());
    }
    return names;
}

std::string embedding_feature(const std::string& name, std::size_t place) {
    return numbered(kEmbedding, name, place);
}

std::string query_key(const Xapian::Query& query) {
    std::string key;
    for (const auto& [term, count] : scored_terms(query)) key += (key.empty() ? "" : " ") + term;
    return key;
}

void check_embeddings(const QueryInputs& inputs) {
    for (const auto& [name, vector] : inputs.embeddings) {
        bool any = false;
        for (const float value : vector) {
            if (!std::isfinite(value)) {
                throw InvalidArgument(
                    fmt::format("the query's embedding {} holds {}, expected finite numbers",
                                shown(name), value));
            }
            any = any || value != 0;
        }
        if (any) continue;
        throw InvalidArgument(
            fmt::format("the query's embedding {} {}, expected numbers other than 0", shown(name),
                        vector.empty() ? "is empty" : "is all zero"));
    }
}

QueryFeatures::QueryFeatures(const Xapian::Database& database, const FusionModel& model,
                             PoolScorerOptions options, const std::vector<std::string>& names)
    : database_(database), model_(model), options_(std::move(options)) {
    model_.provenance.learning = {};
    for (const std::string& name : names) {
        features_.push_back(read(name));
        if (features_.back().kind != Kind::kEmbedding) continue;
        std::size_t& dimensions = embeddings_[features_.back().name];
        dimensions = std::max(dimensions, features_.back().place + 1);
    }
}

QueryFeatures::Feature QueryFeatures::read(const std::string& name) const {
    const auto place_in = [&](Kind kind, const std::vector<std::string>& names) {
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end()
                   ? std::optional<Feature>()
                   : Feature{.kind = kind,
                             .place = static_cast<std::size_t>(found - names.begin())};
    };
    for (const auto& found :
         {place_in(Kind::kWords, word_features()), place_in(Kind::kList, list_statistic_names())}) {
        if (found) return *found;
    }
    if (starts_with(name, kKnown)) {
        Feature feature{.kind = Kind::kKnown, .name = name.substr(kKnown.size())};
        if (has_topic_model(model_, feature.name, true)) return feature;
        fail_for(name, "but no ranker of it uses that topic model");
    }
    for (const auto& [kind, prefix] :
         {std::pair(Kind::kTopic, kTopic), std::pair(Kind::kEmbedding, kEmbedding)}) {
        const std::size_t colon = name.rfind(':');
        if (!starts_with(name, prefix) || colon < prefix.size()) continue;
        Feature feature{.kind = kind, .name = name.substr(prefix.size(), colon - prefix.size())};
        const char* end = name.data() + name.size();
        const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, feature.place);
        if (error != std::errc() || stop != end || feature.place >= kMostCoordinates) continue;
        if (kind == Kind::kEmbedding || has_topic_model(model_, feature.name, false)) {
            return feature;
        }
        fail_for(name, "but no ranker of it uses that topic model");
    }
    fail_for(name, "which no search computes; braid score takes it from a file");
}

bool QueryFeatures::has(Kind kind) const {
    return std::any_of(features_.begin(), features_.end(),
                       [kind](const Feature& feature) { return feature.kind == kind; });
}

std::vector<double> QueryFeatures::words_of(const std::map<std::string, double>& words) const {
    const auto documents = static_cast<double>(database_.get_doccount());
    std::vector<double> rarities;
    std::map<std::string, double> having;  // By words: one may have several prefixes.
    double length = 0;
    for (const auto& [term, count] : words) {
        double& most = having[bare_word(term)];
        most = std::max(most, static_cast<double>(database_.get_termfreq(term)));
        length += count;
    }
    for (const auto& [word, most] : having) {
        if (most > 0) rarities.push_back(std::log(documents / most));
    }
    double sum = 0;
    for (const double rarity : rarities) sum += rarity;
    const bool none = rarities.empty();
    const auto [least, most] = std::minmax_element(rarities.begin(), rarities.end());
    const auto distinct = static_cast<double>(having.size());
    const auto found = static_cast<double>(rarities.size());
    return {length,           distinct,         distinct - found, sum, none ? 0 : sum / found,
            none ? 0 : *most, none ? 0 : *least};
}

// The first pass has the same bits whatever the shards where the query is a bag of words.
std::vector<double> QueryFeatures::lists_of(const Xapian::Query& query, const QueryInputs& inputs,
                                            std::size_t& first_pass) {
    const Xapian::Query text = scored_part(query);
    const std::shared_ptr<TimeLimit> limit = limit_of_pass(limit_);
    std::vector<Xapian::docid> documents;
    if (why_no_bag_of_words(text).empty()) {
        FusedSource source(FusionModel{}, read_bag_of_words(database_, text));
        source.stop_at(limit);
        for (const FeedbackDocument& document : best_documents(
                 database_, Xapian::Query(source.clone()->release()), kFirstPass, limit)) {
            documents.push_back(document.docid);
        }
    } else {
        Xapian::Enquire enquire(database_);
        enquire.set_weighting_scheme(FusedWeight());
        enquire.set_query(within_time(keep_phrases_apart(text), limit));
        const Xapian::MSet found = enquire.get_mset(0, safe_count(database_, text, kFirstPass),
                                                    safe_check(database_, text, 0));
        for (auto hit = found.begin(); hit != found.end() && documents.size() < kFirstPass; ++hit) {
            documents.push_back(*hit);
        }
    }
    std::sort(documents.begin(), documents.end());
    std::vector<double> scores;
    try {
        if (!documents.empty()) {
            if (!scorer_) scorer_.emplace(database_, model_, options_);
            scorer_->stop_at(limit);
            scores = scorer_->score(text, documents, inputs).rows.scores;
        }
    } catch (const TimeIsOver&) {
        documents.clear();
    }
    first_pass = documents.size();
    TrainingSet lists;
    for (const RankerSpec& spec : model_.rankers) lists.rankers.push_back(spec.label());
    lists.queries = {"query"};
    lists.query_begin = {0, documents.size()};
    lists.grades.resize(documents.size());
    lists.scores = std::move(scores);
    return list_statistics(lists, 0);
}

const std::vector<float>& QueryFeatures::embedding_of(const Feature& feature,
                                                      const QueryInputs& inputs) const {
    const auto given = inputs.embeddings.find(feature.name);
    if (given == inputs.embeddings.end()) {
        throw InvalidArgument(
            fmt::format("the model's weights follow from an embedding {} of the query; give it "
                        "with the query (--query-embedding)",
                        shown(feature.name)));
    }
    const std::size_t expected = embeddings_.at(feature.name);
    if (given->second.size() != expected) {
        throw InvalidArgument(fmt::format("the query's embedding {} has {} numbers, expected {}",
                                          shown(feature.name), given->second.size(), expected));
    }
    return given->second;
}

QueryFeatures::Values QueryFeatures::of(const Xapian::Query& query, const QueryInputs& inputs,
                                        SourceRanking& topics) {
    check_embeddings(inputs);
    Values result;
    result.values.reserve(features_.size());
    const std::map<std::string, double> terms = scored_terms(query);
    std::vector<double> words;
    if (has(Kind::kWords)) words = words_of(terms);
    std::vector<double> lists;
    if (has(Kind::kList)) lists = lists_of(query, inputs, result.first_pass);
    // Coordinates of one vector stand together: it is looked up once for each run of them.
    const Feature* last = nullptr;
    QueryTopics folded;
    const std::vector<float>* embedding = nullptr;
    for (const Feature& feature : features_) {
        const bool goes_on =
            last != nullptr && last->kind == feature.kind && last->name == feature.name;
        last = &feature;
        switch (feature.kind) {
            case Kind::kWords:
                result.values.push_back(words[feature.place]);
                break;
            case Kind::kList:
                result.values.push_back(lists[feature.place]);
                break;
            case Kind::kKnown:
                result.values.push_back(has_topic_model(model_, feature.name, false)
                                            ? topics.topics_of(feature.name, terms).known
                                            : 1);
                break;
            case Kind::kTopic:
                if (!goes_on) folded = topics.topics_of(feature.name, terms);
                if (feature.place >= folded.vector.size()) {
                    fail_for(
                        numbered(kTopic, feature.name, feature.place),
                        fmt::format("but the topic model has {} dimensions", folded.vector.size()));
                }
                result.values.push_back(static_cast<double>(folded.vector[feature.place]));
                break;
            case Kind::kEmbedding:
                if (!goes_on) embedding = &embedding_of(feature, inputs);
                result.values.push_back(static_cast<double>((*embedding)[feature.place]));
                break;
        }
    }
    return result;
}

}  // namespace braid
