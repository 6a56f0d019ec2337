// SPDX-License-Identifier: GPL-2.0-or-later
// What an Enquire does by itself it does as ever with what Ranking sets: each promise of ranking.h.
#include <algorithm>
#include <functional>
#include <malloc.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "braid/ranking.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr Xapian::doccount kAll = 300;

FusionModel promised_model() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lm-dirichlet", .weight = 0.3},
                        {.ranker = "lsa", .weight = 5},
                        {.ranker = "value-linear", .parameters = {{"slot", 1}}, .weight = 0.1}}};
}

std::vector<Query> promised_queries() {
    const Query text = bag_of_words({"w0", "w3", "w5"});
    const Query groups(Query::OP_AND, Query(Query::OP_OR, Query("w0"), Query("w4")),
                       Query(Query::OP_OR, Query("w1"), Query("w2")));
    return {text, Query(Query::OP_FILTER, text, Query("XEVEN")), groups,
            // Not pruned.
            Query(Query::OP_OR, text, Query(Query::OP_SYNONYM, Query("w8"), Query("w9")))};
}

std::vector<Xapian::docid> docids_of(const Xapian::MSet& found) {
    std::vector<Xapian::docid> docids;
    for (auto hit = found.begin(); hit != found.end(); ++hit) docids.push_back(*hit);
    return docids;
}

// RandomCorpus's slot 1.
std::string value_of(Xapian::docid docid) { return std::to_string((docid - 1) % 7); }

struct Promise {
    Xapian::Database database;
    Ranking& ranking;
    Query query;
    RankedQuery chosen;
    Xapian::MSet all;
    Scores scores;

    // With the query set.
    Xapian::Enquire enquire() const {
        Xapian::Enquire result(database);
        ranking.apply(result, query);
        return result;
    }
};

// Calls `check(promise)` for queries that are pruned and one that isn't, on one shard and on three.
void for_each_promise(const std::function<void(const Promise&)>& check) {
    Random random(seed(), 41);
    const TopicCorpus corpus(random, kAll, 20);
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        Ranking ranking(database, promised_model());
        for (const Query& query : promised_queries()) {
            INFO(shards << " shards, " << query.get_description());
            Promise promise{database, ranking, query, {}, {}, {}};
            Xapian::Enquire enquire(database);
            promise.chosen = ranking.apply(enquire, query);
            promise.all = enquire.get_mset(0, kAll);
            promise.scores = scores_of(promise.all);
            REQUIRE(promise.scores.size() > 20);
            REQUIRE(promise.chosen.run.pruned ==
                    (query.get_num_subqueries() != 2 || query.get_type() != Query::OP_OR));
            check(promise);
        }
    }
}

// A document's number is its shard's there.
class SomeValues : public Xapian::MatchDecider {
  public:
    static bool holds(const std::string& value) { return value == "0" || value == "3"; }
    bool operator()(const Xapian::Document& document) const override {
        return holds(document.get_value(1));
    }
};

}  // namespace

TEST_CASE("Ranking promise: pages that are fetched one by one make the whole list") {
    for_each_promise([](const Promise& promise) {
        const Xapian::Enquire enquire = promise.enquire();
        std::vector<Xapian::docid> pages;
        for (Xapian::doccount first = 0; first < promise.all.size(); first += 7) {
            const Xapian::MSet page =
                enquire.get_mset(first, 7, promise.chosen.run.pruned ? 0 : kAll);
            for (auto hit = page.begin(); hit != page.end(); ++hit) {
                CHECK(hit.get_weight() == promise.scores.at(*hit));
                CHECK(hit.get_rank() == pages.size());
                pages.push_back(*hit);
            }
        }
        CHECK(pages == docids_of(promise.all));
    });
}

TEST_CASE("Ranking promise: counts and facets are those of the plain query") {
    for_each_promise([](const Promise& promise) {
        std::map<std::string, Xapian::doccount> expected;
        const Scores matches = all_matches(promise.database, Xapian::BoolWeight(), promise.query);
        for (const auto& [docid, score] : matches) ++expected[value_of(docid)];
        Xapian::Enquire enquire = promise.enquire();
        Xapian::ValueCountMatchSpy spy(1);
        enquire.add_matchspy(&spy);
        const Xapian::MSet found = enquire.get_mset(0, 3, kAll);
        CHECK(found.get_matches_lower_bound() == matches.size());
        CHECK(found.get_matches_upper_bound() == matches.size());
        CHECK(spy.get_total() == matches.size());
        std::map<std::string, Xapian::doccount> counted;
        for (auto value = spy.values_begin(); value != spy.values_end(); ++value) {
            counted[*value] = value.get_termfreq();
        }
        CHECK(counted == expected);
    });
}

TEST_CASE("Ranking promise: a spy sees each document with its score") {
    class Seen : public Xapian::MatchSpy {
      public:
        void operator()(const Xapian::Document& document, double weight) override {
            found.emplace(document.get_value(1), weight);
        }
        std::multimap<std::string, double> found;
    };
    for_each_promise([](const Promise& promise) {
        Xapian::Enquire enquire = promise.enquire();
        Seen spy;
        enquire.add_matchspy(&spy);
        enquire.get_mset(0, kAll);
        REQUIRE(spy.found.size() == promise.scores.size());
        for (const auto& [docid, score] : promise.scores) {
            const auto [first, last] = spy.found.equal_range(value_of(docid));
            const double wanted = score;
            CHECK(std::any_of(first, last,
                              [&](const auto& entry) { return entry.second == wanted; }));
        }
    });
}

TEST_CASE("Ranking promise: a decider leaves out what it says") {
    for_each_promise([](const Promise& promise) {
        const SomeValues decider;
        const Xapian::MSet found = promise.enquire().get_mset(0, kAll, 0, nullptr, &decider);
        std::vector<Xapian::docid> expected = docids_of(promise.all);
        std::erase_if(expected,
                      [](Xapian::docid docid) { return !SomeValues::holds(value_of(docid)); });
        CHECK(docids_of(found) == expected);
    });
}

TEST_CASE("Ranking promise: sorting by value or by key, before or after apply") {
    for_each_promise([](const Promise& promise) {
        std::vector<Xapian::docid> expected = docids_of(promise.all);
        std::stable_sort(expected.begin(), expected.end(),
                         [](auto left, auto right) { return value_of(left) > value_of(right); });
        Xapian::Enquire after = promise.enquire();
        after.set_sort_by_value_then_relevance(1, true);
        CHECK(docids_of(after.get_mset(0, kAll)) == expected);
        Xapian::Enquire before(promise.database);
        Xapian::MultiValueKeyMaker key;
        key.add_value(1);
        before.set_sort_by_key_then_relevance(&key, true);
        promise.ranking.apply(before, promise.query);
        const Xapian::MSet found = before.get_mset(0, kAll);
        CHECK(docids_of(found) == expected);
        CHECK(scores_of(found) == promise.scores);
        const Xapian::MSet page = before.get_mset(3, 5);
        CHECK(docids_of(page) ==
              std::vector<Xapian::docid>(expected.begin() + 3, expected.begin() + 8));
    });
}

TEST_CASE("Ranking promise: collapsing keeps the best of each value") {
    for_each_promise([](const Promise& promise) {
        std::set<std::string> seen;
        std::vector<Xapian::docid> expected = docids_of(promise.all);
        std::erase_if(expected,
                      [&](Xapian::docid docid) { return !seen.insert(value_of(docid)).second; });
        Xapian::Enquire enquire = promise.enquire();
        enquire.set_collapse_key(1);
        CHECK(docids_of(enquire.get_mset(0, kAll)) == expected);
    });
}

TEST_CASE("Ranking promise: matching terms are those of the plain query") {
    for_each_promise([](const Promise& promise) {
        Xapian::Enquire plain(promise.database);
        plain.set_query(promise.query);
        const Xapian::Enquire enquire = promise.enquire();
        for (auto hit = promise.all.begin(); hit != promise.all.end(); ++hit) {
            const std::vector<std::string> found(enquire.get_matching_terms_begin(*hit),
                                                 enquire.get_matching_terms_end(*hit));
            const std::vector<std::string> expected(plain.get_matching_terms_begin(*hit),
                                                    plain.get_matching_terms_end(*hit));
            REQUIRE(found == expected);
        }
    });
}

TEST_CASE("Ranking promise: snippets mark the plain query's words") {
    for_each_promise([](const Promise& promise) {
        Xapian::Enquire plain(promise.database);
        plain.set_query(promise.query);
        const Xapian::MSet by_bm25 = plain.get_mset(0, 5);
        const Xapian::MSet fused = promise.enquire().get_mset(0, 5);
        const std::string text = "of w7 and w6 then w0 with w1 at w3 or w4 by w5";
        CHECK(fused.snippet(text, 200) == by_bm25.snippet(text, 200));
        CHECK_THAT(fused.snippet(text, 200), Catch::Matchers::Contains("<b>w0</b>"));
    });
}

TEST_CASE("Ranking promise: a percentage is relative to the best, and a cut-off cuts the score") {
    for_each_promise([](const Promise& promise) {
        if (!promise.chosen.run.pruned) return;
        const double best = promise.all.begin().get_weight();
        std::vector<Xapian::docid> expected;
        for (auto hit = promise.all.begin(); hit != promise.all.end(); ++hit) {
            CHECK(std::abs(hit.get_percent() - 100 * hit.get_weight() / best) <= 1);
        }
        const auto middle = promise.all[promise.all.size() / 2];
        const int percent = middle.get_percent() + 1;
        for (auto hit = promise.all.begin(); hit != promise.all.end(); ++hit) {
            if (hit.get_percent() >= percent) expected.push_back(*hit);
        }
        REQUIRE(!expected.empty());
        Xapian::Enquire enquire = promise.enquire();
        enquire.set_cutoff(percent);
        CHECK(docids_of(enquire.get_mset(0, kAll)) == expected);
        enquire.set_cutoff(0, middle.get_weight());
        const Xapian::MSet above = enquire.get_mset(0, kAll);
        for (const auto& [docid, score] : promise.scores) {
            CHECK(scores_of(above).contains(docid) == (score >= middle.get_weight()));
        }
    });
}

TEST_CASE("Ranking promise: Xapian refuses a percentage under a sort by value, whatever ranks") {
    for_each_promise([](const Promise& promise) {
        Xapian::Enquire plain(promise.database);
        plain.set_query(promise.query);
        Xapian::Enquire fused = promise.enquire();
        for (Xapian::Enquire* enquire : {&plain, &fused}) {
            enquire->set_cutoff(60);
            enquire->set_sort_by_value_then_relevance(1, true);
            CHECK_THROWS_AS(enquire->get_mset(0, 10), Xapian::UnimplementedError);
        }
    });
}

TEST_CASE("Ranking promise: with a relevance set BM25 ranks, and the answer says so") {
    for_each_promise([](const Promise& promise) {
        Xapian::RSet relevant;
        relevant.add_document(*promise.all.begin());
        Xapian::Enquire plain(promise.database);
        plain.set_query(promise.query);
        Xapian::Enquire enquire(promise.database);
        const RankedQuery chosen =
            promise.ranking.apply(enquire, promise.query, {.relevance_set = true});
        CHECK_THAT(chosen.why_not_fused, Catch::Matchers::Contains("relevance set"));
        CHECK(scores_of(enquire.get_mset(0, kAll, &relevant)) ==
              scores_of(plain.get_mset(0, kAll, &relevant)));
    });
}

TEST_CASE("Ranking promise: a later plain query ranks by BM25 as ever") {
    for_each_promise([](const Promise& promise) {
        Xapian::Enquire plain(promise.database);
        Xapian::Enquire enquire = promise.enquire();
        enquire.get_mset(0, 10);
        const Query later = bag_of_words({"w0", "w1", "w2", "w2"});
        plain.set_query(later);
        enquire.set_query(later);
        const Xapian::MSet expected = plain.get_mset(0, kAll);
        const Xapian::MSet found = enquire.get_mset(0, kAll);
        braid::test::check_equal(scores_of(found), scores_of(expected), 1e-12);
        // And the model ranks again after the next apply, whatever scheme there was.
        enquire.set_weighting_scheme(Xapian::BoolWeight());
        promise.ranking.apply(enquire, promise.query);
        CHECK(scores_of(enquire.get_mset(0, kAll)) == promise.scores);
    });
}

TEST_CASE("Ranking promise: the fused query alone scores the same below any operator") {
    for_each_promise([](const Promise& promise) {
        if (!promise.chosen.run.pruned) {
            CHECK_THROWS_AS(promise.ranking.query(promise.query), InvalidArgument);
            return;
        }
        const Query fused = promise.ranking.query(promise.query);
        const Query filter("XODD");
        const auto scored = [&](const Query& query, Xapian::doccount count) {
            Xapian::Enquire enquire(promise.database);
            enquire.set_query(query);
            return enquire.get_mset(0, count);
        };
        const auto check = [&](const Query& query, double factor,
                               const std::function<bool(Xapian::docid)>& holds) {
            Scores expected;
            for (const auto& [docid, score] : promise.scores) {
                if (holds(docid)) expected[docid] = factor * score;
            }
            const Xapian::MSet all = scored(query, kAll);
            Scores found = scores_of(all);
            std::erase_if(found, [&](const auto& entry) { return entry.second == 0; });
            std::erase_if(expected, [&](const auto& entry) { return entry.second == 0; });
            braid::test::check_equal(found, expected, 1e-12);
            const Xapian::MSet top = scored(query, 5);
            for (Xapian::doccount i = 0; i < top.size(); ++i) {
                CHECK(top[i].get_weight() == Approx(all[i].get_weight()).epsilon(1e-12));
            }
        };
        const auto any = [](Xapian::docid) { return true; };
        const auto odd = [](Xapian::docid docid) { return docid % 2 == 0; };
        const Query nothing(Query::OP_SCALE_WEIGHT, filter, 0);
        check(fused, 1, any);
        check({Query::OP_SCALE_WEIGHT, fused, 0.01}, 0.01, any);
        check({Query::OP_SCALE_WEIGHT, fused, 30.0}, 30, any);
        check({Query::OP_FILTER, fused, filter}, 1, odd);
        check({Query::OP_AND_NOT, fused, Query("XEVEN")}, 1, odd);
        check({Query::OP_AND, nothing, fused}, 1, odd);
        check({Query::OP_OR, fused, nothing}, 1, any);
        check({Query::OP_AND_MAYBE, Query::MatchAll, fused}, 1, any);
        check({Query::OP_AND_MAYBE, fused, nothing}, 1, any);
        check({Query::OP_OR, Query(Query::OP_SCALE_WEIGHT, fused, 0.5),
               Query(Query::OP_SCALE_WEIGHT, fused, 0.5)},
              1, any);
        // Whatever fresh memory holds: Xapian 1.4 reads some there that it never set.
        for (const int fill : {1, 65, 128, 190, 0}) {
            mallopt(M_PERTURB, fill);
            const Xapian::MSet excluded = scored({Query::OP_AND_NOT, Query::MatchAll, fused}, kAll);
            CHECK(excluded.size() + promise.scores.size() == promise.database.get_doccount());
        }
    });
}
