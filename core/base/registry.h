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

/// The named items of one family, in the order that help texts and tables use. `Item` has a member
/// `std::string name`.
template <typename Item>
class NamedItems {
  public:
    /// `kind` is the family in the singular, for messages: "measure".
    NamedItems(std::string kind, std::vector<Item> items)
        : kind_(std::move(kind)), items_(std::move(items)) {}

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

    const std::string& kind() const { return kind_; }
    std::size_t size() const { return items_.size(); }

  protected:
    const std::vector<Item>& items() const { return items_; }

    /// Throws UnknownComponent, which lists the known names.
    std::size_t index_of(std::string_view name) const {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (items_[i].name == name) return i;
        }
        throw UnknownComponent(kind_, std::string(name), names());
    }

  private:
    std::string kind_;
    std::vector<Item> items_;
};

/// The components of one family by name: an ordinary value, filled by one function that lists the
/// family.
template <typename Entry>
class Registry : public NamedItems<Entry> {
  public:
    using NamedItems<Entry>::NamedItems;

    /// Throws UnknownComponent, which lists the known names.
    const Entry& find(std::string_view name) const { return this->items()[this->index_of(name)]; }

    auto begin() const { return this->items().begin(); }
    auto end() const { return this->items().end(); }
};

/// An entry's name and how it is made.
template <typename Entry>
struct LazyItem {
    std::string name;
    std::function<Entry()> make;
};

/// A Registry whose entries are made when they are first asked for: a process that searches once
/// names two rankers of fifty, and making the texts of all would take a fifth of its search.
/// Threads may share it.
template <typename Entry>
class LazyRegistry : public NamedItems<LazyItem<Entry>> {
  public:
    using Item = LazyItem<Entry>;

    LazyRegistry(std::string kind, std::vector<Item> items)
        : NamedItems<Item>(std::move(kind), std::move(items)),
          made_(std::make_unique<Made[]>(this->size())) {}

    /// Throws UnknownComponent, which lists the known names.
    const Entry& find(std::string_view name) const { return entry(this->index_of(name)); }

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

    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, this->size()}; }

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
            made.owned = std::make_unique<const Entry>(this->items()[i].make());
            made.entry.store(made.owned.get(), std::memory_order_release);
        }
        return *made.owned;
    }

    mutable std::mutex lock_;
    std::unique_ptr<Made[]> made_;
};

}  // namespace braid
