// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <limits>
#include <set>

#include "braid/error.h"
#include "braid/plugin/search/rescored_search.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

FusionModel three_rankers(const std::string& normaliser) {
    return {.rankers = {{.ranker = "bm25", .weight = 0.3},
                        {.ranker = "lsa", .weight = 0.5},
                        {.ranker = "dph", .weight = 0.2}},
            .normaliser = {.normaliser = normaliser}};
}

std::vector<FirstPassDocument> first_pass(const Xapian::Database& database,
                                          const Xapian::Query& query) {
    std::vector<FirstPassDocument> list;
    for (const Hit& hit : matches(database, Xapian::BM25Weight(), query, 0, 500)) {
        list.push_back({hit.docid, hit.score});
    }
    return list;
}

// Min-max of each ranker's values over some documents, weighted and added up: the definition.
Scores min_max_sums(const FusionModel& model, const std::vector<Scores>& values,
                    const std::set<Xapian::docid>& documents) {
    Scores sums;
    for (std::size_t k = 0; k < values.size(); ++k) {
        double least = std::numeric_limits<double>::max();
        double most = -least;
        for (const Xapian::docid docid : documents) {
            least = std::min(least, values[k].at(docid));
            most = std::max(most, values[k].at(docid));
        }
        for (const Xapian::docid docid : documents) {
            const double share = most > least ? (values[k].at(docid) - least) / (most - least) : 0;
            sums[docid] += model.rankers[k].weight * share;
        }
    }
    return sums;
}

// Each ranker's values for the documents that match, by searches for one ranker each.
std::vector<Scores> values_of(const Xapian::Database& database, const FusionModel& model,
                              const std::vector<std::string>& words) {
    std::vector<Scores> values;
    for (RankerSpec spec : model.rankers) {
        spec.weight = 1;
        values.push_back(searched(database, {.rankers = {spec}}, request_of(bag_of_words(words))));
    }
    return values;
}

// A method over three rankers, min-max before those that read scores.
PoolFusion fused_by(const FusionOptions& options) {
    const bool uses_scores = fusion_methods().find(options.method).uses_scores;
    return function_fusion(
        {.normaliser = uses_scores ? "min-max" : "none"},
        MethodFunction{.rankers = 3, .method = options.method, .choices = options.choices});
}

}  // namespace

TEST_CASE("Rescore: the window has the fusion's scores, and the tail stays below", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 150, 40);
    const FusionModel model = three_rankers("min-max");
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        PoolScorer scorer(database, model);
        std::size_t tails = 0;
        for (int round = 0; round < 20; ++round) {
            const auto words = corpus.corpus().random_words(random, 4);
            const Xapian::Query query = bag_of_words(words);
            const auto first = first_pass(database, query);
            const std::size_t window = 1 + random.below(60);
            const RescoredList list = rescore(scorer, model_fusion(model), query, first, window);
            REQUIRE(list.entries.size() == first.size());
            if (first.empty()) continue;
            std::set<Xapian::docid> head;
            for (std::size_t i = 0; i < std::min(window, first.size()); ++i) {
                head.insert(first[i].docid);
            }
            const Scores expected = min_max_sums(model, values_of(database, model, words), head);
            for (std::size_t i = 0; i < list.entries.size(); ++i) {
                const RescoredList::Entry& entry = list.entries[i];
                CHECK(entry.docid == first[entry.first_place].docid);
                if (i > 0) CHECK(entry.score <= list.entries[i - 1].score);
                if (i < head.size()) {
                    CHECK(head.contains(entry.docid));
                    CHECK_THAT(entry.score, Catch::WithinAbs(expected.at(entry.docid), 1e-9));
                } else {
                    CHECK(entry.first_place == i);
                    CHECK(entry.row == RescoredList::kNoRow);
                    CHECK_THAT(list.entries[i - 1].score - entry.score,
                               Catch::WithinAbs(first[i - 1].score - first[i].score, 1e-9));
                    ++tails;
                }
            }
        }
        CHECK(tails > 50);
    }
}

TEST_CASE("Rescore: fusion methods and other normalisers") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 100, 30);
    const Xapian::Database database = corpus.database();
    const FusionModel model = three_rankers("none");
    const Xapian::Query query = bag_of_words({"w0", "w3"});
    const auto first = first_pass(database, query);
    REQUIRE(first.size() > 30);
    PoolScorer scorer(database, model);
    for (const FusionInfo& method : fusion_methods()) {
        INFO(method.name);
        const FusionOptions options{.method = method.name};
        const PoolFusion fusion = fused_by(options);
        CHECK_THAT(fusion.name, Contains("fused by " + method.name));
        const RescoredList list = rescore(scorer, fusion, query, first, 25);
        const std::vector<double> fused =
            Fuser(options).fuse({.lists = 3, .scores = list.scores.rows.scores});
        for (std::size_t i = 0; i < 25; ++i) {
            CHECK(list.entries[i].score == fused[list.entries[i].row]);
        }
    }
    const FusionOptions smooth{.method = "amanx", .choices = {{"graph", "features"}}};
    CHECK_THROWS_WITH(rescore(scorer, fused_by(smooth), query, first, 25),
                      Contains("needs a vector for each document"));
    PoolScorer placing(database, model, {.places = true});
    const RescoredList smooth_list = rescore(placing, fused_by(smooth), query, first, 25);
    const std::vector<double> places(smooth_list.scores.rows.places.begin(),
                                     smooth_list.scores.rows.places.end());
    REQUIRE(places.size() == 25 * 8);
    const std::vector<double> smoothed = Fuser(smooth).fuse(
        {.lists = 3, .scores = smooth_list.scores.rows.scores, .features = places});
    CHECK(smoothed != Fuser({.method = "amanx"}).fuse({3, smooth_list.scores.rows.scores}));
    for (std::size_t i = 0; i < 25; ++i) {
        CHECK(smooth_list.entries[i].score == smoothed[smooth_list.entries[i].row]);
    }
    // A first pass with the very same scores comes back as it was.
    const RescoredList same = rescore(scorer, model_fusion(model), query,
                                      std::vector<FirstPassDocument>{first[0], first[1]}, 1);
    CHECK(same.pool.rows() == 1);
    CHECK(same.entries[1].score < same.entries[0].score);
    for (const std::string normaliser : {"z-score", "rank", "bound", "sigmoid"}) {
        INFO(normaliser);
        const FusionModel normalised = three_rankers(normaliser);
        const RescoredList list = rescore(scorer, model_fusion(normalised), query, first, 40);
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            sum += normalised.rankers[k].weight * list.pool.row(list.entries[0].row)[k];
        }
        CHECK_THAT(sum, WithinRel(list.entries[0].score, 1e-12));
        CHECK(list.pool.scores != list.scores.rows.scores);
    }
}

TEST_CASE("Rescore: equal scores keep the first pass's order") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 60, 20);
    const Xapian::Database database = corpus.database();
    const FusionModel model;
    PoolScorer scorer(database, model);
    const PoolFusion equal{"equal", [](TrainingSet&, std::span<double> scores) {
                               std::fill(scores.begin(), scores.end(), 2.0);
                           }};
    const std::vector<FirstPassDocument> first = {{7, 3}, {2, 3}, {9, 1}, {1, 0}};
    const RescoredList list = rescore(scorer, equal, Xapian::Query("w0"), first, 3);
    std::vector<Xapian::docid> order;
    for (const auto& entry : list.entries) order.push_back(entry.docid);
    CHECK(order == std::vector<Xapian::docid>{7, 2, 9, 1});
    CHECK(list.entries[3].score == 1);
    CHECK(rescore(scorer, equal, Xapian::Query("w0"), {}, 3).entries.empty());
}

TEST_CASE("Rescore: what can't be is refused") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 60, 20);
    const Xapian::Database database = corpus.database();
    FusionModel model;
    PoolScorer scorer(database, model);
    const PoolFusion fusion = model_fusion(model);
    const Xapian::Query query("w0");
    const std::vector<FirstPassDocument> rising = {{7, 3}, {2, 4}};
    CHECK_THROWS_WITH(rescore(scorer, fusion, query, rising, 3), Contains("place 1"));
    const std::vector<FirstPassDocument> twice = {{7, 3}, {7, 2}};
    CHECK_THROWS_AS(rescore(scorer, fusion, query, twice, 3), InvalidArgument);
    const PoolFusion broken{"broken", [](TrainingSet&, std::span<double> scores) {
                                scores[0] = std::numeric_limits<double>::quiet_NaN();
                            }};
    CHECK_THROWS_WITH(rescore(scorer, broken, query, {{{7, 3}}}, 3), Contains("broken"));
    model.function = {.form = "trees", .numbers = {{"cuts", {1}}}};
    CHECK_THROWS_WITH(model_fusion(model), Contains("trees"));
}
