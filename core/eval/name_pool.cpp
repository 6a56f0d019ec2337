// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/name_pool.h"

#include <algorithm>
#include <cstring>

namespace braid {

std::string_view NamePool::store(std::string_view text) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (blocks_.empty() || capacity_ - used_ < text.size()) {
        capacity_ = std::max(kBlock, text.size());
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(capacity_));
        used_ = 0;
    }
    char* place = blocks_.back().get() + used_;
    if (!text.empty()) std::memcpy(place, text.data(), text.size());
    used_ += text.size();
    return {place, text.size()};
}

}  // namespace braid
