// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/fusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/fuse.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Lists = std::vector<std::map<std::string, double>>;
using Scores = std::map<std::string, double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Documents a, b, ... in up to 4 lists, with ties where scores are rounded.
Lists random_lists(std::uint64_t seed) {
    braid::Random random(seed);
    Lists lists(2 + random.below(3));
    const double grain = random.below(2) == 0 ? 4 : 1e6;
    for (auto& list : lists) {
        for (char c = 'a'; c < 'r'; ++c) {
            if (random.uniform() < 0.4) continue;
            list[std::string(1, c)] = std::floor(random.uniform() * grain) / grain * 10 - 3;
        }
    }
    return lists;
}

std::vector<Run> runs_of(const Lists& lists) {
    std::vector<Run> runs(lists.size());
    for (std::size_t r = 0; r < lists.size(); ++r) {
        QueryRun& query = runs[r].query("q");
        for (const auto& [name, score] : lists[r]) runs[r].add(query, name, score);
    }
    return runs;
}

Scores fused(const Lists& lists, const FusionOptions& options, std::size_t depth = 0) {
    const std::vector<Run> runs = runs_of(lists);
    const std::vector<RunQuery> queries = braid::queries_of(runs);
    Scores result;
    for (const auto& document : braid::fuse_lists(Fuser(options), queries.at(0), depth).documents) {
        result[std::string(document.document)] = document.score;
    }
    return result;
}

// Position in a list: half of those equal to it come before it.
double position(const std::map<std::string, double>& list, double score) {
    double result = 0.5;
    for (const auto& entry : list) {
        result += entry.second > score ? 1 : entry.second == score ? 0.5 : 0;
    }
    return result;
}

double plain_score(const Lists& lists, const std::string& document, const std::string& method,
                   double documents) {
    double sum = 0;
    double count = 0;
    for (const auto& list : lists) {
        const auto found = list.find(document);
        if (found == list.end()) {
            if (method == "borda") sum += (documents - static_cast<double>(list.size()) + 1) / 2;
            continue;
        }
        ++count;
        double low = found->second;
        double high = found->second;
        for (const auto& entry : list) {
            low = std::min(low, entry.second);
            high = std::max(high, entry.second);
        }
        const double place = position(list, found->second);
        if (method == "borda") {
            sum += documents - place + 1;
        } else if (method == "rrf") {
            sum += 1 / (60 + place);
        } else {
            sum += high > low ? (found->second - low) / (high - low) : 0;
        }
    }
    if (method == "combanz") return sum / count;
    return method == "combmnz" ? sum * count : sum;
}

}  // namespace

TEST_CASE("Fusion: equals a plain reference, with ties and missing documents", "[property]") {
    for (std::uint64_t i = 0; i < 60; ++i) {
        const Lists lists = random_lists(braid::test::seed() + i);
        for (const std::string method : {"combsum", "combanz", "combmnz", "borda", "rrf"}) {
            const Scores result = fused(lists, {.method = method});
            std::map<std::string, int> all;
            for (const auto& list : lists) {
                for (const auto& entry : list) ++all[entry.first];
            }
            REQUIRE(result.size() == all.size());
            for (const auto& [name, score] : result) {
                const double expected =
                    plain_score(lists, name, method, static_cast<double>(all.size()));
                INFO(method << " " << name);
                CHECK(score == Approx(expected).epsilon(1e-12).margin(1e-14));
            }
        }
    }
}

TEST_CASE("Fusion: an example by hand") {
    // First list a 4, b 3, c 2; second c 9, d 5.
    const Lists lists = {{{"a", 4}, {"b", 3}, {"c", 2}}, {{"c", 9}, {"d", 5}}};
    CHECK(fused(lists, {.method = "combsum"}) == Scores{{"a", 1}, {"b", .5}, {"c", 1}, {"d", 0}});
    CHECK(fused(lists, {.method = "combanz"}) == Scores{{"a", 1}, {"b", .5}, {"c", .5}, {"d", 0}});
    CHECK(fused(lists, {.method = "combmnz"}) == Scores{{"a", 1}, {"b", .5}, {"c", 2}, {"d", 0}});
    // Four documents: 4, 3, 2 and the last point to d; 4, 3 and a half of 2 + 1 to a and b.
    CHECK(fused(lists, {.method = "borda"}) == Scores{{"a", 5.5}, {"b", 4.5}, {"c", 6}, {"d", 4}});
    CHECK(fused(lists, {.method = "borda", .choices = {{"missing", "none"}}}) ==
          Scores{{"a", 4}, {"b", 3}, {"c", 6}, {"d", 3}});
    const Scores rrf = fused(lists, {.method = "rrf", .parameters = {{"k", 1}}});
    CHECK_THAT(rrf.at("c"), WithinRel(1.0 / 4 + 1.0 / 2, 1e-15));
    CHECK_THAT(rrf.at("a"), WithinRel(1.0 / 2, 1e-15));
    CHECK(fused(lists, {.method = "combsum", .normaliser = "none"}).at("c") == 11);
}

TEST_CASE("Fusion: equal scores share the mean of their positions") {
    const Lists lists = {{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 0}}, {{"a", 1}}};
    const Scores borda = fused(lists, {.method = "borda"});
    CHECK(borda.at("b") == 3 + 2);
    CHECK(borda.at("c") == borda.at("b"));
    CHECK(fused(lists, {.method = "rrf"}).at("b") == 1.0 / 62);
}

TEST_CASE("Fusion: weights, by hand") {
    // First list a 4, b 3, c 2; second c 9, d 5, which counts twice.
    const Lists lists = {{{"a", 4}, {"b", 3}, {"c", 2}}, {{"c", 9}, {"d", 5}}};
    const std::vector<double> weights = {1, 2};
    const auto by = [&](const std::string& method) {
        return fused(lists, {.method = method, .weights = weights});
    };
    CHECK(by("combsum") == Scores{{"a", 1}, {"b", .5}, {"c", 2}, {"d", 0}});
    CHECK(by("combanz") == Scores{{"a", 1}, {"b", .5}, {"c", 2.0 / 3}, {"d", 0}});
    CHECK(by("combmnz") == Scores{{"a", 1}, {"b", .5}, {"c", 4}, {"d", 0}});
    CHECK(by("borda") == Scores{{"a", 7}, {"b", 6}, {"c", 10}, {"d", 7}});
    CHECK_THAT(by("rrf").at("c"), WithinRel(1.0 / 63 + 2.0 / 61, 1e-15));
}

TEST_CASE("Fusion: every weight changes some order, and none does what none is given for",
          "[property]") {
    for (const braid::FusionInfo& info : braid::fusion_methods()) {
        INFO(info.name);
        for (std::size_t k = 0; k < 2; ++k) {
            bool changes = false;
            for (std::uint64_t i = 0; i < 10 && !changes; ++i) {
                const Lists lists = random_lists(braid::test::seed() + i);
                std::vector<double> weights(lists.size(), 1);
                const Scores alike = fused(lists, {.method = info.name});
                const Scores same = fused(lists, {.method = info.name, .weights = weights});
                CHECK(same == alike);
                weights[k] = 10;
                const Scores other = fused(lists, {.method = info.name, .weights = weights});
                for (const auto& [a, score] : alike) {
                    for (const auto& [b, level] : alike) {
                        changes = changes || (score > level && other.at(a) < other.at(b));
                    }
                }
            }
            CHECK(changes);
        }
    }
}

TEST_CASE("Fusion: a list of weight 0 is as if it weren't there", "[property]") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        const Lists lists = random_lists(braid::test::seed() + i);
        const Lists others(lists.begin() + 1, lists.end());
        std::vector<double> weights(lists.size(), 1);
        weights[0] = 0;
        for (const std::string method : {"combsum", "combanz", "combmnz", "rrf"}) {
            INFO(method);
            const Scores without = fused(others, {.method = method});
            for (const auto& [name, score] : fused(lists, {.method = method, .weights = weights})) {
                const auto found = without.find(name);
                CHECK(score == Approx(found == without.end() ? 0 : found->second).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("Fusion: a list of weight 0 says nothing of which documents are alike") {
    braid::Random random(braid::test::seed());
    std::vector<double> two;
    std::vector<double> three;
    for (std::size_t d = 0; d < 30; ++d) {
        two.insert(two.end(), {random.uniform(), random.uniform()});
        three.insert(three.end(), {two[2 * d], two[2 * d + 1], random.uniform()});
    }
    const std::vector<double> expected = Fuser({.method = "amanx"}).fuse({2, two});
    const std::vector<double> result =
        Fuser({.method = "amanx", .weights = {1, 1, 0}}).fuse({3, three});
    for (std::size_t d = 0; d < 30; ++d) CHECK(result[d] == Approx(expected[d]).epsilon(1e-12));
}

TEST_CASE("Fusion: the parts of a method that adds up are its score", "[property]") {
    braid::Random random(braid::test::seed());
    std::vector<double> scores(30 * 3);
    for (double& score : scores) score = random.uniform() < 0.3 ? kNaN : random.uniform();
    std::size_t adding = 0;
    for (const braid::FusionInfo& info : braid::fusion_methods()) {
        if (!info.adds_up) continue;
        ++adding;
        const Fuser fuser({.method = info.name, .weights = {1, 0.5, 3}});
        const std::vector<double> all = fuser.fuse({3, scores});
        std::vector<double> sums(30, 0);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::vector<double> own = fuser.part({3, scores}, k);
            for (std::size_t d = 0; d < 30; ++d) sums[d] += own[d];
        }
        for (std::size_t d = 0; d < 30; ++d) CHECK(sums[d] == Approx(all[d]).epsilon(1e-12));
    }
    CHECK(adding == 3);
}

TEST_CASE("Fusion: only each list's order matters to Borda and RRF", "[property]") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        const Lists lists = random_lists(braid::test::seed() + i);
        Lists bent = lists;
        for (auto& list : bent) {
            for (auto& entry : list) entry.second = std::exp(entry.second);
        }
        for (const std::string method : {"borda", "rrf"}) {
            CHECK(fused(lists, {.method = method}) == fused(bent, {.method = method}));
        }
        // Points of a list sum to N(N+1)/2, found or not.
        double sum = 0;
        const Scores points = fused(lists, {.method = "borda"});
        for (const auto& entry : points) sum += entry.second;
        const auto n = static_cast<double>(points.size());
        CHECK_THAT(sum, WithinRel(static_cast<double>(lists.size()) * n * (n + 1) / 2, 1e-12));
    }
}

TEST_CASE("Fusion: the order of documents does not matter to any method", "[property]") {
    braid::Random random(braid::test::seed());
    for (const braid::FusionInfo& info : braid::fusion_methods()) {
        std::vector<double> scores(30 * 3);
        for (double& score : scores) score = random.uniform() < 0.3 ? kNaN : random.uniform();
        for (std::size_t d = 0; d < 30; ++d) scores[d * 3] = random.uniform();
        std::vector<double> reversed;
        for (std::size_t d = 30; d-- > 0;) {
            for (std::size_t k = 0; k < 3; ++k) reversed.push_back(scores[d * 3 + k]);
        }
        const Fuser fuser({.method = info.name});
        const std::vector<double> one = fuser.fuse({3, scores});
        const std::vector<double> other = fuser.fuse({3, reversed});
        for (std::size_t d = 0; d < 30; ++d) {
            INFO(info.name);
            CHECK(one[d] == Approx(other[29 - d]).epsilon(1e-12));
        }
    }
}

TEST_CASE("Fusion: a list's best documents are its best by score, then by name") {
    const Lists lists = {{{"a", 1}, {"b", 1}, {"c", 3}}, {{"d", 1}}};
    CHECK(fused(lists, {.method = "rrf"}, 2).count("a") == 0);
    CHECK(fused(lists, {.method = "rrf"}, 2).count("b") == 1);
    CHECK(fused(lists, {.method = "rrf"}, 3).count("a") == 1);
}

TEST_CASE("Fusion: runs of different queries, and empty ones") {
    std::vector<Run> runs(3);
    runs[0].add(runs[0].query("1"), "a", 2);
    runs[1].add(runs[1].query("2"), "b", 2);
    runs[1].add(runs[1].query("1"), "b", 1);
    const std::vector<RunQuery> queries = braid::queries_of(runs);
    REQUIRE(queries.size() == 2);
    CHECK(queries[0].query == "1");
    CHECK(queries[0].lists[1] != nullptr);
    CHECK(queries[0].lists[2] == nullptr);
    CHECK(queries[1].query == "2");
    CHECK(queries[1].lists[0] == nullptr);
    for (const braid::FusionInfo& info : braid::fusion_methods()) {
        const Fuser fuser({.method = info.name});
        CHECK(braid::fuse_lists(fuser, queries[1]).documents.size() == 1);
        CHECK(braid::fuse_lists(fuser, {"none", {nullptr, nullptr}}).documents.empty());
        CHECK(fuser.fuse({2, {}}).empty());
    }
    CHECK(braid::queries_of(std::vector<Run>(2)).empty());
}

TEST_CASE("Fusion: wrong input") {
    using braid::InvalidArgument;
    CHECK_THROWS_AS(Fuser({.method = "sum"}), braid::UnknownComponent);
    CHECK_THROWS_AS(Fuser({.method = "rrf", .parameters = {{"alpha", 1}}}),
                    braid::UnknownComponent);
    CHECK_THROWS_AS(Fuser({.method = "rrf", .parameters = {{"k", -1}}}), InvalidArgument);
    CHECK_THROWS_AS(Fuser({.method = "borda", .choices = {{"missing", "all"}}}),
                    braid::UnknownComponent);
    CHECK_THROWS_WITH(Fuser({.method = "borda", .normaliser = "min-max"}), Contains("no effect"));
    CHECK_THROWS_AS(Fuser({.method = "combsum", .normaliser = "bound"}), InvalidArgument);
    CHECK_THROWS_WITH(Fuser({.method = "combsum", .normaliser = "position"}),
                      Contains("borda and rrf"));
    CHECK_THROWS_AS(Fuser({.method = "combsum", .normaliser = "maximum"}), braid::UnknownComponent);
    CHECK_THROWS_WITH(Fuser({.method = "rrf", .weights = {1, -1}}), Contains("is -1"));
    CHECK_THROWS_WITH(Fuser({.method = "rrf", .weights = {1, NAN}}), Contains("from 0 up"));
    CHECK_THROWS_WITH(Fuser({.method = "rrf", .weights = {0, 0}}), Contains("all lists"));
    const std::vector<double> four = {1, 2, 3, 4};
    CHECK_THROWS_WITH(Fuser({.method = "rrf", .weights = {1, 2, 3}}).fuse({2, four}),
                      Contains("3 weights of 2 lists"));
    const Fuser fuser({.method = "combsum"});
    const std::vector<double> three = {1, 2, 3};
    const std::vector<double> infinite = {1, 2, INFINITY, 0};
    CHECK_THROWS_AS(fuser.fuse({2, three}), InvalidArgument);
    CHECK_THROWS_AS(fuser.fuse({0, three}), InvalidArgument);
    CHECK_THROWS_WITH(fuser.fuse({2, infinite}), Contains("row 1 in list 0"));
    CHECK_THROWS_AS(fuser.fuse({1, three, infinite}), InvalidArgument);
    const std::vector<double> unknown = {1, kNaN, 3};
    CHECK_THROWS_AS(fuser.fuse({1, three, unknown}), InvalidArgument);
    std::vector<Run> runs(1);
    runs[0].add(runs[0].query("1"), "a", kNaN);
    CHECK_THROWS_WITH(braid::fuse_lists(fuser, braid::queries_of(runs)[0]), Contains("nan"));
    std::vector<Run> twice(1);
    twice[0].add(twice[0].query("1"), "a", 1);
    twice[0].add(twice[0].query("1"), "a", 2);
    CHECK_THROWS_WITH(braid::fuse_lists(fuser, braid::queries_of(twice)[0]), Contains("twice"));
}
