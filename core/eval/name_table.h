// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/error.h"

namespace braid {

/// A hash table of positions in the caller's list of names: 8 bytes a slot, open addressing, at
/// most half full. `name_of(position)` returns a name for comparison.
class NameTable {
  public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    /// Empties the table and makes room for `expected` names.
    void reset(std::size_t expected) {
        std::size_t slots = 16;
        while (slots < 2 * expected) slots *= 2;
        slots_.assign(slots, Slot{});
        used_ = 0;
    }

    bool empty() const { return slots_.empty(); }

    template <typename NameOf>
    std::uint32_t find(std::string_view name, const NameOf& name_of) const {
        if (slots_.empty()) return kNone;
        const std::uint32_t hash = hash_of(name);
        for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[i];
            if (slot.position == kNone) return kNone;
            if (slot.hash == hash && name_of(slot.position) == name) return slot.position;
        }
    }

    /// The position that already has this name; otherwise enters `position` and returns kNone.
    template <typename NameOf>
    std::uint32_t insert(std::string_view name, std::uint32_t position, const NameOf& name_of) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        const std::uint32_t hash = hash_of(name);
        for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[i];
            if (slot.position == kNone) {
                slot = {hash, position};
                ++used_;
                return kNone;
            }
            if (slot.hash == hash && name_of(slot.position) == name) return slot.position;
        }
    }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t position = kNone;
    };

    static std::uint32_t hash_of(std::string_view name) {
        const std::uint64_t hash = std::hash<std::string_view>{}(name);
        return static_cast<std::uint32_t>(hash ^ (hash >> 32));
    }

    void grow() {
        std::vector<Slot> old = std::move(slots_);
        slots_.assign(old.empty() ? 16 : 2 * old.size(), Slot{});
        for (const Slot& slot : old) {
            if (slot.position == kNone) continue;
            std::size_t i = slot.hash & (slots_.size() - 1);
            while (slots_[i].position != kNone) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

/// Stores copies of many short texts in a few large blocks. A view from `store` stays valid as long
/// as the pool, even if the pool is moved. Doesn't detect duplicates.
class NamePool {
  public:
    std::string_view store(std::string_view text);

  private:
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
};

/// A query's id below a prefix, which tells collections apart: "cacm:" and "01" give "cacm:1",
/// since a number's leading zeros mean nothing and can't be ignored later. The id itself without a
/// prefix.
BRAID_API std::string prefixed_query(std::string_view prefix, std::string_view id);

/// Finds a query's position by its id. Ids are compared as written. If an id of digits is not
/// found, it is looked up by its number, so "7" finds "007" and "007" finds "7": collections are
/// inconsistent about leading zeros. If both "07" and "007" exist, "7" finds neither. Borrows the
/// ids, which must outlive it.
class QueryIndex {
  public:
    void add(std::string_view id, std::size_t position);  ///< A known id keeps its position.

    std::optional<std::size_t> find_exactly(std::string_view id) const;
    std::optional<std::size_t> find(std::string_view id) const;

  private:
    std::unordered_map<std::string_view, std::size_t> exact_;
    std::unordered_map<std::string_view, std::size_t> padded_;  // Keys without their zeros.
};

}  // namespace braid
