// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The topics of one document during collapsed Gibbs sampling.

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace braid {

/// Eight topics with their numbers of tokens in a document. A document's list is a run of groups,
/// filled from the front; an unused slot has the topic `unused` and count 0. The last slot of a
/// list's last group is always unused and marks the end.
struct alignas(32) TopicGroup {
    static constexpr std::size_t kSlots = 8;
    std::array<std::uint16_t, kSlots> topics;
    std::array<std::uint16_t, kSlots> counts;
};

/// Groups needed for a document of `length` tokens: a slot for every possible topic, one more while
/// a token moves, and the unused one at the end.
inline std::size_t groups_needed(std::size_t length, std::size_t topics) {
    const std::size_t most = length < topics ? length : topics;
    return (most + 2 + TopicGroup::kSlots - 1) / TopicGroup::kSlots;
}

/// The first of eight values that equals `value`, or 8.
inline unsigned find_slot(const std::array<std::uint16_t, 8>& values, std::uint16_t value) {
#if defined(__SSE2__)
    const __m128i found =
        _mm_cmpeq_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(values.data())),
                        _mm_set1_epi16(static_cast<short>(value)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    return static_cast<unsigned>(__builtin_ctz(mask | 0x10000U)) / 2;
#else
    unsigned slot = 0;
    while (slot < 8 && values[slot] != value) ++slot;
    return slot;
#endif
}

/// Adds a token of `topic` to the list that begins at `group`.
inline void add_topic(TopicGroup* group, std::uint16_t topic, std::uint16_t unused) {
    for (;; ++group) {
        const unsigned slot = find_slot(group->topics, topic);
        if (slot < TopicGroup::kSlots) {
            ++group->counts[slot];
            return;
        }
        if (group->topics.back() == unused) break;
    }
    const unsigned slot = find_slot(group->topics, unused);
    group->topics[slot] = topic;
    group->counts[slot] = 1;
}

/// Removes a token of `topic`, which the list must have. An emptied slot takes the list's last
/// entry, so lists stay as short as possible.
inline void remove_topic(TopicGroup* group, std::uint16_t topic, std::uint16_t unused) {
    unsigned slot = find_slot(group->topics, topic);
    while (slot == TopicGroup::kSlots) slot = find_slot((++group)->topics, topic);
    if (--group->counts[slot] > 0) return;
    TopicGroup* last = group;
    while (last->topics.back() != unused) ++last;
    unsigned end = find_slot(last->topics, unused);
    if (end == 0) {
        --last;
        end = TopicGroup::kSlots;
    }
    group->topics[slot] = last->topics[end - 1];
    group->counts[slot] = last->counts[end - 1];
    last->topics[end - 1] = unused;
    last->counts[end - 1] = 0;
}

}  // namespace braid
