// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/error.h"

namespace braid {

/// A Registry (registry.h) whose entries are made when they are first asked for: a process that
/// searches once names two rankers of fifty, and the texts of all of them take it a fifth of a
/// search. Threads may share it.
template <typename Entry>
class LazyRegistry {
  public:
    struct Item {
        std::string name;  ///< That of the entry.
        std::function<Entry()> make;
    };

    /// `kind` is the family in the singular, for messages: "ranker".
    LazyRegistry(std::string kind, std::vector<Item> items)
        : kind_(std::move(kind)),
          items_(std::move(items)),
          made_(std::make_unique<Made[]>(items_.size())) {}

    /// Throws UnknownComponent, which lists the known names.
    const Entry& find(std::string_view name) const {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (items_[i].name == name) return entry(i);
        }
        throw UnknownComponent(kind_, std::string(name), names());
    }

    bool contains(std::string_view name) const {
        for (const Item& item : items_) {
            if (item.name == name) return true;
        }
        return false;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const Item& item : items_) result.push_back(item.name);
        return result;
    }

    class Iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = Entry;
        using difference_type = std::ptrdiff_t;
        using pointer = const Entry*;
        using reference = const Entry&;

        Iterator() = default;
        Iterator(const LazyRegistry& registry, std::size_t at) : registry_(&registry), at_(at) {}
        reference operator*() const { return registry_->entry(at_); }
        pointer operator->() const { return &registry_->entry(at_); }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++at_;
            return before;
        }
        bool operator==(const Iterator&) const = default;

      private:
        const LazyRegistry* registry_ = nullptr;
        std::size_t at_ = 0;
    };

    const std::string& kind() const { return kind_; }
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, items_.size()}; }
    std::size_t size() const { return items_.size(); }

  private:
    struct Made {
        std::atomic<const Entry*> entry = nullptr;
        std::unique_ptr<const Entry> owned;
    };

    const Entry& entry(std::size_t i) const {
        Made& made = made_[i];
        if (const Entry* const entry = made.entry.load(std::memory_order_acquire)) return *entry;
        const std::lock_guard<std::mutex> held(lock_);
        if (made.owned == nullptr) {
            made.owned = std::make_unique<const Entry>(items_[i].make());
            made.entry.store(made.owned.get(), std::memory_order_release);
        }
        return *made.owned;
    }

    std::string kind_;
    std::vector<Item> items_;
    mutable std::mutex lock_;
    std::unique_ptr<Made[]> made_;
};

}  // namespace braid
