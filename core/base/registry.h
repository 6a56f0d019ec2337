// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
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

/// An entry's name and how the rest of it is made.
template <typename Entry>
struct LazyItem {
    std::string name;
    std::function<Entry()> make;
};

/// A Registry whose entries are made when they are first asked for: a process that searches once
/// names two rankers of fifty, and making the texts of all would take a fifth of its search. An
/// entry gets the name that it is listed by. Threads may share it.
template <typename Entry>
class LazyRegistry : public NamedItems<LazyItem<Entry>> {
  public:
    using Item = LazyItem<Entry>;

    LazyRegistry(std::string kind, std::vector<Item> items)
        : NamedItems<Item>(std::move(kind), std::move(items)),
          made_(std::make_unique<std::atomic<const Entry*>[]>(this->size())) {}
    ~LazyRegistry() {
        for (std::size_t i = 0; i < this->size(); ++i) delete made_[i].load();
    }
    LazyRegistry(const LazyRegistry&) = delete;
    LazyRegistry& operator=(const LazyRegistry&) = delete;

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
    // No lock: where a process is forked while another of its threads made an entry, the child can
    // make its own.
    const Entry& entry(std::size_t i) const {
        std::atomic<const Entry*>& made = made_[i];
        if (const Entry* const entry = made.load(std::memory_order_acquire)) return *entry;
        const Item& item = this->items()[i];
        auto fresh = std::make_unique<Entry>(item.make());
        fresh->name = item.name;
        const Entry* others = nullptr;
        if (!made.compare_exchange_strong(others, fresh.get(), std::memory_order_acq_rel)) {
            return *others;
        }
        return *fresh.release();
    }

    std::unique_ptr<std::atomic<const Entry*>[]> made_;
};

}  // namespace braid
