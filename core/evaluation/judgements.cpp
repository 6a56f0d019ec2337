// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/evaluation/judgements.h"

#include <algorithm>

namespace braid {

std::optional<Grade> QueryJudgements::grade(std::string_view document) const {
    const auto found = by_document_.find(document);
    if (found == by_document_.end()) return std::nullopt;
    return found->second;
}

std::size_t QueryJudgements::count_from(Grade grade) const {
    return static_cast<std::size_t>(
        std::count_if(judgements_.begin(), judgements_.end(),
                      [grade](const Judgement& judgement) { return judgement.grade >= grade; }));
}

Judgements::Added Judgements::add(std::string_view query, std::string_view document, Grade grade) {
    auto place = by_query_.find(query);
    if (place == by_query_.end()) {
        queries_.emplace_back(std::string(query));
        place = by_query_.emplace(queries_.back().query(), queries_.size() - 1).first;
    }
    QueryJudgements& target = queries_[place->second];
    const auto found = target.by_document_.find(document);
    if (found != target.by_document_.end()) {
        return found->second == grade ? Added::kSame : Added::kConflict;
    }
    const std::string_view name = names_.store(document);
    target.by_document_.emplace(name, grade);
    target.judgements_.push_back({name, grade});
    ++size_;
    return Added::kNew;
}

const QueryJudgements* Judgements::find(std::string_view query) const {
    const auto place = by_query_.find(query);
    return place == by_query_.end() ? nullptr : &queries_[place->second];
}

}  // namespace braid
