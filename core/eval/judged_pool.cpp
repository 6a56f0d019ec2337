// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <functional>
#include <utility>

#include "braid/core/eval/measure.h"

namespace braid {

JudgedPool JudgedPool::of(std::vector<Grade> grades) {
    std::sort(grades.begin(), grades.end(), std::greater<>());
    return {std::move(grades)};
}

JudgedPool JudgedPool::of(const QueryJudgements& judgements) {
    std::vector<Grade> grades;
    grades.reserve(judgements.all().size());
    for (const Judgement& judgement : judgements.all()) grades.push_back(judgement.grade);
    return of(std::move(grades));
}

std::size_t JudgedPool::count_from(Grade grade) const {
    const auto end =
        std::partition_point(grades.begin(), grades.end(), [grade](Grade g) { return g >= grade; });
    return static_cast<std::size_t>(end - grades.begin());
}

}  // namespace braid
