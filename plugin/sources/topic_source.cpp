// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/topic_source.h"

#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/error.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
// What all copies of a source share.
struct TopicSource::Plan {
    Plan(TopicSlot the_model, std::span<const float> vector, double the_weight)
        : model(std::move(the_model)),
          tag(topic_model_tag(model.id)),
          query(vector),
          weight(the_weight) {
        require_weight(weight, "TopicSource");
        for (const float value : vector) empty = empty && value == 0;
    }

    TopicSlot model;
    std::uint8_t tag;
    QueryVector query;
    double weight;
    bool empty = true;
    mutable std::atomic<std::uint64_t> damaged = 0;
};

TopicSource::TopicSource() : TopicSource({"0000000000000000", 0}, {}, 0) {}

TopicSource::TopicSource(TopicSlot model, std::span<const float> query, double weight,
                         std::vector<Xapian::Database> sidecars)
    : TopicSource(std::make_shared<const Plan>(std::move(model), query, weight),
                  std::move(sidecars)) {}

TopicSource::TopicSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars)
    : SentSource(plan->model.slot), plan_(std::move(plan)), sidecars_(std::move(sidecars)) {}

TopicSource::~TopicSource() = default;

double TopicSource::similarity(const std::string& value) const noexcept {
    const std::optional<StoredVector> stored = try_open_vector(value, plan_->query.dimensions());
    if (!stored && !value.empty()) plan_->damaged.fetch_add(1, std::memory_order_relaxed);
    if (!stored || stored->info.model_tag != plan_->tag) return 0;
    const double cosine = plan_->query.dot(*stored);
    return cosine > 0 ? std::min(cosine, 1.0) : 0;
}

std::uint64_t TopicSource::damaged() const noexcept { return plan_->damaged; }

void TopicSource::init(const Xapian::Database& shard) {
    const Xapian::Database holder = topic_holder(shard, sidecars_, plan_->model.id, "TopicSource");
    documents_ = {};
    guarded_ = !sidecars_.empty();
    if (guarded_) {
        // The user's database may have lost documents that its sidecar still has.
        documents_ = shard.postlist_begin("");
        documents_end_ = shard.postlist_end("");
    }
    begin(holder);
    set_termfreq_min(0);
    set_maxweight(plan_->empty ? 0 : possible_bound(kBoundRounding * plan_->weight, name()));
    if (plan_->empty || !(plan_->weight > 0)) done();
}

double TopicSource::weigh() {
    const double weight = plan_->weight * similarity(get_value());
    if (!(weight > 0) || !guarded_) return weight;
    if (documents_ != documents_end_) documents_.skip_to(get_docid());
    return documents_ != documents_end_ && *documents_ == get_docid() ? weight : 0;
}

TopicSource* TopicSource::clone() const { return new TopicSource(plan_, sidecars_); }

std::string TopicSource::get_description() const {
    return fmt::format("braid::TopicSource(model={}, slot={}, weight={})", plan_->model.id,
                       plan_->model.slot, plan_->weight);
}

void TopicSource::write_bytes(ByteWriter& out) const {
    refuse_remote_sidecars(sidecars_, "TopicSource: topic vectors");
    write_topic_slot(out, plan_->model);
    out.real(plan_->weight);
    out.floats(plan_->query.values());
}

std::unique_ptr<TopicSource> TopicSource::read_bytes(ByteReader& in) const {
    TopicSlot model = read_topic_slot(in);
    const double weight = in.finite_real("weight");
    const std::vector<float> query = in.floats("vector");
    return std::make_unique<TopicSource>(std::move(model), query, weight);
}

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
