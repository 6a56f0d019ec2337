// SPDX-License-Identifier: GPL-2.0-or-later
// Rankers that learn from a first pass: docs/algorithms/feedback.md.
#include <algorithm>
#include <cmath>

#include "braid/core/vectors/query_vector.h"
#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/tests/core/lexical/naive_rankers.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

using Words = std::vector<std::string>;

double number(std::uint64_t value) { return static_cast<double>(value); }

// Which documents first passes may learn from.
enum class From { kAll, kEven };

std::vector<Hit> best(const Scores& scores, std::size_t count, From from) {
    std::vector<Hit> hits;
    for (const auto& [docid, score] : scores) {
        // Documents count from 1, their XEVEN and XODD from 0.
        if (from == From::kEven && docid % 2 == 0) continue;
        if (score > 0) hits.push_back({docid, score});
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const Hit& left, const Hit& right) { return left.score > right.score; });
    hits.resize(std::min(hits.size(), count));
    return hits;
}

// (1) and (2), from the corpus's texts.
std::map<std::string, double> expanded(const RandomCorpus& corpus, const Words& words,
                                       std::size_t documents, std::size_t terms, double mix,
                                       From from = From::kAll) {
    const Xapian::Database database = corpus.database();
    std::map<std::string, double> weights;
    for (const std::string& word : words) weights[word] += 1;
    const std::vector<Hit> top = best(naive_scores(database, {}, words), documents, from);
    double scores = 0;
    for (const Hit& hit : top) scores += hit.score;
    std::map<std::string, double> shares;
    for (const Hit& hit : top) {
        const Words& text = corpus.words(hit.docid);
        std::map<std::string, double> counts;
        for (const std::string& word : text) counts[word] += 1;
        for (const auto& [word, count] : counts) {
            shares[word] += hit.score / scores * count / number(text.size());
        }
    }
    std::vector<std::pair<std::string, double>> chosen;
    const double most = std::max(10.0, 0.1 * number(corpus.size()));
    for (const auto& share : shares) {
        if (database.get_termfreq(share.first) <= most) chosen.push_back(share);
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const auto& left, const auto& right) {
        return left.second > right.second;
    });
    chosen.resize(std::min(chosen.size(), terms));
    double sum = 0;
    for (const auto& [word, share] : chosen) sum += share;
    if (sum == 0) return weights;
    for (auto& [word, weight] : weights) weight *= mix;
    for (const auto& [word, share] : chosen) {
        weights[word] += (1 - mix) * number(words.size()) * share / sum;
    }
    return weights;
}

// Of every document.
Scores naive_rm3(const RandomCorpus& corpus, const std::map<std::string, double>& weights) {
    const Xapian::Database database = corpus.database();
    const ParameterMap parameters = all_parameters("bm25", {{"k3", 1e6}});
    const CollectionStatistics collection{number(corpus.size()),
                                          number(database.get_total_length())};
    Scores scores;
    for (Xapian::docid docid = 1; docid <= corpus.size(); ++docid) {
        const Words& text = corpus.words(docid);
        double& score = scores[docid];
        for (const auto& [word, weight] : weights) {
            const TermStatistics term{collection, number(database.get_termfreq(word)),
                                      number(database.get_collection_freq(word)), weight};
            const auto count = std::count(text.begin(), text.end(), word);
            if (count == 0) continue;
            score += naive_term_score("bm25", parameters, term,
                                      {static_cast<double>(count), number(text.size()), 0});
        }
    }
    return scores;
}

// Keeps the documents with a word of the query.
Scores with_words(const RandomCorpus& corpus, Scores scores, const Words& words) {
    const Scores found = naive_scores(corpus.database(), {}, words);
    std::erase_if(scores, [&](const auto& entry) { return !found.contains(entry.first); });
    return scores;
}

// (3), by the decoded vectors of the documents that have a word of the query.
Scores naive_topic_feedback(const TopicCorpus& corpus, const Words& words, std::size_t documents,
                            double mix, From from = From::kAll) {
    const std::vector<float> query = corpus.fold("lsa", words);
    const Scores similar = with_words(corpus.corpus(), corpus.similarities("lsa", words), words);
    std::vector<double> mean(query.size());
    const auto decoded = [&](Xapian::docid docid) {
        std::vector<float> vector(query.size());
        decode_vector(open_vector(corpus.value("lsa", docid), query.size(), "test"), vector);
        return vector;
    };
    for (const Hit& hit : best(similar, documents, from)) {
        const std::vector<float> vector = decoded(hit.docid);
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += vector[k];
    }
    double length = 0;
    for (const double value : mean) length += value * value;
    std::vector<float> moved = query;
    double norm = 0;
    for (std::size_t k = 0; k < mean.size() && length > 0; ++k) {
        mean[k] = mix * query[k] + (1 - mix) * mean[k] / std::sqrt(length);
        norm += mean[k] * mean[k];
    }
    for (std::size_t k = 0; k < mean.size() && norm > 0; ++k) {
        moved[k] = static_cast<float>(mean[k] / std::sqrt(norm));
    }
    const QueryVector vector(moved);
    Scores scores;
    for (Xapian::docid docid = 1; docid <= corpus.corpus().size(); ++docid) {
        scores[docid] = 0;
        if (docid % 9 == 0 || docid % 13 == 0) continue;
        const std::string value = corpus.value("lsa", docid);
        scores[docid] = std::clamp(vector.dot(open_vector(value, query.size(), "test")), 0.0, 1.0);
    }
    return scores;
}

SearchRequest exhaustive(const Words& words, Candidates candidates) {
    SearchRequest request = request_of(bag_of_words(words));
    request.candidates = candidates;
    return request;
}

}  // namespace

TEST_CASE("Feedback: rm3 scores as its formulas say, on any number of shards", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 150, 80);
    const RandomCorpus& texts = corpus.corpus();
    std::size_t changed = 0;
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 8; ++round) {
            const Words words = texts.random_words(random, 4);
            const std::size_t documents = 1 + random.below(12);
            const std::size_t terms = random.below(15);
            const double mix = 0.1 + 0.8 * random.uniform();
            const FusionModel alone{.rankers = {{.ranker = "rm3",
                                                 .parameters = {{"documents", number(documents)},
                                                                {"terms", number(terms)},
                                                                {"mix", mix}}}}};
            const auto weights = expanded(texts, words, documents, terms, mix);
            const Scores all = naive_rm3(texts, weights);
            const Scores found = searched(database, alone, exhaustive(words, Candidates::kWords));
            check_equal(found, with_words(texts, all, words), 1e-9);
            // Other words bring other documents.
            const Scores brought = searched(database, alone, exhaustive(words, Candidates::kAll));
            for (const auto& [docid, score] : all) {
                if (score > 0) CHECK_THAT(brought.at(docid), WithinRel(score, 1e-9));
            }
            changed += brought.size() > found.size() ? 1 : 0;
        }
    }
    CHECK(changed > 5);
}

TEST_CASE("Feedback: topics move towards the best documents'", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 150, 60);
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 8; ++round) {
            const Words words = corpus.corpus().random_words(random, 4);
            const std::size_t documents = 1 + random.below(12);
            const double mix = random.uniform();
            const FusionModel alone{
                .rankers = {{.ranker = "lsa-feedback",
                             .parameters = {{"documents", number(documents)}, {"mix", mix}}}}};
            const Scores expected = with_words(
                corpus.corpus(), naive_topic_feedback(corpus, words, documents, mix), words);
            const Scores found = searched(database, alone, exhaustive(words, Candidates::kWords));
            REQUIRE(found.size() == expected.size());
            for (const auto& [docid, score] : found) {
                CHECK_THAT(score, WithinAbs(expected.at(docid), 1e-6));
            }
        }
    }
}

TEST_CASE("Feedback: first passes keep to the filters of a query and of a request", "[property]") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 150, 60);
    const FusionModel words_alone{.rankers = {{.ranker = "rm3"}}};
    const FusionModel topics_alone{.rankers = {{.ranker = "lsa-feedback"}}};
    std::size_t learned = 0;
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 6; ++round) {
            const Words words = corpus.corpus().random_words(random, 4);
            const auto weights = expanded(corpus.corpus(), words, 10, 20, 0.5, From::kEven);
            Scores by_words =
                with_words(corpus.corpus(), naive_rm3(corpus.corpus(), weights), words);
            Scores by_topics = with_words(
                corpus.corpus(), naive_topic_feedback(corpus, words, 10, 0.5, From::kEven), words);
            for (Scores* scores : {&by_words, &by_topics}) {
                std::erase_if(*scores, [](const auto& entry) { return entry.first % 2 == 0; });
            }
            learned += weights == expanded(corpus.corpus(), words, 10, 20, 0.5) ? 0 : 1;
            SearchRequest by_request = exhaustive(words, Candidates::kWords);
            by_request.filter = Query("XEVEN");
            SearchRequest by_query = exhaustive(words, Candidates::kWords);
            by_query.query = Query(Query::OP_FILTER, *by_query.query, Query("XEVEN"));
            SearchRequest by_exclusion = exhaustive(words, Candidates::kWords);
            by_exclusion.query = Query(Query::OP_AND_NOT, *by_exclusion.query, Query("XODD"));
            for (const SearchRequest& request : {by_request, by_query, by_exclusion}) {
                check_equal(searched(database, words_alone, request), by_words, 1e-9);
                const Scores found = searched(database, topics_alone, request);
                REQUIRE(found.size() == by_topics.size());
                for (const auto& [docid, score] : found) {
                    CHECK_THAT(score, WithinAbs(by_topics.at(docid), 1e-6));
                }
            }
            // A second pass learns from the same documents.
            FusionModel twice = words_alone;
            twice.normaliser.normaliser = "arctan";
            for (const auto& [docid, score] : searched(database, twice, by_request)) {
                CHECK_THAT(score, WithinRel(std::atan(by_words.at(docid)) * 2 / M_PI, 1e-9));
            }
        }
    }
    CHECK(learned > 5);
}

TEST_CASE("Feedback: rm3 learns nothing from words that the query scales by 0", "[property]") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 150, 60);
    const RandomCorpus& texts = corpus.corpus();
    const FusionModel alone{.rankers = {{.ranker = "rm3"}}};
    std::size_t differ = 0;
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 6; ++round) {
            const Words words = texts.random_words(random, 3);
            const Words scaled = texts.random_words(random, 3);
            Words both = words;
            both.insert(both.end(), scaled.begin(), scaled.end());
            const auto weights = expanded(texts, words, 10, 20, 0.5);
            differ += weights == expanded(texts, both, 10, 20, 0.5) ? 0 : 1;
            SearchRequest request = exhaustive(words, Candidates::kWords);
            request.query = Query(Query::OP_OR, *request.query,
                                  Query(Query::OP_SCALE_WEIGHT, bag_of_words(scaled), 0));
            check_equal(searched(database, alone, request),
                        with_words(texts, naive_rm3(texts, weights), both), 1e-9);
        }
    }
    CHECK(differ > 5);
}

TEST_CASE("Feedback: beside other rankers, and in the scores to learn from", "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 120, 50);
    FusionModel model{.rankers = {{.ranker = "bm25", .weight = 0.7},
                                  {.ranker = "rm3", .weight = 0.4},
                                  {.ranker = "lsa-feedback", .weight = 3},
                                  {.ranker = "lda-feedback", .weight = 2},
                                  {.ranker = "lsa", .weight = 1}}};
    for (const std::size_t shards : {1U, 2U}) {
        const Xapian::Database database = corpus.database(shards);
        PoolScorer scorer(database, model);
        const std::vector<Xapian::docid> documents(database.postlist_begin(""),
                                                   database.postlist_end(""));
        for (int round = 0; round < 5; ++round) {
            const Words words = corpus.corpus().random_words(random, 4);
            const Scores found = searched(database, model, exhaustive(words, Candidates::kWords));
            const PoolScores pool = scorer.score(bag_of_words(words), documents);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                double sum = 0;
                for (std::size_t k = 0; k < pool.rows.width(); ++k) {
                    const double value = pool.rows.scores[i * pool.rows.width() + k];
                    CHECK(value <= pool.rows.bounds[k]);
                    sum += model.rankers[k].weight * value;
                }
                const auto at = found.find(documents[i]);
                if (at != found.end()) CHECK_THAT(sum, WithinRel(at->second, 1e-9));
            }
        }
    }
}

TEST_CASE("Feedback: explanations say what the query became, and what it took") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 120, 50);
    Searcher searcher(corpus.database());
    searcher.rank_by({.rankers = {{.ranker = "rm3"}, {.ranker = "lsa-feedback", .weight = 2}}});
    SearchRequest request = request_of(bag_of_words({"w7", "w9"}));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 5);
    CHECK_THAT(result.run.path, Contains("feedback (rm3, lsa-feedback) in"));
    CHECK(result.run.feedback_milliseconds > 0);
    for (const SearchHit& hit : result.hits) {
        const auto& rankers = hit.explanation->rankers;
        CHECK_THAT(rankers.at(0).note, Contains("w7 ") && Contains(", w"));
        CHECK_THAT(rankers.at(1).note, Contains("moved towards"));
        CHECK(*rankers[0].value <= *rankers[0].bound);
        CHECK_THAT(rankers[0].contribution + rankers[1].contribution, WithinRel(hit.score, 1e-9));
    }
    request.query = bag_of_words({"unheard"});
    CHECK(searcher.search(request).hits.empty());
    const FusionModel wrong{.rankers = {{.ranker = "rm3", .topics = "lsa"}}};
    CHECK_THROWS_AS(searcher.rank_by(wrong), InvalidArgument);
}
