// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/interleaving.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

using Names = std::vector<std::string>;

const std::string& name_of(const DraftPick& pick, const Names& first, const Names& second) {
    return pick.team == 0 ? first[pick.place] : second[pick.place];
}

// A ranking of 20 documents, of which the first four are relevant; the more it knows, the higher.
Names ranking(Random& random, double knows) {
    std::vector<std::pair<double, std::size_t>> scored;
    for (std::size_t d = 0; d < 20; ++d) {
        scored.emplace_back(-random.normal() - (d < 4 ? knows : 0), d);
    }
    std::sort(scored.begin(), scored.end());
    Names names;
    for (const auto& [score, d] : scored) names.push_back(std::to_string(d));
    return names;
}

// Users who look at place k with 1/k, click what is relevant with .6 and the rest with .1.
DraftVerdict simulated(std::uint64_t seed, double first_knows, double second_knows,
                       std::size_t sessions, bool same = false) {
    Random random(seed);
    std::vector<std::array<std::size_t, 2>> clicked;
    for (std::size_t s = 0; s < sessions; ++s) {
        const Names first = ranking(random, first_knows);
        const Names second = same ? first : ranking(random, second_knows);
        std::array<std::size_t, 2> clicks = {0, 0};
        std::size_t place = 0;
        for (const DraftPick& pick : team_draft(first, second, 10, random)) {
            ++place;
            const bool relevant = std::stoi(name_of(pick, first, second)) < 4;
            const bool looks = random.uniform() < 1 / static_cast<double>(place);
            if (looks && random.uniform() < (relevant ? .6 : .1)) ++clicks[pick.team];
        }
        clicked.push_back(clicks);
    }
    return judge_drafts(clicked);
}

}  // namespace

TEST_CASE("Interleaving: the example worked by hand") {
    const Names first = {"a", "b", "c"};
    const Names second = {"b", "a", "d"};
    std::set<std::vector<std::size_t>> seen;
    for (std::uint64_t i = 0; i < 50; ++i) {
        Random random(i);
        const auto picks = team_draft(first, second, 9, random);
        REQUIRE(picks.size() == 4);
        std::vector<std::size_t> teams;
        Names names;
        for (const DraftPick& pick : picks) {
            teams.push_back(pick.team);
            names.push_back(name_of(pick, first, second));
        }
        seen.insert(teams);
        if (teams == std::vector<std::size_t>{0, 1, 1, 0})
            CHECK(names == Names{"a", "b", "d", "c"});
        if (teams == std::vector<std::size_t>{1, 0, 0, 1})
            CHECK(names == Names{"b", "a", "c", "d"});
        CHECK(teams[0] + teams[1] == 1);
        CHECK(teams[2] + teams[3] == 1);
    }
    CHECK(seen.size() == 4);
}

TEST_CASE("Interleaving: no document twice, teams of one size, both best at the top",
          "[property]") {
    Random random(seed());
    for (int round = 0; round < 500; ++round) {
        const Names first = ranking(random, 1);
        Names second = ranking(random, 0);
        second.resize(random.below(21));
        const std::size_t count = 1 + random.below(25);
        const auto picks = team_draft(first, second, count, random);
        std::set<std::string> names;
        std::array<std::size_t, 2> size = {0, 0};
        for (const DraftPick& pick : picks) {
            CHECK(names.insert(name_of(pick, first, second)).second);
            ++size[pick.team];
        }
        CHECK(picks.size() == std::min<std::size_t>(count, 20));
        if (second.size() == 20 && count <= 20)
            CHECK(std::max(size[0], size[1]) <= (count + 1) / 2);
    }
    CHECK(team_draft({}, {}, 10, random).empty());
    CHECK(team_draft(Names{"a"}, {}, 10, random) == std::vector<DraftPick>{{0, 0}});
}

TEST_CASE("Interleaving: identical rankings win half of the sessions", "[property]") {
    const DraftVerdict verdict = simulated(seed() + 1, 1, 1, 4000, true);
    const auto wins = static_cast<double>(verdict.wins[0]);
    const auto decided = wins + static_cast<double>(verdict.wins[1]);
    REQUIRE(decided > 1000);
    CHECK(std::abs(wins / decided - .5) < 4 * std::sqrt(.25 / decided));
    CHECK(verdict.p > 6e-5);
    CHECK(verdict.sessions() == 4000);
}

TEST_CASE("Interleaving: the better ranking wins, whichever side it is on", "[property]") {
    const DraftVerdict first = simulated(seed() + 2, 1.5, .5, 1000);
    CHECK(first.wins[0] > first.wins[1]);
    CHECK(first.lead() > 0);
    CHECK(first.p < .001);
    const DraftVerdict second = simulated(seed() + 3, .5, 1.5, 1000);
    CHECK(second.lead() < 0);
    CHECK(second.p < .001);
}

TEST_CASE("Interleaving: wins, ties and the sign test") {
    const std::vector<std::array<std::size_t, 2>> clicked = {
        {1, 0}, {2, 1}, {1, 1}, {0, 0}, {0, 3}};
    const DraftVerdict verdict = judge_drafts(clicked);
    CHECK(verdict.wins == std::array<std::size_t, 2>{2, 1});
    CHECK(verdict.ties == 1);
    CHECK(verdict.without_clicks == 1);
    CHECK_THAT(verdict.lead(), WithinRel(.125, 1e-12));
    CHECK(verdict.p == 1);
    CHECK_THAT(sign_test(8, 2), WithinRel(2.0 * 56 / 1024, 1e-12));
    CHECK_THAT(sign_test(2, 8), WithinRel(2.0 * 56 / 1024, 1e-12));
    CHECK_THAT(sign_test(5, 0), WithinRel(1.0 / 16, 1e-12));
    CHECK(sign_test(0, 0) == 1);
    CHECK(sign_test(7, 7) == 1);
    CHECK(judge_drafts({}).lead() == 0);
    // Against the sum, for all up to 30 coins.
    for (std::size_t n = 1; n <= 30; ++n) {
        double below = 0;
        double term = std::pow(.5, static_cast<double>(n));
        for (std::size_t k = 0; 2 * k < n; ++k) {
            below += term;
            CHECK_THAT(sign_test(n - k, k), WithinRel(std::min(1.0, 2 * below), 1e-9));
            term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
        }
    }
}
