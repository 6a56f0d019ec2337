// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// The number in a value: decimal text ("12", "-3.5", "1e6") or bytes of
/// Xapian::sortable_serialise. Empty for any other value. Text goes first: the few numbers
/// whose serialised form is also text, all of them between -3072 and -300, are read as that text.
BRAID_API std::optional<double> value_number(const std::string& value);

/// The time in a value, in seconds since 1970 UTC: a date as text ("2024-02-29" or
/// "20240229", its first second), else value_number.
BRAID_API std::optional<double> value_time(const std::string& value);

/// Range of the numbers in a slot.
struct NumberRange {
    double lowest = 0;
    double highest = 0;
};

/// The range of a slot's numbers by the bounds that the database keeps on its values: exact where
/// all values are serialised numbers, 0 or more; otherwise everything, since text does not sort by
/// its number. Empty if no document has a value.
BRAID_API std::optional<NumberRange> number_range(const Xapian::Database& database,
                                                  Xapian::valueno slot);

/// One value for each of some documents, found by docid. Immutable.
///
/// Memory follows the number of documents and never the highest docid, which a database's header, a
/// list or a program may set to anything: where at least one docid in kMostDocids has a value this
/// is an array by docid, else a list in the order of docids. A lookup takes one comparison and one
/// load in the array, a binary search in the list.
template <typename Value>
class DocumentValues {
  public:
    struct Entry {
        Xapian::docid docid = 0;
        Value value = {};
    };
    /// Docids of the array for each value, at most.
    static constexpr std::size_t kMostDocids = 8;

    DocumentValues() = default;

    /// `entries` in any order; of several with one docid the last counts. All other documents have
    /// `absent`.
    explicit DocumentValues(std::vector<Entry> entries, Value absent = {})
        : absent_(std::move(absent)) {
        std::size_t docids = 0;
        for (const Entry& entry : entries) {
            docids = std::max(docids, std::size_t{entry.docid} + 1);
        }
        if (docids / kMostDocids <= entries.size()) {
            by_docid_.assign(docids, absent_);
            for (Entry& entry : entries) by_docid_[entry.docid] = std::move(entry.value);
        } else {
            set_list(std::move(entries));
        }
    }

    /// Accepts any docid.
    const Value& of(std::size_t docid) const noexcept {
        return docid < by_docid_.size() ? by_docid_[docid] : listed(docid);
    }

    std::size_t bytes() const noexcept {
        return by_docid_.capacity() * sizeof(Value) + list_.capacity() * sizeof(Entry);
    }

  private:
    void set_list(std::vector<Entry> entries) {
        std::stable_sort(entries.begin(), entries.end(),
                         [](const Entry& a, const Entry& b) { return a.docid < b.docid; });
        for (Entry& entry : entries) {
            if (list_.empty() || list_.back().docid != entry.docid) {
                list_.push_back(std::move(entry));
            } else {
                list_.back() = std::move(entry);
            }
        }
        list_.shrink_to_fit();
    }

    const Value& listed(std::size_t docid) const noexcept {
        const auto found =
            std::lower_bound(list_.begin(), list_.end(), docid,
                             [](const Entry& entry, std::size_t id) { return entry.docid < id; });
        return found != list_.end() && found->docid == docid ? found->value : absent_;
    }

    Value absent_ = {};
    std::vector<Value> by_docid_;
    std::vector<Entry> list_;  ///< Where there is no array; ascending.
};

/// Throws Xapian::DatabaseCorruptError unless a list of documents goes on behind `before` (0: at
/// its beginning). `list` says which it is; called only to throw.
template <typename List>
void require_ascending(Xapian::docid before, Xapian::docid docid, const List& list) {
    if (docid > before) return;
    throw Xapian::DatabaseCorruptError(list() + " has document " + std::to_string(docid) +
                                       " behind " + std::to_string(before) +
                                       ", expected ascending numbers from 1");
}

}  // namespace braid
