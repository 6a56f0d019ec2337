// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/interleaving.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "braid/core/eval/paired_tests.h"

namespace braid {

std::vector<DraftPick> team_draft(std::span<const std::string> first,
                                  std::span<const std::string> second, std::size_t count,
                                  Random& random) {
    const std::array<std::span<const std::string>, 2> lists = {first, second};
    std::array<std::size_t, 2> next = {0, 0};
    std::array<std::size_t, 2> size = {0, 0};
    std::unordered_set<std::string_view> taken;
    std::vector<DraftPick> picks;
    const auto has_next = [&](std::size_t team) {
        while (next[team] < lists[team].size() && taken.contains(lists[team][next[team]])) {
            ++next[team];
        }
        return next[team] < lists[team].size();
    };
    while (picks.size() < count) {
        const std::array<bool, 2> can = {has_next(0), has_next(1)};
        if (!can[0] && !can[1]) break;
        std::size_t team = size[0] < size[1] ? 0 : 1;
        if (size[0] == size[1]) team = random.below(2);
        if (!can[team]) team = 1 - team;
        taken.insert(lists[team][next[team]]);
        picks.push_back({team, next[team]});
        ++size[team];
    }
    return picks;
}

double DraftVerdict::lead() const {
    const auto clicked = static_cast<double>(wins[0] + wins[1] + ties);
    if (clicked == 0) return 0;
    return (static_cast<double>(wins[0]) + static_cast<double>(ties) / 2) / clicked - 0.5;
}

DraftVerdict judge_drafts(std::span<const std::array<std::size_t, 2>> clicked) {
    DraftVerdict verdict;
    for (const auto& [first, second] : clicked) {
        if (first + second == 0) {
            ++verdict.without_clicks;
        } else if (first == second) {
            ++verdict.ties;
        } else {
            ++verdict.wins[first > second ? 0 : 1];
        }
    }
    verdict.p = sign_test(verdict.wins[0], verdict.wins[1]);
    return verdict;
}

// docs/algorithms/interleaving.md (2): a sum of binomial probabilities as an incomplete beta.
double sign_test(std::size_t wins, std::size_t losses) {
    const std::size_t most = std::max(wins, losses);
    if (wins == losses) return 1;
    const auto fewest = static_cast<double>(std::min(wins, losses));
    return std::min(1.0, 2 * incomplete_beta(static_cast<double>(most), fewest + 1, 0.5, 0.5));
}

}  // namespace braid
