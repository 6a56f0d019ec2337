// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/vector_source.h"

#include <cmath>

#include <fmt/format.h>

#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

std::vector<float> scaled_to_one(std::span<const float> vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    if (!std::isfinite(squares)) {
        throw InvalidArgument("the query's vector has a component that is not finite");
    }
    const double length = std::sqrt(squares);
    std::vector<float> result(vector.begin(), vector.end());
    for (float& x : result) x = length > 0 ? static_cast<float>(x / length) : 0.0F;
    return result;
}

std::unique_ptr<VectorSource> make_vector_source(const Xapian::Database& database,
                                                 const std::string& name,
                                                 std::span<const float> query, double weight,
                                                 const std::vector<Xapian::Database>& sidecars) {
    const Xapian::Database& holder = sidecars.empty() ? database : sidecars.front();
    const TopicModelIdentity identity = find_topic_model(holder, name);
    const TopicRecord record = load_topic_record(holder, identity.id);
    if (record.header.model != kVectorsModel) {
        throw ModelMismatch(
            fmt::format("'{}' is a topic model of the kind {}, which makes a "
                        "query's vector of its words",
                        name, record.header.model));
    }
    if (query.size() != record.header.dimensions) {
        throw InvalidArgument(fmt::format("the query's vector '{}' has {} components, expected {}",
                                          name, query.size(), record.header.dimensions));
    }
    return std::make_unique<VectorSource>(TopicSlot{identity.id, record.slot}, scaled_to_one(query),
                                          weight, sidecars);
}

std::unique_ptr<Xapian::PostingSource> topic_source(const Xapian::Database& database,
                                                    const std::string& name,
                                                    const Xapian::Query& text, double weight,
                                                    const std::vector<Xapian::Database>& sidecars) {
    const Xapian::Database& holder = sidecars.empty() ? database : sidecars.front();
    StoredTopicModel model(holder, find_topic_model(holder, name));
    const TopicRecord& record = model.record();
    if (record.header.model == kVectorsModel) {
        throw ModelMismatch(fmt::format(
            "'{}' are vectors that something else made: a query has none of its words", name));
    }
    const Xapian::Stem stem(record.stemmer.empty() ? "none" : record.stemmer);
    const FoldedText folded = model.fold(query_words(text, record, stem));
    return std::make_unique<TopicSource>(TopicSlot{model.identity().id, record.slot}, folded.vector,
                                         weight, sidecars);
}

std::unique_ptr<Xapian::PostingSource> vector_source(
    const Xapian::Database& database, const std::string& name, std::span<const float> query,
    double weight, const std::vector<Xapian::Database>& sidecars) {
    return make_vector_source(database, name, query, weight, sidecars);
}

std::unique_ptr<Xapian::PostingSource> value_source(const ValuePrior& prior, double weight) {
    return std::make_unique<ValueRanker>(prior, weight);
}

}  // namespace braid
