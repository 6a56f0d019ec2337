// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/judgements.h"

#include <algorithm>

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

}  // namespace braid
