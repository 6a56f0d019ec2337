// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "braid/core/base/export.h"

namespace braid {

/// Finds a query's position by its id. Ids are compared as they are written; an id made of digits
/// that is not there is then looked for by its number, so that "7" finds "007" and "007" finds
/// "7": collections disagree with themselves about leading zeros. Where "07" and "007" are both
/// there, "7" finds neither. Borrows the ids, which must outlive it.
class BRAID_API QueryIndex {
  public:
    void add(std::string_view id, std::size_t position);  ///< An id already there keeps its place.

    std::optional<std::size_t> find_exactly(std::string_view id) const;
    std::optional<std::size_t> find(std::string_view id) const;

  private:
    std::unordered_map<std::string_view, std::size_t> exact_;
    std::unordered_map<std::string_view, std::size_t> padded_;  // Keys without their zeros.
};

}  // namespace braid
