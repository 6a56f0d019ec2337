// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/name_table.h"

#include <algorithm>
#include <cstring>

namespace braid {
namespace {

constexpr std::size_t kAmbiguous = ~std::size_t{0};

bool is_number(std::string_view id) {
    return !id.empty() &&
           std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_zeros(std::string_view id) {
    const std::size_t first = std::min(id.find_first_not_of('0'), id.size() - 1);
    return id.substr(first);
}

}  // namespace

std::string prefixed_query(std::string_view prefix, std::string_view id) {
    std::string result(prefix);
    return result += prefix.empty() || !is_number(id) ? id : without_zeros(id);
}

void QueryIndex::add(std::string_view id, std::size_t position) {
    if (!exact_.emplace(id, position).second) return;
    if (id.size() < 2 || id[0] != '0' || !is_number(id)) return;
    const auto [place, is_new] = padded_.emplace(without_zeros(id), position);
    if (!is_new) place->second = kAmbiguous;
}

std::optional<std::size_t> QueryIndex::find_exactly(std::string_view id) const {
    const auto found = exact_.find(id);
    if (found == exact_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::size_t> QueryIndex::find(std::string_view id) const {
    if (const auto found = find_exactly(id)) return found;
    if (!is_number(id)) return std::nullopt;
    const std::string_view number = without_zeros(id);
    if (const auto found = find_exactly(number)) return found;
    const auto found = padded_.find(number);
    if (found == padded_.end() || found->second == kAmbiguous) return std::nullopt;
    return found->second;
}

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
