// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/fused_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/vector_sums.h"
#include "braid/core/model/ensemble.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/sources/bag_matcher.h"
#include "braid/plugin/sources/similar_documents.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

// Whether a shard keeps records shows once the source is there.
std::string why_not_model(const FusionModel& lexical) {
    return why_not_served(Server::kSource, lexical, {.records = true});
}

// Throws unless the bag's parts are those that the model's rankers take.
template <typename Part>
void require_parts(std::vector<std::string> taken, const std::vector<Part>& parts,
                   fmt::format_string<const std::string&> not_taken,
                   fmt::format_string<const std::string&> missing) {
    const auto refuse = [](fmt::string_view problem, const std::string& name) {
        throw InvalidArgument(fmt::vformat(problem, fmt::make_format_args(name)));
    };
    for (const Part& part : parts) {
        if (std::erase(taken, part.name) == 0) refuse(not_taken, part.name);
    }
    if (!taken.empty()) refuse(missing, taken.front());
}

// Statistics of each field that the model scores, in the bag's order.
std::vector<FieldEnsemble> field_ensembles(const FusionModel& lexical, const BagOfWords& bag) {
    require_parts(scored_fields(lexical), bag.fields,
                  "FusedSource: no ranker of the model scores the field '{}' of the query",
                  "FusedSource: a ranker scores the field '{}' alone, and the query comes without "
                  "that field's statistics (read_bag_of_words takes them)");
    std::vector<FieldEnsemble> ensembles;
    for (const BagField& field : bag.fields) {
        ensembles.push_back(
            {field.name, std::make_unique<const LexicalEnsemble>(field_part(lexical, field.name))});
    }
    return ensembles;
}

// Of each list of fields that the model's rankers weigh together, in the bag's order.
std::vector<std::unique_ptr<const LexicalEnsemble>> blend_ensembles(const FusionModel& lexical,
                                                                    const BagOfWords& bag) {
    require_parts(blended_fields(lexical), bag.blends,
                  "FusedSource: no ranker of the model weighs the fields '{}' of the query",
                  "FusedSource: a ranker weighs the fields '{}', whose prefixes the query comes "
                  "without (make_blend finds them)");
    std::vector<std::unique_ptr<const LexicalEnsemble>> ensembles;
    for (const BagBlend& blend : bag.blends) {
        ensembles.push_back(
            std::make_unique<const LexicalEnsemble>(blend_part(lexical, blend.name)));
    }
    return ensembles;
}

struct PreparedTopic {
    TopicSlot model;
    std::shared_ptr<const QueryVector> query;
    double weight = 0;
    std::uint8_t tag = 0;
    bool empty = true;  ///< Nothing is similar to the query.
};

PreparedTopic prepare(const FusedTopic& given) {
    require_weight(given.weight, "FusedSource: topic model " + given.model.id);
    PreparedTopic topic{given.model, std::make_shared<const QueryVector>(given.query), given.weight,
                        topic_model_tag(given.model.id)};
    for (const float value : given.query) topic.empty = topic.empty && value == 0;
    topic.empty = topic.empty || !(given.weight > 0);
    return topic;
}

struct PreparedProximity {
    std::shared_ptr<const ProximityQuery> query;
    double weight = 0;
};

PreparedProximity prepare(FusedProximity given, const BagOfWords& bag) {
    require_weight(given.weight, "FusedSource: proximity");
    if (given.query.terms() != bag.terms.size()) {
        throw InvalidArgument(
            fmt::format("FusedSource: proximity of {} terms, expected the bag's {}",
                        given.query.terms(), bag.terms.size()));
    }
    return {std::make_shared<const ProximityQuery>(std::move(given.query)), given.weight};
}

TopicFinding read_finding(ByteReader& in) {
    TopicFinding finding;
    finding.floor = in.finite_real("floor");
    finding.best = in.varint("results");
    finding.most_clusters = in.varint("clusters");
    finding.others_only = in.flag("others only");
    return finding;
}

}  // namespace

// What all copies of a source share.
struct FusedSource::Plan {
    Plan(const FusionModel& model, BagOfWords the_bag, const std::vector<FusedTopic>& the_topics,
         std::vector<FusedProximity> the_proximities)
        : lexical(lexical_part(model)), bag(std::move(the_bag)) {
        const std::string reason = why_not_model(lexical);
        if (!reason.empty()) throw InvalidArgument(reason);
        const FusionModel whole = field_part(lexical, "");
        if (has_weight(whole)) ensemble.emplace(whole);
        fields = field_ensembles(lexical, bag);
        blends = blend_ensembles(lexical, bag);
        for (const FusedTopic& topic : the_topics) topics.push_back(prepare(topic));
        for (FusedProximity& proximity : the_proximities) {
            proximities.push_back(prepare(std::move(proximity), bag));
        }
    }

    FusionModel lexical;
    std::optional<LexicalEnsemble> ensemble;
    BagOfWords bag;
    std::vector<FieldEnsemble> fields;
    std::vector<std::unique_ptr<const LexicalEnsemble>> blends;
    std::vector<PreparedTopic> topics;
    std::vector<PreparedProximity> proximities;
    /// Keyed by UUID and revision of the shard. Belongs to the thread of the source and its copies.
    mutable std::map<std::pair<std::string, std::uint64_t>, FoundSimilar> found;
};

// What belongs to one shard.
struct FusedSource::State {
    BagMatcher matcher;
    Xapian::docid position = 0;  ///< The last document looked at.
    bool valid = false;          ///< It matches.
    bool ended = false;
};

FusedSource::FusedSource() : FusedSource(FusionModel{}, {}) {}

FusedSource::FusedSource(const FusionModel& model, BagOfWords bag,
                         const std::vector<FusedTopic>& topics,
                         std::vector<Xapian::Database> sidecars,
                         std::vector<FusedProximity> proximities)
    : FusedSource(
          std::make_shared<const Plan>(model, std::move(bag), topics, std::move(proximities)),
          std::move(sidecars), std::make_shared<FusedCounters>()) {}

FusedSource::FusedSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars,
                         std::shared_ptr<FusedCounters> counters)
    : plan_(std::move(plan)), sidecars_(std::move(sidecars)), counters_(std::move(counters)) {}

FusedSource::~FusedSource() = default;

std::string FusedSource::why_not(const Xapian::Query& query, const FusionModel& model) {
    const std::string reason = why_no_bag_of_words(query);
    if (!reason.empty()) return "the query is no bag of words: " + reason;
    return why_not_model(lexical_part(model));
}

void FusedSource::expect_beside(double most) {
    if (!(most >= 0) || !std::isfinite(most)) {
        throw InvalidArgument(fmt::format("FusedSource: {} beside it, expected 0 or more", most));
    }
    beside_ = most;
}

void FusedSource::use_tables(std::shared_ptr<VectorTables> tables) { tables_ = std::move(tables); }
void FusedSource::use_postings(std::shared_ptr<PostingTables> postings) {
    postings_ = std::move(postings);
}

const FusedCounters& FusedSource::counters() const { return *counters_; }

const Xapian::Database& FusedSource::holder_of_vectors(const Xapian::Database& shard) const {
    if (sidecars_.empty()) return shard;
    const Xapian::Database* sidecar = find_sidecar(sidecars_, shard.get_uuid());
    if (sidecar == nullptr) {
        throw Xapian::InvalidOperationError(fmt::format(
            "FusedSource: none of the {} sidecars was made for the database with the UUID {}",
            sidecars_.size(), shard.get_uuid()));
    }
    return *sidecar;
}

TopicAccess FusedSource::vectors_of(const Xapian::Database& holder, const TopicSlot& model,
                                    std::size_t dimensions, bool now) const {
    TopicAccess access;
    try {
        if (tables_ != nullptr) {
            access = tables_->topics(holder, model, dimensions, now);
        }
        if (now && access.table == nullptr) {
            const std::size_t any = std::numeric_limits<std::size_t>::max();
            access.table = TopicTable::load(holder, model, dimensions, any);
        }
    } catch (const Error& error) {
        throw Xapian::DatabaseCorruptError(error.what());
    }
    return access;
}

void FusedSource::init(const Xapian::Database& shard) {
    std::vector<TopicColumn> columns;
    std::vector<const PreparedTopic*> counting;
    for (const PreparedTopic& topic : plan_->topics) {
        const Xapian::Database& holder = holder_of_vectors(shard);
        if (holder.get_metadata(topic_key(topic.model.id, kTopicRecordEnding)).empty()) {
            throw Xapian::InvalidOperationError(fmt::format(
                "FusedSource: the database with the UUID {} doesn't hold the topic model {}; all "
                "shards must have the same models",
                holder.get_uuid(), topic.model.id));
        }
        if (topic.empty) continue;
        counting.push_back(&topic);
        columns.emplace_back(topic.query, topic.tag, topic.weight,
                             vectors_of(holder, topic.model, topic.query->dimensions(), false),
                             holder, topic.model.slot, *counters_);
    }
    ProximityColumns proximity;
    for (const PreparedProximity& given : plan_->proximities) {
        if (given.weight > 0) proximity.add(given.weight, ProximityScorer(given.query, shard));
    }
    LengthAccess lengths = tables_ == nullptr ? LengthAccess{} : tables_->lengths(shard);
    if (tables_ != nullptr && reads_all_ && lengths.table == nullptr) {
        lengths = tables_->lengths(shard, true);
    }
    state_ = std::make_unique<State>(State{{shard,
                                            plan_->bag,
                                            plan_->ensemble ? &*plan_->ensemble : nullptr,
                                            plan_->fields,
                                            plan_->blends,
                                            std::move(columns),
                                            std::move(proximity),
                                            {lengths, postings_, reads_all_},
                                            *counters_}});
    if (finding_) {
        const std::optional<ShardState> known = state_of(shard);
        const auto make_table = [=, this, shard = shard](std::size_t i) {
            const PreparedTopic& topic = *counting[i];
            return vectors_of(holder_of_vectors(shard), topic.model, topic.query->dimensions(),
                              true)
                .table;
        };
        state_->matcher.find_similar(
            *finding_, !sidecars_.empty(), make_table,
            known ? &plan_->found[{known->uuid, known->revision}] : nullptr);
    }
    state_->matcher.stop_at(limit_);
    if (filtered_ && !(finding_ && finding_->others_only)) state_->matcher.score_late();
    std::vector<std::string> fields;
    for (const FieldEnsemble& field : plan_->fields) fields.push_back(field.name);
    if (!fields.empty() || (plan_->ensemble && plan_->ensemble->needs_record())) {
        RecordReader records(shard, tables_.get(), fields);
        records.count_damage_in(counters_->damaged);
        state_->matcher.use_records(std::move(records));
    }
    set_maxweight(possible_bound(state_->matcher.bound() + beside_, name()));
}

BagMatcher& FusedSource::matcher() const { return state_->matcher; }

double FusedSource::get_weight() const { return state_->matcher.weight(); }

Xapian::docid FusedSource::get_docid() const { return state_->position; }

bool FusedSource::at_end() const { return state_->ended; }

void FusedSource::next(double min_weight) {
    State& state = *state_;
    if (ignores_least_) min_weight = 0;
    state.ended = state.ended || !state.matcher.next(state.position + 1, min_weight);
    state.valid = !state.ended;
    if (state.valid) state.position = state.matcher.docid();
}

void FusedSource::skip_to(Xapian::docid docid, double min_weight) {
    State& state = *state_;
    if (state.valid && docid <= state.position) return;
    state.position = std::max(state.position, docid - 1);
    next(min_weight);
}

// Where it may be to the right of an AND_MAYBE there is no "no": Xapian takes a source that
// answered so as standing at the document behind, unasked, and adds the weight of another to it.
// The other document costs a move of each list of postings: a quarter of a search where half of all
// documents pass the filter.
bool FusedSource::check(Xapian::docid docid, double min_weight) {
    State& state = *state_;
    if (ignores_least_) min_weight = 0;
    state.ended = state.ended || (limit_ != nullptr && limit_->is_over());
    if (state.ended || (state.valid && docid <= state.position)) return true;
    state.valid = docid > state.position && state.matcher.check(docid, min_weight);
    state.position = std::max(state.position, docid);
    if (state.valid || finding_ || filtered_) return state.valid;
    state.ended = !state.matcher.stand_behind();
    state.valid = !state.ended;
    if (state.valid) state.position = state.matcher.docid();
    return true;
}

Xapian::doccount FusedSource::get_termfreq_min() const {
    return finding_ && finding_->others_only ? 0 : state_->matcher.matches_min();
}
Xapian::doccount FusedSource::get_termfreq_est() const {
    return state_->matcher.matches_estimate();
}
Xapian::doccount FusedSource::get_termfreq_max() const {
    return finding_ ? state_->matcher.documents() : state_->matcher.matches_max();
}

FusedSource* FusedSource::clone() const {
    auto copy = std::unique_ptr<FusedSource>(new FusedSource(plan_, sidecars_, counters_));
    copy->tables_ = tables_;
    copy->postings_ = postings_;
    copy->filtered_ = filtered_;
    copy->ignores_least_ = ignores_least_;
    copy->reads_all_ = reads_all_;
    copy->beside_ = beside_;
    copy->finding_ = finding_;
    copy->limit_ = limit_;
    return copy.release();
}

std::string FusedSource::get_description() const {
    std::string terms;
    for (const BagTerm& term : plan_->bag.terms) {
        if (!terms.empty()) terms += plan_->bag.all ? " AND " : " OR ";
        terms += term.term;
    }
    return fmt::format("braid::FusedSource({}; {} rankers, {} topic models)", terms,
                       plan_->lexical.rankers.size(), plan_->topics.size());
}

void FusedSource::write_bytes(ByteWriter& out) const {
    refuse_remote_sidecars(sidecars_, "FusedSource: topic vectors");
    if (limit_ != nullptr) refuse_remote_time_limit();
    write_bag_of_words(out, plan_->bag);
    out.varint(plan_->topics.size());
    for (const PreparedTopic& topic : plan_->topics) {
        write_topic_slot(out, topic.model);
        out.real(topic.weight);
        out.floats(topic.query->values());
    }
    out.varint(plan_->proximities.size());
    for (const PreparedProximity& proximity : plan_->proximities) {
        out.real(proximity.weight);
        write_proximity_query(out, *proximity.query);
    }
    out.text(fusion_model_to_bytes(plan_->lexical));
    out.real(beside_);
    out.flag(ignores_least_);
    out.flag(finding_.has_value());
    if (finding_) {
        out.real(finding_->floor);
        out.varint(finding_->best);
        out.varint(finding_->most_clusters);
        out.flag(finding_->others_only);
    }
}

std::unique_ptr<FusedSource> FusedSource::read_bytes(ByteReader& in) const {
    BagOfWords bag = read_bag_of_words(in);
    std::vector<FusedTopic> topics(in.count("topic models", 11));
    for (FusedTopic& topic : topics) {
        topic.model = read_topic_slot(in);
        topic.weight = in.finite_real("weight");
        topic.query = in.floats("vector");
    }
    std::vector<FusedProximity> proximities(in.count("proximity rankers", 49));
    for (FusedProximity& proximity : proximities) {
        proximity.weight = in.finite_real("weight");
        proximity.query = read_proximity_query(in, bag.terms.size());
    }
    const FusionModel model = fusion_model_from_bytes(in.text("model"), name());
    const double beside = in.finite_real("beside");
    if (beside < 0) in.fail("beside", "is negative");
    const bool ignores_least = in.flag("ignores least weights");
    std::optional<TopicFinding> finding;
    if (in.flag("finding")) finding = read_finding(in);
    if (!(lexical_part(model) == model)) in.fail("model", "has rankers that aren't lexical");
    auto source = std::make_unique<FusedSource>(
        model, std::move(bag), topics, std::vector<Xapian::Database>(), std::move(proximities));
    source->beside_ = beside;
    source->ignores_least_ = ignores_least;
    source->finding_ = finding;
    source->tables_ = tables_;
    source->postings_ = postings_;
    return source;
}

}  // namespace braid
