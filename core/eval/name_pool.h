// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// Keeps copies of many short texts in a few large blocks. What `store` returned stays valid as
/// long as the pool lives, also after the pool was moved from. Does not look for duplicates.
class BRAID_API NamePool {
  public:
    std::string_view store(std::string_view text);

  private:
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace braid
