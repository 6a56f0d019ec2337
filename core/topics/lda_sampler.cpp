// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_sampler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
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
