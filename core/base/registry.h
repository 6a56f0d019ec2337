// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/error.h"

namespace braid {

/// The components of one family by name: an ordinary value, filled by one function that lists the
/// family. `Entry` has a member `std::string name`. Entries keep their order, which help texts and
/// tables use.
template <typename Entry>
class Registry {
  public:
    /// `kind` is the family in the singular, for messages: "measure".
    Registry(std::string kind, std::vector<Entry> entries)
        : kind_(std::move(kind)), entries_(std::move(entries)) {}

    /// Throws UnknownComponent, which lists the known names.
    const Entry& find(std::string_view name) const {
        for (const Entry& entry : entries_) {
            if (entry.name == name) return entry;
        }
        throw UnknownComponent(kind_, std::string(name), names());
    }

    bool contains(std::string_view name) const {
        for (const Entry& entry : entries_) {
            if (entry.name == name) return true;
        }
        return false;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const Entry& entry : entries_) result.push_back(entry.name);
        return result;
    }

    const std::string& kind() const { return kind_; }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }
    std::size_t size() const { return entries_.size(); }

  private:
    std::string kind_;
    std::vector<Entry> entries_;
};

}  // namespace braid
