// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/topics/lda_lanes.h"
#include "braid/error.h"

namespace braid {
namespace {

std::uint64_t occurrences(float count) {
    return static_cast<std::uint64_t>(std::max(1.0F, std::round(count)));
}

std::uint64_t count_tokens(const TermDocumentCounts& counts) {
    double total = 0;
    for (const float count : counts.counts) total += std::max(1.0F, std::round(count));
    if (total >= 0x1p31) {
        throw InvalidArgument(fmt::format(
            "lda: the collection has {:.0f} occurrences of words, expected below 2^31", total));
    }
    return static_cast<std::uint64_t>(total);
}

/// Fills part_lengths and document_of_part; returns each document's first part.
std::vector<std::uint32_t> cut_documents(const TermDocumentCounts& counts, LdaCorpus& corpus) {
    std::vector<std::uint32_t> first_part(counts.documents());
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        std::uint64_t length = 0;
        for (const float count : counts.document(d).counts) length += occurrences(count);
        first_part[d] = static_cast<std::uint32_t>(corpus.part_lengths.size());
        const std::uint64_t parts = (length + LdaCorpus::kPartTokens - 1) / LdaCorpus::kPartTokens;
        for (std::uint64_t p = 0; p < parts; ++p) {
            const std::uint64_t part_length = (length + parts - 1 - p) / parts;
            corpus.part_lengths.push_back(static_cast<std::uint32_t>(part_length));
            corpus.document_of_part.push_back(static_cast<std::uint32_t>(d));
        }
    }
    return first_part;
}

/// Contiguous blocks of parts with about the same number of tokens.
std::vector<std::uint32_t> block_parts(const LdaCorpus& corpus, std::uint64_t tokens) {
    std::vector<std::uint32_t> block_of_part(corpus.part_lengths.size());
    std::uint64_t before = 0;
    for (std::size_t p = 0; p < block_of_part.size(); ++p) {
        block_of_part[p] = static_cast<std::uint32_t>(before * corpus.blocks / tokens);
        before += corpus.part_lengths[p];
    }
    return block_of_part;
}

/// The most frequent term first, each to the block that has the fewest tokens so far.
std::vector<std::uint32_t> block_terms(const std::vector<std::uint64_t>& frequencies,
                                       std::size_t blocks) {
    std::vector<std::uint32_t> order(frequencies.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return frequencies[a] > frequencies[b];
    });
    std::vector<std::uint32_t> block_of_term(frequencies.size());
    std::vector<std::uint64_t> loads(blocks, 0);
    for (const std::uint32_t term : order) {
        const auto lightest = std::min_element(loads.begin(), loads.end());
        block_of_term[term] = static_cast<std::uint32_t>(lightest - loads.begin());
        *lightest += frequencies[term];
    }
    return block_of_term;
}

/// Calls `visit(term, part)` for each token, by document, then by term. The tokens of a document
/// that is cut are dealt to its parts in turn.
template <typename Visit>
void for_each_token(const TermDocumentCounts& counts, const std::vector<std::uint32_t>& first_part,
                    std::size_t parts_in_all, const Visit& visit) {
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        const TermCounts row = counts.document(d);
        const std::uint32_t first = first_part[d];
        const std::size_t next = d + 1 < first_part.size() ? first_part[d + 1] : parts_in_all;
        const auto parts = static_cast<std::uint32_t>(next - first);
        std::uint32_t part = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            for (std::uint64_t n = occurrences(row.counts[i]); n > 0; --n) {
                visit(row.terms[i], first + part);
                if (++part == parts) part = 0;
            }
        }
    }
}

}  // namespace

LdaCorpus make_lda_corpus(const TermDocumentCounts& counts) {
    const std::uint64_t blocks = count_tokens(counts) / LdaCorpus::kTokensPerBlock;
    return make_lda_corpus(counts, std::clamp<std::uint64_t>(blocks, 1, LdaCorpus::kMaxBlocks));
}

LdaCorpus make_lda_corpus(const TermDocumentCounts& counts, std::size_t blocks) {
    const std::uint64_t tokens = count_tokens(counts);
    LdaCorpus corpus;
    corpus.terms = counts.vocabulary.size();
    corpus.documents = counts.documents();
    corpus.blocks = blocks;
    corpus.cells.resize(blocks * blocks);
    corpus.part_of_token.resize(tokens);
    const std::vector<std::uint32_t> first_part = cut_documents(counts, corpus);
    const std::vector<std::uint32_t> block_of_part = block_parts(corpus, tokens);
    const std::size_t parts = corpus.part_lengths.size();

    // How many tokens each term has in each block of documents; then where they begin.
    std::vector<std::uint64_t> places(blocks * corpus.terms, 0);
    std::vector<std::uint64_t> frequencies(corpus.terms, 0);
    for_each_token(counts, first_part, parts, [&](std::uint32_t term, std::uint32_t part) {
        ++places[block_of_part[part] * corpus.terms + term];
        ++frequencies[term];
    });
    const std::vector<std::uint32_t> block_of_term = block_terms(frequencies, blocks);
    std::uint64_t place = 0;
    for (std::size_t cell = 0; cell < corpus.cells.size(); ++cell) {
        corpus.cells[cell].begin = place;
        std::uint64_t* const row = places.data() + cell / blocks * corpus.terms;
        for (std::size_t term = 0; term < corpus.terms; ++term) {
            if (block_of_term[term] != cell % blocks || row[term] == 0) continue;
            const std::uint64_t begin = place;
            place += row[term];
            corpus.cells[cell].visits.push_back({static_cast<std::uint32_t>(term), place});
            row[term] = begin;
        }
    }
    for_each_token(counts, first_part, parts, [&](std::uint32_t term, std::uint32_t part) {
        corpus.part_of_token[places[block_of_part[part] * corpus.terms + term]++] = part;
    });
    return corpus;
}

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
