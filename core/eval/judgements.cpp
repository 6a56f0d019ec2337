// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/judgements.h"

#include <algorithm>
#include <cstring>

namespace braid {
namespace {

// Up to here looking through all names is faster than hashing one.
constexpr std::size_t kFew = 12;

}  // namespace

std::uint32_t QueryJudgements::find(std::string_view document) const {
    if (!by_document_.empty()) {
        return by_document_.find(
            document, [this](std::uint32_t position) { return judgements_[position].document; });
    }
    for (std::size_t i = 0; i < judgements_.size(); ++i) {
        if (judgements_[i].document == document) return static_cast<std::uint32_t>(i);
    }
    return NameTable::kNone;
}

void QueryJudgements::append(const Judgement& judgement) {
    const auto name_of = [this](std::uint32_t position) { return judgements_[position].document; };
    judgements_.push_back(judgement);
    if (judgements_.size() <= kFew) return;
    std::size_t first = judgements_.size() - 1;
    if (by_document_.empty()) {
        by_document_.reset(2 * judgements_.size());
        first = 0;
    }
    for (std::size_t i = first; i < judgements_.size(); ++i) {
        by_document_.insert(judgements_[i].document, static_cast<std::uint32_t>(i), name_of);
    }
}

std::optional<Grade> QueryJudgements::grade(std::string_view document) const {
    const std::uint32_t found = find(document);
    if (found == NameTable::kNone) return std::nullopt;
    return judgements_[found].grade;
}

std::size_t QueryJudgements::count_from(Grade grade) const {
    return static_cast<std::size_t>(
        std::count_if(judgements_.begin(), judgements_.end(),
                      [grade](const Judgement& judgement) { return judgement.grade >= grade; }));
}

Judgements::Added Judgements::add(std::string_view query, std::string_view document, Grade grade) {
    auto place = by_query_.find_exactly(query);
    if (!place) {
        place = queries_.size();
        queries_.emplace_back(std::string(query));
        by_query_.add(queries_.back().query(), *place);
    }
    QueryJudgements& target = queries_[*place];
    const std::uint32_t found = target.find(document);
    if (found != NameTable::kNone) {
        return target.judgements_[found].grade == grade ? Added::kSame : Added::kConflict;
    }
    target.append({names_.store(document), grade});
    ++size_;
    return Added::kNew;
}

const QueryJudgements* Judgements::find(std::string_view query) const {
    const auto place = by_query_.find(query);
    return place ? &queries_[*place] : nullptr;
}

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
