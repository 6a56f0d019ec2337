// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <cmath>

#include "braid/error.h"
#include "braid/plugin/training/feature_extractor.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

FusionModel model() {
    return {.rankers = {{.ranker = "bm25"}, {.ranker = "lsa"}, {.ranker = "lm-dirichlet"}}};
}

std::vector<TrainingQuery> random_queries(Random& random, const TopicCorpus& corpus,
                                          std::size_t count) {
    std::vector<TrainingQuery> queries;
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = "...";  // Which is no word.
        if (i != 3) {
            for (const std::string& word : corpus.corpus().random_words(random, 4)) {
                text += " " + word;
            }
        }
        queries.push_back({"q" + std::to_string(i), text});
    }
    return queries;
}

}  // namespace

TEST_CASE("Feature set: a training set is the queries' rows, for any number of threads",
          "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 100, 40, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const std::vector<TrainingQuery> queries = random_queries(random, corpus, 40);
    Judgements judgements;
    for (std::size_t i = 0; i < 30; ++i) {
        for (int j = 0; j < 10; ++j) {
            judgements.add("q" + std::to_string(i), std::to_string(1 + random.below(120)),
                           static_cast<Grade>(random.below(3)));
        }
    }
    FeatureOptions options;
    options.pool.size = 30;
    std::atomic<int> made = 0;
    const ExtractorFactory make = [&] {
        ++made;
        return std::make_unique<FeatureExtractor>(corpus.database(2), model(), options);
    };
    const TrainingSet set = make_training_set(queries, &judgements, make, *make_executor(1));
    CHECK(made == 1);
    validate(set);
    CHECK(set.rankers == std::vector<std::string>{"bm25", "lsa", "lm-dirichlet"});
    CHECK(training_counts(set).judged_queries == 30);
    FeatureExtractor extractor(corpus.database(), model(), options);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const TrainingSet rows = extractor.extract(queries[i], judgements.find(queries[i].id));
        CHECK(set.queries[i] == rows.queries[0]);
        REQUIRE(set.pool_size(i) == rows.documents.size());
        if (i == 3) CHECK(rows.documents.empty());
        const auto grades = set.query_grades(i);
        CHECK(std::vector<Grade>(grades.begin(), grades.end()) == rows.grades);
        CHECK(set.unpooled[i] == rows.unpooled[0]);
        for (std::size_t k = 0; k < rows.documents.size(); ++k) {
            CHECK(set.documents[set.query_begin[i] + k] == rows.documents[k]);
        }
    }
    for (const std::size_t threads : {2U, 3U}) {
        made = 0;
        CHECK(make_training_set(queries, &judgements, make, *make_executor(threads)) == set);
        CHECK(made <= static_cast<int>(threads));
    }
}

TEST_CASE("Feature set: rows come in the queries' order, and stop when asked to") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 40, 20, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const std::vector<TrainingQuery> queries = random_queries(random, corpus, 50);
    const ExtractorFactory make = [&] {
        return std::make_unique<FeatureExtractor>(corpus.database(), model());
    };
    std::vector<std::string> seen;
    const auto take = [&](const TrainingSet& rows) { seen.push_back(rows.queries[0]); };
    extract_features(queries, nullptr, make, *make_executor(2), take);
    REQUIRE(seen.size() == queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) CHECK(seen[i] == queries[i].id);
    seen.clear();
    const Progress stop = [](const ProgressReport& report) { return report.done < 10; };
    CHECK_THROWS_AS(extract_features(queries, nullptr, make, *make_executor(1), take, stop),
                    Cancelled);
    CHECK(seen.size() < queries.size());
    CHECK(seen.size() >= 10);
}

TEST_CASE("Feature set: ages of all queries are counted from one time") {
    // On disk, since each thread opens it anew: one in memory can't be shared by threads.
    const TemporaryFolder folder;
    Xapian::WritableDatabase database((folder / "db").string());
    const double now = clock_time();
    for (int i = 0; i < 20; ++i) {
        Xapian::Document document;
        document.add_term("word");
        document.add_value(5, Xapian::sortable_serialise(now - i));
        database.add_document(document);
    }
    database.commit();
    // Halved every 8.64 seconds: what lies microseconds apart differs.
    const FusionModel aging{
        .rankers = {{.ranker = "bm25"},
                    {.ranker = "value-decay", .parameters = {{"slot", 5}, {"half_life", 1e-4}}}}};
    const ExtractorFactory make = [&] {
        return std::make_unique<FeatureExtractor>(Xapian::Database((folder / "db").string()),
                                                  aging);
    };
    std::vector<TrainingQuery> queries;
    for (int i = 0; i < 60; ++i) queries.push_back({std::to_string(i), "word"});
    const TrainingSet by_clock = make_training_set(queries, nullptr, make, *make_executor(2));
    REQUIRE(by_clock.rows() == 60 * 20);
    const auto rows_of = [](const TrainingSet& set, std::size_t query) {
        const auto first = set.scores.begin() + static_cast<std::ptrdiff_t>(query * 40);
        return std::vector<double>(first, first + 40);
    };
    for (std::size_t i = 1; i < 60; ++i) CHECK(rows_of(by_clock, i) == rows_of(by_clock, 0));
    // A query may say it itself.
    for (TrainingQuery& query : queries) query.inputs.now = now + 8.64;
    const TrainingSet later = make_training_set(queries, nullptr, make, *make_executor(1));
    CHECK(later.scores[1] == Approx(0.5).epsilon(1e-6));
    CHECK(later.scores[3] == Approx(std::exp2(-1 - 1 / 8.64)).epsilon(1e-6));
}
