// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/random.h"

namespace braid {

/// A document of an interleaved list.
struct DraftPick {
    std::size_t team = 0;   ///< 0 or 1: the ranking that brought it.
    std::size_t place = 0;  ///< In that ranking's list, from 0.

    bool operator==(const DraftPick&) const = default;
};

/// Team-draft interleaving, docs/algorithms/interleaving.md: at most `count` documents of two
/// lists of names, none twice. `random` decides who picks first in each round.
std::vector<DraftPick> team_draft(std::span<const std::string> first,
                                  std::span<const std::string> second, std::size_t count,
                                  Random& random);

/// What sessions over interleaved lists say of two rankings.
struct DraftVerdict {
    std::array<std::size_t, 2> wins = {0, 0};  ///< Sessions with more clicked documents of a team.
    std::size_t ties = 0;                      ///< As many of both, at least one.
    std::size_t without_clicks = 0;
    double p = 1;  ///< sign_test of the wins.

    std::size_t sessions() const { return wins[0] + wins[1] + ties + without_clicks; }
    /// (1): above 0 where the first is better; 0 without clicks.
    double lead() const;
};

/// `clicked`: by session, how many documents of each team were clicked.
DraftVerdict judge_drafts(std::span<const std::array<std::size_t, 2>> clicked);

/// The probability that of so many fair coins as wins + losses at least the larger number falls on
/// one side, either of the two; 1 without any.
double sign_test(std::size_t wins, std::size_t losses);

}  // namespace braid
