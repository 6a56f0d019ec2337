// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <limits>
#include <map>

#include "braid/core/base/random.h"
#include "braid/core/eval/evaluation.h"
#include "braid/core/eval/name_table.h"
#include "braid/tests/support/support.h"

using namespace braid;

namespace {

std::vector<Grade> grades_of(const JudgedRun& run, std::size_t query) {
    const std::span<const Grade> grades = run.ranking(query).grades;
    return {grades.begin(), grades.end()};
}

struct Judged {
    const char* query;
    const char* document;
    Grade grade;
};

Judgements judgements_of(std::initializer_list<Judged> all) {
    Judgements judgements;
    for (const Judged& judged : all) {
        judgements.add(judged.query, judged.document, judged.grade);
    }
    return judgements;
}

void fill(Run& run, const std::string& query,
          const std::vector<std::pair<std::string, double>>& documents) {
    braid::QueryRun& list = run.query(query);
    for (const auto& [name, score] : documents) run.add(list, name, score);
}

}  // namespace

TEST_CASE("JudgedRun: ranks by score, then name, both descending, whatever order they came in") {
    const Judgements judgements =
        judgements_of({{"q", "a", 1}, {"q", "b", 2}, {"q", "b2", 3}, {"q", "c", 4}});
    const JudgedPools pools(judgements);
    Run sorted_scores;
    fill(sorted_scores, "q", {{"a", 2}, {"b", 2}, {"x", 1}, {"b2", 1}, {"c", 1}});
    CHECK(grades_of(JudgedRun(pools, sorted_scores), 0) ==
          std::vector<Grade>{2, 1, kUnjudged, 4, 3});
    Run unsorted;
    fill(unsorted, "q", {{"b2", 1}, {"a", 2}, {"c", 1}, {"b", 2}, {"x", 1}});
    CHECK(grades_of(JudgedRun(pools, unsorted), 0) == std::vector<Grade>{2, 1, kUnjudged, 4, 3});
    // The query's own pool, highest grade first.
    CHECK(pools[0].grades == std::vector<Grade>{4, 3, 2, 1});
}

TEST_CASE("JudgedRun: a document that is twice in a list counts once, at its better place") {
    const Judgements judgements = judgements_of({{"q", "twice", 3}, {"q", "once", 1}});
    const JudgedPools pools(judgements);
    Run better_later;
    fill(better_later, "q",
         {{"twice", 1}, {"once", 2}, {"twice", 3}, {"other", 0.5}, {"twice", 2}});
    const JudgedRun first(pools, better_later);
    CHECK(grades_of(first, 0) == std::vector<Grade>{3, 1, kUnjudged});
    CHECK(first.oddities().duplicates == 2);
    CHECK(first.oddities().first_duplicate == "document twice of query q");
    Run better_first;
    fill(better_first, "q", {{"twice", 3}, {"once", 2}, {"twice", 1}, {"other", 0}, {"other", 0}});
    const JudgedRun second(pools, better_first);
    CHECK(grades_of(second, 0) == std::vector<Grade>{3, 1, kUnjudged});
    CHECK(second.oddities().duplicates == 2);
}

TEST_CASE("JudgedRun: a score that is not a number ranks last and is counted") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const Judgements judgements =
        judgements_of({{"q", "nan", 1}, {"q", "top", 2}, {"q", "low", 3}});
    const JudgedPools pools(judgements);
    Run run;
    fill(run, "q", {{"nan", nan}, {"zero", 0}, {"low", -infinity}, {"top", infinity}, {"b", -nan}});
    const JudgedRun judged(pools, run);
    CHECK(grades_of(judged, 0) == std::vector<Grade>{2, kUnjudged, 1, 3, kUnjudged});
    CHECK(judged.oddities().not_numbers == 2);

    std::vector<braid::ScoredDocument> documents = run.queries().front().documents;
    braid::rank_documents(documents);
    std::string order;
    for (const auto& document : documents) order += std::string(document.document) + " ";
    CHECK(order == "top zero nan low b ");
}

TEST_CASE("JudgedRun: missing, unjudged and empty queries are told apart") {
    const Judgements judgements =
        judgements_of({{"missing", "a", 1}, {"empty", "a", 1}, {"there", "a", 1}});
    const JudgedPools pools(judgements);
    Run run("tag");
    fill(run, "unjudged", {{"a", 1}});
    fill(run, "there", {{"a", 1}});
    run.query("empty");
    const JudgedRun judged(pools, run);
    CHECK(judged.name() == "tag");
    CHECK(judged.size() == 3);
    CHECK_FALSE(judged.contains(0));
    CHECK(judged.contains(1));
    CHECK(judged.contains(2));
    CHECK(grades_of(judged, 0).empty());
    CHECK(grades_of(judged, 1).empty());
    CHECK(grades_of(judged, 2) == std::vector<Grade>{1});
    CHECK(judged.oddities().queries == 3);
    CHECK(judged.oddities().unjudged_queries == 1);
    CHECK(judged.oddities().empty_lists == 1);
}

TEST_CASE("JudgedRun: queries numbered with and without zeros are counted once") {
    const Judgements judgements = judgements_of({{"07", "a", 1}, {"007", "a", 1}});
    const JudgedPools pools(judgements);
    Run run;
    fill(run, "7", {{"a", 1}});
    const JudgedRun judged(pools, run);
    CHECK(judged.contains(0));
    CHECK(judged.contains(1));
    CHECK(judged.oddities().unjudged_queries == 0);
}

TEST_CASE("JudgedRun: float_scores makes ties of what differs only in double precision") {
    const Judgements judgements = judgements_of({{"q", "a", 1}, {"q", "b", 2}});
    const JudgedPools pools(judgements);
    Run run;
    fill(run, "q", {{"a", 1.000000002}, {"b", 1.000000001}});
    CHECK(grades_of(JudgedRun(pools, run), 0) == std::vector<Grade>{1, 2});
    CHECK(grades_of(JudgedRun(pools, run, {.float_scores = true}), 0) == std::vector<Grade>{2, 1});
}

TEST_CASE("JudgedRun: grades at the end of their range don't collide with marks") {
    const Judgements judgements = judgements_of({{"q", "a", std::numeric_limits<Grade>::min()},
                                                 {"q", "b", std::numeric_limits<Grade>::min() + 1},
                                                 {"q", "c", std::numeric_limits<Grade>::max()}});
    const JudgedPools pools(judgements);
    Run run;
    fill(run, "q", {{"a", 3}, {"b", 2}, {"c", 1}});
    const std::vector<Grade> grades = grades_of(JudgedRun(pools, run), 0);
    REQUIRE(grades.size() == 3);
    CHECK(grades[0] != kUnjudged);
    CHECK(grades[1] < 0);
    CHECK(grades[2] == std::numeric_limits<Grade>::max());
}

TEST_CASE("NameTable: agrees with a map over many lists of names", "[property]") {
    braid::Random random(braid::test::seed());
    braid::NameTable table;
    for (int list = 0; list < 200; ++list) {
        std::vector<std::string> names;
        const std::size_t count = random.below(300);
        for (std::size_t i = 0; i < count; ++i) {
            // Lengths around the step of the hash, an alphabet of two, a common beginning.
            std::string name = random.below(2) == 0 ? "" : "common-prefix-";
            for (std::uint64_t left = random.below(20); left > 0; --left) {
                name += random.below(2) == 0 ? 'a' : 'b';
            }
            names.push_back(name);
        }
        const auto name_of = [&names](std::uint32_t i) { return std::string_view(names[i]); };
        std::map<std::string, std::uint32_t> expected;
        table.reset(random.below(count + 1));
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto [place, is_new] = expected.emplace(names[i], i);
            REQUIRE(table.insert(names[i], i, name_of) ==
                    (is_new ? braid::NameTable::kNone : place->second));
        }
        for (const auto& [name, place] : expected) REQUIRE(table.find(name, name_of) == place);
        REQUIRE(table.find("c", name_of) == braid::NameTable::kNone);
    }
}
