// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_sampler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/topics/lda_lanes.h"
#include "braid/error.h"

namespace braid {
namespace {

// How many tokens ahead a document's list is fetched: it lies anywhere, all else is in order.
constexpr std::uint64_t kPrefetch = 16;

float as_float(std::uint32_t count) { return static_cast<float>(static_cast<std::int32_t>(count)); }

}  // namespace

LdaCellSampler::LdaCellSampler(LdaState& state)
    : state_(state),
      alpha_(state.stride, 0),
      weights_(state.stride + 1, 0),
      inverse_(state.stride, 0),
      inverse_less_(state.stride, 0),
      blocks_(state.stride / kBlock, 0),
      products_((state.topics / TopicGroup::kSlots + 2) * TopicGroup::kSlots + 4, 0) {}

void LdaCellSampler::set_total(std::size_t topic, std::uint32_t total) {
    const auto eta_sum = static_cast<float>(eta_sum_);
    totals_[topic] = total;
    inverse_[topic] = 1 / (as_float(total) + eta_sum);
    inverse_less_[topic] = 1 / (as_float(total) - 1 + eta_sum);
}

void LdaCellSampler::sample(const LdaCell& cell, const LdaPriors& priors, double terms,
                            FastRandom random) {
    eta_ = static_cast<float>(priors.eta);
    eta_sum_ = priors.eta * terms;
    std::copy(priors.alpha.begin(), priors.alpha.end(), alpha_.begin());
    totals_ = state_.topic_counts;
    for (std::size_t k = 0; k < state_.topics; ++k) set_total(k, totals_[k]);
    std::uint64_t begin = cell.begin;
    for (std::size_t i = 0; i < cell.visits.size(); ++i) {
        const LdaVisit& visit = cell.visits[i];
        std::uint32_t* counts = state_.term_counts.data() + visit.term * state_.stride;
        begin_term(counts);
        if (i + 1 < cell.visits.size()) prefetch_term(cell.visits[i + 1].term);
        for (std::uint64_t token = begin; token < visit.end; ++token) {
            sample_token(counts, token, random);
        }
        begin = visit.end;
    }
}

/// The rows of all words exceed the caches.
void LdaCellSampler::prefetch_term(std::size_t term) const {
    constexpr std::size_t kCountsPerLine = 16;
    const std::uint32_t* const counts = state_.term_counts.data() + term * state_.stride;
    for (std::size_t k = 0; k < state_.stride; k += kCountsPerLine) __builtin_prefetch(counts + k);
}

void LdaCellSampler::begin_term(const std::uint32_t* counts) {
    float* const weights = weights_.data();
    const float* const inverse = inverse_.data();
    const float* const alpha = alpha_.data();
    for (std::size_t k = 0; k < state_.stride; ++k) {
        weights[k] = (as_float(counts[k]) + eta_) * inverse[k];
    }
    elsewhere_ = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        float sums[4] = {0, 0, 0, 0};
        for (std::size_t k = b * kBlock; k < (b + 1) * kBlock; k += 4) {
            for (std::size_t i = 0; i < 4; ++i) sums[i] += alpha[k + i] * weights[k + i];
        }
        blocks_[b] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        elsewhere_ += blocks_[b];
    }
}

inline void LdaCellSampler::sample_token(std::uint32_t* counts, std::uint64_t token,
                                         FastRandom& random) {
    const TopicGroup* ahead = state_.groups.data() + state_.list_of_token[token + kPrefetch];
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + 2);
    TopicGroup* const list = state_.groups.data() + state_.list_of_token[token];
    const std::uint16_t own = state_.topic_of_token[token];
    // (4) leaves the token itself out of all counts.
    const float with_own = weights_[own];
    const float without = (as_float(counts[own] - 1) + eta_) * inverse_less_[own];
    weights_[own] = without;
    const double own_change = static_cast<double>(alpha_[own]) * (without - with_own);
    const std::uint16_t topic = draw(list, own, own_change, random);
    weights_[own] = with_own;
    if (topic == own) return;
    state_.topic_of_token[token] = topic;
    remove_topic(list, own, state_.unused());
    move(counts, own, topic, with_own);
}

/// Draws a topic and, where it is not `own`, adds it to the list.
inline std::uint16_t LdaCellSampler::draw(TopicGroup* list, std::uint16_t own, double own_change,
                                          FastRandom& random) {
    using Lanes = LdaLanes;
    float* const products = products_.data();
    auto sum = Lanes::zero();
    std::size_t groups = 0;
    do {
        Lanes::multiply(list[groups], own, weights_.data(), products + groups * TopicGroup::kSlots,
                        sum);
    } while (list[groups++].topics.back() != state_.unused());
    alignas(16) float before[12];
    const auto prefix = Lanes::prefix(sum);
    before[3] = 0;
    Lanes::store(prefix, before + 4);
    const float document = before[11];
    for (;;) {
        const double u = random.uniform() * (document + elsewhere_ + own_change);
        if (u < document) {
            const auto bound = static_cast<float>(u);
            const unsigned lane = Lanes::first_above(prefix, bound);
            const float rest = bound - before[lane + 3];
            const float* const product = products + lane;
            std::size_t group = 0;
            float passed = 0;
            for (std::size_t g = 0; g + 1 < groups; ++g) {
                passed += product[g * TopicGroup::kSlots];
                group += rest >= passed ? 1 : 0;
            }
            // Rounding may end at a slot of weight 0: draw again.
            if (product[group * TopicGroup::kSlots] == 0) continue;
            const std::uint16_t topic = list[group].topics[lane];
            if (topic != own) ++list[group].counts[lane];
            return topic;
        }
        const std::size_t topic = draw_elsewhere(u - document, own, own_change);
        if (topic >= state_.topics) continue;
        const auto drawn = static_cast<std::uint16_t>(topic);
        if (drawn != own) add_topic(list, drawn, state_.unused());
        return drawn;
    }
}

/// The topic at `u` of the sums of alpha * weight, or state_.topics where rounding leads beyond.
std::size_t LdaCellSampler::draw_elsewhere(double u, std::uint16_t own, double own_change) {
    const std::size_t own_block = own / kBlock;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const double sum = blocks_[b] + (b == own_block ? own_change : 0);
        if (u >= sum) {
            u -= sum;
            continue;
        }
        auto rest = static_cast<float>(u);
        for (std::size_t k = b * kBlock; k < (b + 1) * kBlock; ++k) {
            const float weight = alpha_[k] * weights_[k];
            if (rest < weight) return k;
            rest -= weight;
        }
        return state_.topics;
    }
    return state_.topics;
}

inline void LdaCellSampler::move(std::uint32_t* counts, std::uint16_t from, std::uint16_t to,
                                 float from_weight) {
    set_total(from, totals_[from] - 1);
    weights_[from] = (as_float(--counts[from]) + eta_) * inverse_[from];
    const double loss = static_cast<double>(alpha_[from]) * (weights_[from] - from_weight);
    const float to_weight = weights_[to];
    set_total(to, totals_[to] + 1);
    weights_[to] = (as_float(++counts[to]) + eta_) * inverse_[to];
    const double gain = static_cast<double>(alpha_[to]) * (weights_[to] - to_weight);
    blocks_[from / kBlock] += loss;
    blocks_[to / kBlock] += gain;
    elsewhere_ += loss + gain;
}

namespace {

constexpr std::size_t kRowBlock = 16;
constexpr std::size_t kLookAhead = 16;  // Tokens that the cell sampler reads beyond its own.

}  // namespace

LdaSampler::LdaSampler(LdaCorpus corpus, std::size_t topics, std::uint64_t seed)
    : corpus_(std::move(corpus)), seed_(seed) {
    if (topics == 0 || topics > kMaxTopics) {
        throw InvalidArgument(fmt::format("lda: {} topics, expected 1 to {}", topics, kMaxTopics));
    }
    state_.topics = topics;
    state_.stride = (topics + kRowBlock - 1) / kRowBlock * kRowBlock;
    initialise(seed);
    for (std::size_t b = 0; b < corpus_.blocks; ++b) cell_samplers_.emplace_back(state_);
}

void LdaSampler::initialise(std::uint64_t seed) {
    std::size_t groups = 0;
    for (const std::uint32_t length : corpus_.part_lengths) {
        list_of_part_.push_back(static_cast<std::uint32_t>(groups));
        groups += groups_needed(length, state_.topics);
    }
    if (groups > std::numeric_limits<std::uint32_t>::max()) {
        throw InvalidArgument(
            fmt::format("lda: {} tokens of {} documents need {} topic groups, "
                        "expected below 2^32",
                        corpus_.tokens(), corpus_.documents, groups));
    }
    TopicGroup empty{};
    empty.topics.fill(state_.unused());
    state_.groups.assign(groups, empty);
    state_.term_counts.assign(corpus_.terms * state_.stride, 0);
    state_.topic_counts.assign(state_.topics, 0);
    state_.topic_of_token.resize(corpus_.tokens());
    state_.list_of_token.assign(corpus_.tokens() + kLookAhead, 0);

    FastRandom random(seed);
    for (const LdaCell& cell : corpus_.cells) {
        std::uint64_t token = cell.begin;
        for (const LdaVisit& visit : cell.visits) {
            for (; token < visit.end; ++token) {
                const auto topic = static_cast<std::uint16_t>(
                    random.below(static_cast<std::uint32_t>(state_.topics)));
                const std::uint32_t list = list_of_part_[corpus_.part_of_token[token]];
                state_.topic_of_token[token] = topic;
                state_.list_of_token[token] = list;
                add_topic(&state_.groups[list], topic, state_.unused());
                ++state_.term_counts[visit.term * state_.stride + topic];
                ++state_.topic_counts[topic];
            }
        }
    }
    corpus_.part_of_token = {};
}

void LdaSampler::sweep(const LdaPriors& priors, Executor& executor) {
    const std::size_t blocks = corpus_.blocks;
    const auto terms = static_cast<double>(corpus_.terms);
    for (std::size_t diagonal = 0; diagonal < blocks; ++diagonal) {
        executor.run(blocks, [&](std::size_t block) {
            const LdaCell& cell = corpus_.cells[block * blocks + (block + diagonal) % blocks];
            cell_samplers_[block].sample(cell, priors, terms, FastRandom(seed_, streams_ + block));
        });
        streams_ += blocks;
        for (std::size_t k = 0; k < state_.topics; ++k) {
            std::uint32_t change = 0;
            for (const LdaCellSampler& sampler : cell_samplers_) change += sampler.change(k);
            state_.topic_counts[k] += change;
        }
    }
}

void LdaSampler::for_each_topic(
    const std::function<void(std::size_t, std::size_t, std::uint32_t)>& visit) const {
    for (std::size_t part = 0; part < list_of_part_.size(); ++part) {
        const TopicGroup* group = &state_.groups[list_of_part_[part]];
        for (;; ++group) {
            for (std::size_t i = 0; i < TopicGroup::kSlots; ++i) {
                if (group->counts[i] > 0) visit(part, group->topics[i], group->counts[i]);
            }
            if (group->topics.back() == state_.unused()) break;
        }
    }
}

}  // namespace braid
