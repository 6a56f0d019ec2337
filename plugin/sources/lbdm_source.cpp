// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/lbdm_source.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

void check_topics(const LbdmQuery& query, const LbdmWord& word) {
    if (!word.topics.empty() && word.topics.size() != query.dimensions) {
        throw InvalidArgument(fmt::format("LbdmSource: {} has {} topics, expected {}", word.term,
                                          word.topics.size(), query.dimensions));
    }
    for (const float share : word.topics) {
        if (!std::isfinite(share) || share < 0) {
            throw InvalidArgument(
                fmt::format("LbdmSource: {} has p(w|z) {}, expected 0 or more", word.term, share));
        }
    }
}

}  // namespace

void validate(const LbdmQuery& query) {
    if (query.chains == 0 || query.dimensions == 0 || query.dimensions % query.chains != 0) {
        throw InvalidArgument(
            fmt::format("LbdmSource: {} dimensions of {} chains, expected as "
                        "many of each chain",
                        query.dimensions, query.chains));
    }
    const auto check = [](const char* name, double value, double minimum, double maximum) {
        check_number("LbdmSource", name, value, minimum, maximum);
    };
    check("lambda", query.settings.lambda, 1e-6, 1);
    check("mu", query.settings.mu, 1e-3, 1e9);
    check("longest", query.longest, 1, kMostOccurrences);
    check("words per unit of length", query.length_scale, 1e-12, 1);
    for (const LbdmWord& word : query.words) {
        check_word("LbdmSource", word);
        check_topics(query, word);
    }
}

namespace {

void write(ByteWriter& out, const LbdmQuery& query) {
    write_topic_slot(out, query.model);
    out.varint(query.dimensions);
    out.varint(query.chains);
    out.real(query.settings.lambda);
    out.real(query.settings.mu);
    out.real(query.longest);
    out.real(query.length_scale);
    out.varint(query.words.size());
    for (const LbdmWord& word : query.words) {
        write_word(out, word);
        out.floats(word.topics);
    }
}

LbdmQuery read_lbdm_query(ByteReader& in) {
    LbdmQuery query;
    query.model = read_topic_slot(in);
    // A vector longer than a value of Xapian's can be is no vector of a document.
    query.dimensions = in.varint_in("dimensions", 1, std::numeric_limits<std::uint32_t>::max());
    query.chains = in.varint_in("chains", 1, query.dimensions);
    query.settings.lambda = in.finite_real("lambda");
    query.settings.mu = in.finite_real("mu");
    query.longest = in.finite_real("longest");
    query.length_scale = in.finite_real("words per unit of length");
    query.words.resize(in.count("words", 18));
    for (LbdmWord& word : query.words) {
        read_word(in, word);
        word.topics = in.floats("topics");
    }
    return query;
}

double product(std::span<const float> word, std::span<const double> document) {
    // Four sums, so that no addition waits for the one before.
    double sums[4] = {};
    std::size_t k = 0;
    for (; k + 4 <= word.size(); k += 4) {
        for (std::size_t i = 0; i < 4; ++i) {
            sums[i] += static_cast<double>(word[k + i]) * document[k + i];
        }
    }
    for (; k < word.size(); ++k) sums[0] += static_cast<double>(word[k]) * document[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The most that any mixture of topics gives the word: all of a chain's best.
double best_topics(const LbdmWord& word, std::size_t chains) {
    const std::size_t topics = word.topics.size() / chains;
    double sum = 0;
    for (auto at = word.topics.begin(); at != word.topics.end();) {
        const auto end = at + static_cast<std::ptrdiff_t>(topics);
        sum += *std::max_element(at, end);
        at = end;
    }
    return sum / static_cast<double>(chains);
}

double number(Xapian::termcount value) { return static_cast<double>(value); }

// By how much ranges are wider than their formulas, for rounding.
constexpr double kSlack = 1e-9;
constexpr float kFloatSlack = 1e-5F;
// Of a word's share in a document, whose vector the score decodes to floats.
constexpr double kShareSlack = 1e-6;

}  // namespace

// What all copies of a source share.
struct LbdmSource::Plan {
    Plan(LbdmQuery the_query, double the_weight)
        : query(std::move(the_query)), tag(topic_model_tag(query.model.id)), weight(the_weight) {
        validate(query);
        topical = std::any_of(query.words.begin(), query.words.end(),
                              [](const LbdmWord& word) { return !word.topics.empty(); });
        require_weight(weight, "LbdmSource");
        for (const LbdmWord& word : query.words) {
            const LbdmTerm absent{word.count, 0, word.collection_share, 0};
            floors.push_back(lbdm_probability(query.settings, absent, query.longest));
        }
    }

    double gain(std::size_t i, double count, double length, double topics) const {
        const LbdmWord& word = query.words[i];
        const LbdmTerm term{word.count, count, word.collection_share, topics};
        const double probability =
            lbdm_probability(query.settings, term, std::min(length, query.longest));
        return word.count * std::log(probability / floors[i]);
    }

    LbdmQuery query;
    std::uint8_t tag;
    double weight;
    bool topical = false;        ///< Whether the model knows any word.
    std::vector<double> floors;  ///< The least p(w|d) of each word.
    mutable std::atomic<std::uint64_t> damaged = 0;
};

LbdmSource::LbdmSource() : LbdmSource(LbdmQuery{.model = {"0000000000000000", 0}}, 0) {}

LbdmSource::LbdmSource(LbdmQuery query, double weight, std::vector<Xapian::Database> sidecars)
    : LbdmSource(std::make_shared<const Plan>(std::move(query), weight), std::move(sidecars)) {}

LbdmSource::LbdmSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars)
    : plan_(std::move(plan)),
      sidecars_(std::move(sidecars)),
      components_(plan_->topical ? plan_->query.dimensions : 0),
      topics_(components_.size()) {}

LbdmSource::~LbdmSource() = default;

const LbdmQuery& LbdmSource::query() const { return plan_->query; }

// Decodes p(z|d), every chain's sum 1 / chains; false where there is none.
bool LbdmSource::open_topics(std::string_view value) noexcept {
    const LbdmQuery& query = plan_->query;
    const std::optional<StoredVector> stored = try_open_vector(value, query.dimensions);
    if (!stored && !value.empty()) plan_->damaged.fetch_add(1, std::memory_order_relaxed);
    if (!stored || stored->info.model_tag != plan_->tag) return false;
    decode_vector(*stored, components_);
    const std::size_t topics = query.dimensions / query.chains;
    for (std::size_t first = 0; first < query.dimensions; first += topics) {
        double length = 0;
        for (std::size_t k = first; k < first + topics; ++k) {
            if (!std::isfinite(components_[k]) || components_[k] < 0) return false;
            length += static_cast<double>(components_[k]);
        }
        const double factor = length > 0 ? 1 / (length * static_cast<double>(query.chains)) : 0;
        for (std::size_t k = first; k < first + topics; ++k) {
            topics_[k] = static_cast<double>(components_[k]) * factor;
        }
    }
    return true;
}

std::uint64_t LbdmSource::damaged() const noexcept { return plan_->damaged; }

double LbdmSource::score(std::span<const double> counts, double length,
                         std::string_view value) noexcept {
    const LbdmQuery& query = plan_->query;
    if (!(length > 0)) return 0;
    const bool has_topics = plan_->topical && open_topics(value);
    double sum = 0;
    for (std::size_t i = 0; i < query.words.size(); ++i) {
        const double topics = has_topics ? product(query.words[i].topics, topics_) : 0;
        sum += plan_->gain(i, counts[i], query.length_scale * length, topics);
    }
    return std::max(sum, 0.0);
}

// A word's gain grows with its count also where the document is made of nothing else, as
// length_scale and p(w|C) are at most 1.
double LbdmSource::word_most(const Xapian::Database& database, std::size_t i) const {
    const LbdmQuery& query = plan_->query;
    const LbdmWord& word = query.words[i];
    const double shortest = std::max(1.0, number(database.get_doclength_lower_bound()));
    const double longest = number(database.get_doclength_upper_bound());
    const double count = std::min(number(database.get_wdf_upper_bound(word.term)), longest);
    const double length = query.length_scale * std::max(shortest, count);
    return plan_->gain(i, count, length, best_topics(word, query.chains));
}

double LbdmSource::bound(const Xapian::Database& database) const {
    const LbdmQuery& query = plan_->query;
    double sum = 0;
    double slack = 0;
    for (std::size_t i = 0; i < query.words.size(); ++i) {
        sum += word_most(database, i);
        slack += kBoundRoundingShare * query.words[i].count;  // Within each logarithm.
    }
    return std::max(0.0, kBoundRounding * (sum + slack));
}

void LbdmSource::init(const Xapian::Database& shard) {
    const LbdmQuery& query = plan_->query;
    const Xapian::Database holder = topic_holder(shard, sidecars_, query.model.id, "LbdmSource");
    set_maxweight(possible_bound(plan_->weight * bound(shard), name()));
    set_other_range(shard);
    holder_ = holder;
    const bool any = !query.words.empty() && plan_->weight > 0;
    begin(shard, holder, query.model.slot, any);
    if (!any) return;
    word_postings_.clear();
    for (const LbdmWord& word : query.words) {
        word_postings_.push_back({shard.postlist_begin(word.term), shard.postlist_end(word.term)});
    }
    counts_.resize(query.words.size());
}

double LbdmSource::weigh(Xapian::docid docid, Xapian::termcount length, std::string_view value) {
    if (table_.table == nullptr) table_.count_read();
    for (std::size_t i = 0; i < word_postings_.size(); ++i) {
        auto& [at, end] = word_postings_[i];
        if (at != end) at.skip_to(docid);
        counts_[i] = at != end && *at == docid ? number(at.get_wdf()) : 0;
    }
    return plan_->weight * score(counts_, number(length), value);
}

// A document without the words; and what each word may add.
void LbdmSource::set_other_range(const Xapian::Database& shard) {
    const LbdmQuery& query = plan_->query;
    const double shortest = std::max(1.0, number(shard.get_doclength_lower_bound()));
    const double longest = std::max(shortest, number(shard.get_doclength_upper_bound()));
    double most = 0;
    double least = 0;
    lifts_.clear();
    for (std::size_t i = 0; i < query.words.size(); ++i) {
        const double topics = best_topics(query.words[i], query.chains);
        const double without = plan_->gain(i, 0, query.length_scale * shortest, topics);
        most += without;
        least += plan_->gain(i, 0, query.length_scale * longest, 0);
        const double lift = plan_->weight * std::max(0.0, word_most(shard, i) - without);
        lifts_.push_back(static_cast<float>(lift) * (1 + kFloatSlack) + kFloatSlack);
    }
    // An empty document has 0.
    const bool has_empty = shard.get_doclength_lower_bound() == 0;
    other_ = {has_empty ? 0 : plan_->weight * std::max(0.0, (1 - kSlack) * least),
              plan_->weight * (1 + kSlack) * std::max(0.0, most)};
}

bool LbdmSource::prepare_ranges(const Xapian::Database& shard, bool now) {
    const LbdmQuery& query = plan_->query;
    if (tables() == nullptr || postings() == nullptr || query.words.empty()) return false;
    table_ = tables()->topics(holder_, query.model, query.dimensions);
    lengths_ = tables()->lengths(shard);
    if (lengths_.table == nullptr && now) lengths_ = tables()->lengths(shard, true);
    if (table_.table == nullptr && now) {
        table_ = tables()->topics(holder_, query.model, query.dimensions, true);
    }
    if (table_.table == nullptr || lengths_.table == nullptr) return false;
    std::vector<std::string_view> terms;
    for (const LbdmWord& word : query.words) terms.emplace_back(word.term);
    words_ = postings()->find(shard, terms, lengths_.table.get(), true);
    products_.clear();
    const std::vector<float> ones(query.dimensions, 1.0F);
    for (const LbdmWord& word : query.words) {
        products_.emplace_back(word.topics.empty() ? ones : word.topics);
    }
    products_.emplace_back(ones);
    return std::all_of(words_.begin(), words_.end(),
                       [](const PostingAccess& access) { return access.table != nullptr; });
}

std::size_t LbdmSource::range_cost() const {
    return plan_->query.dimensions * (plan_->query.words.size() + 1);
}

void LbdmSource::lift(std::span<float> lifts) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const PostingTable& postings = *words_[i].table;
        for (std::size_t place = 0; place < postings.size(); ++place) {
            const Xapian::docid docid = postings.docid(place);
            if (docid < lifts.size()) lifts[docid] += lifts_[i];
        }
    }
}

void LbdmSource::ranges(std::span<const Xapian::docid> documents, std::span<PartRange> result) {
    const LbdmQuery& query = plan_->query;
    std::vector<std::size_t> places(words_.size());
    std::vector<double> best;
    for (const LbdmWord& word : query.words) best.push_back(best_topics(word, query.chains));
    // Each of the ones has the same error, and so has a sum by them, relative.
    const double of_total = products_.back().error_bound(VectorCoding::kUnsigned8) /
                            std::sqrt(static_cast<double>(query.dimensions));
    for (std::size_t d = 0; d < documents.size(); ++d) {
        const Xapian::termcount known = lengths_.table->length(documents[d]);
        if (known == LengthTable::kUnknown || known == 0) {
            result[d] = {0, get_maxweight()};
            continue;
        }
        const double length = query.length_scale * number(known);
        // p(z|d) of one chain has the sum 1: with several each would have a sum of its own.
        const std::uint32_t row = table_.table->row(documents[d]);
        const bool has_topics = row != TopicTable::kNoRow;
        double total = 0;
        StoredVector stored;
        if (has_topics && query.chains == 1 && table_.table->is_sound(row)) {
            stored = table_.table->vector(row);
            const bool is_unsigned = stored.info.coding == VectorCoding::kUnsigned8;
            total = is_unsigned ? products_.back().dot(stored) : 0;
        }
        PartRange sum;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const PostingTable& postings = *words_[i].table;
            places[i] = postings.find(places[i], documents[d]);
            const bool has = postings.docid(places[i]) == documents[d];
            const double count = has ? number(postings.occurrences(places[i])) : 0;
            PartRange topics{0, has_topics ? best[i] : 0};
            if (total > 0 && topics.most > 0) {
                // The vector is no longer than its sum, nor the error larger than its share of it.
                const double share = products_[i].dot(stored) / total;
                const double error =
                    products_[i].error_bound(stored.info.coding) + (kShareSlack + of_total) * share;
                topics = {std::max(0.0, share - error), std::min(best[i], share + error)};
            }
            sum.most += plan_->gain(i, count, length, topics.most);
            sum.least += plan_->gain(i, count, length, topics.least);
        }
        result[d] = {plan_->weight * std::max(0.0, (1 - kSlack) * sum.least),
                     plan_->weight * std::max(0.0, (1 + kSlack) * sum.most)};
    }
}

LbdmSource* LbdmSource::clone() const {
    auto* const copy = new LbdmSource(plan_, sidecars_);
    copy->use_memory_of(*this);
    return copy;
}

std::string LbdmSource::get_description() const {
    const LbdmQuery& query = plan_->query;
    return fmt::format("braid::LbdmSource(model={}, slot={}, words={}, weight={})", query.model.id,
                       query.model.slot, query.words.size(), plan_->weight);
}

void LbdmSource::write_bytes(ByteWriter& out) const {
    refuse_remote_sidecars(sidecars_, "LbdmSource: topic vectors");
    out.real(plan_->weight);
    write(out, plan_->query);
}

std::unique_ptr<LbdmSource> LbdmSource::read_bytes(ByteReader& in) const {
    const double weight = in.finite_real("weight");
    LbdmQuery query = read_lbdm_query(in);
    return std::make_unique<LbdmSource>(std::move(query), weight);
}

}  // namespace braid
