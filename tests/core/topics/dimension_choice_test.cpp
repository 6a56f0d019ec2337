// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/dimension_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "braid/core/eval/summary.h"
#include "braid/core/topics/held_out.h"
#include "braid/error.h"
#include "braid/tests/core/topics/lda_test_data.h"
#include "braid/tests/core/topics/random_counts.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;

DimensionChoice choose(const std::string& model, const TermDocumentCounts& counts,
                       const std::vector<std::size_t>& candidates, const TopicOptions& base = {},
                       std::size_t threads = 1) {
    return braid::choose_dimensions(model, counts, base, candidates,
                                    *braid::make_executor(threads));
}

std::vector<std::size_t> tried(const DimensionChoice& choice) {
    std::vector<std::size_t> result;
    for (const DimensionTrial& trial : choice.trials) result.push_back(trial.dimensions);
    return result;
}

const TermDocumentCounts& eight_topics() {
    static const TermDocumentCounts counts =
        braid::test::planted({.topics = 8, .documents = 800}, braid::test::seed());
    return counts;
}

/// Each of 1500 documents mixes three of sixteen topics of twelve words: documents are told apart
/// by which three, for which it takes sixteen dimensions and no more.
TermDocumentCounts mixtures_of_sixteen() {
    braid::Random random(braid::test::seed());
    std::vector<std::vector<std::string>> documents(1500);
    for (std::vector<std::string>& words : documents) {
        const std::uint64_t topics[] = {random.below(16), random.below(16), random.below(16)};
        for (std::size_t i = 0; i < 60; ++i) {
            const std::uint64_t topic = topics[random.below(3)];
            words.push_back("w" + std::to_string(topic) + "_" + std::to_string(random.below(12)));
        }
    }
    return make_counts(documents);
}

FloatMatrix matrix(std::size_t rows, const std::vector<float>& values) {
    FloatMatrix result(rows, values.size() / rows);
    result.values = values;
    return result;
}

}  // namespace

TEST_CASE("dimension choice: planted topics are preferred to far fewer and far more") {
    // Eight were planted. With just eight, sampling and EM now and then end with two in one.
    for (const char* model : {"lda", "ldi", "plsi"}) {
        const DimensionChoice choice = choose(model, eight_topics(), {64, 12, 2});
        REQUIRE(tried(choice) == std::vector<std::size_t>{2, 12, 64});
        INFO(model << " " << choice.trials[0].score << " " << choice.trials[1].score << " "
                   << choice.trials[2].score);
        CHECK(choice.dimensions == 12);
        // Of 160 words; who knew a document's topic would give each of its words .8 / 20 + .2 /
        // 160, any other .2 / 160: mean log likelihood -3.80.
        CHECK(choice.trials[1].score < -3.75);
        CHECK(choice.trials[1].score > -4.2);
        CHECK_THAT(choice.trials[1].criterion, Contains("likelihood"));
    }
}

TEST_CASE("dimension choice: lsa gets as many dimensions as were planted") {
    const DimensionChoice choice = choose("lsa", mixtures_of_sixteen(), {2, 4, 8, 16, 64});
    std::string scores;
    for (const DimensionTrial& trial : choice.trials) {
        scores += std::to_string(trial.score) + " ";
        CHECK_THAT(trial.criterion, Contains("reciprocal rank"));
    }
    INFO(scores);
    CHECK(choice.dimensions == 16);
    CHECK(choice.trials[0].score < 0.3);
    CHECK(choice.trials[3].score > 0.8);
    CHECK(choice.trials[3].score <= 1);
}

TEST_CASE("dimension choice: lsa does not get dimensions that hardly help") {
    const DimensionChoice choice =
        choose("lsa", braid::test::planted({.topics = 8, .documents = 800}, 1), {1, 6, 8, 32});
    const auto best = std::max_element(
        choice.trials.begin(), choice.trials.end(),
        [](const DimensionTrial& a, const DimensionTrial& b) { return a.score < b.score; });
    INFO(choice.dimensions << " " << best->dimensions);
    CHECK(choice.dimensions > 1);
    CHECK(choice.dimensions < best->dimensions);
}

TEST_CASE("split halves: the smallest within one standard error of the best") {
    // The best has mean .6, deviation .2 and, of four documents, a standard error of .1.
    const double d = 0.2 * std::sqrt(0.75);
    const std::vector<double> best = {0.6 - d, 0.6 + d, 0.6 - d, 0.6 + d};
    const auto flat = [](double score) { return std::vector<double>(4, score); };
    CHECK(braid::smallest_within_one_error({flat(0.49), flat(0.51), best, flat(0.59)}) == 1);
    CHECK(braid::smallest_within_one_error({flat(0.49), flat(0.48), best, flat(0.59)}) == 2);
    CHECK(braid::smallest_within_one_error({flat(0.49), flat(0.5), flat(0.51)}) == 2);
    CHECK(braid::smallest_within_one_error({{}, {}}) == 0);
}

TEST_CASE("dimension choice: every topic model of the registry can be chosen for",
          "[conformance]") {
    const TermDocumentCounts counts =
        braid::test::random_counts(braid::test::seed(), {.documents = 100, .words = 90});
    for (const braid::TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        TopicOptions base;
        if (info.name == "ldi") base.choices["topic-share"] = "estimated";
        const DimensionChoice one = choose(info.name, counts, {12, 3, 6, 3}, base);
        CHECK(tried(one) == std::vector<std::size_t>{3, 6, 12});
        const DimensionChoice four = choose(info.name, counts, {3, 6, 12}, base, 4);
        CHECK(four.dimensions == one.dimensions);
        CHECK(four.trials == one.trials);  // All bits.
        base.seed = 7;
        CHECK(choose(info.name, counts, {3, 6, 12}, base).trials != one.trials);
    }
}

TEST_CASE("dimension choice: candidates are limited to what the data support") {
    const TermDocumentCounts counts =
        braid::test::random_counts(3, {.documents = 150, .words = 60, .mean_length = 20});
    CHECK(tried(choose("lda", counts, {})) == std::vector<std::size_t>{25, 50});
    const std::vector<std::size_t> lowered = tried(choose("lsa", counts, {10, 5000, 70}));
    REQUIRE(lowered.size() == 2);
    CHECK(lowered[0] == 10);
    CHECK(lowered[1] <= 60);
    // Ten words: none of the usual numbers fits.
    const TermDocumentCounts few_words =
        braid::test::random_counts(3, {.documents = 150, .words = 10, .topics = 2});
    CHECK(tried(choose("plsi", few_words, {})) == std::vector<std::size_t>{10});
}

TEST_CASE("dimension choice: too few documents leave the smallest candidate") {
    std::vector<std::vector<std::string>> texts(19, {"a", "b", "c", "d"});
    texts.resize(60, {"e"});  // These can't be split.
    const DimensionChoice choice = choose("lda", make_counts(texts), {4, 3});
    CHECK(choice.dimensions == 3);
    CHECK(choice.trials.empty());
    CHECK(choose("lsa", make_counts(texts), {}).dimensions == 5);
    texts.push_back({"a", "b"});
    CHECK(choose("lda", make_counts(texts), {4, 3}).trials.size() == 2);
}

TEST_CASE("dimension choice: errors, and stopping") {
    const auto error = [&](const std::string& model, const std::vector<std::size_t>& candidates,
                           const TopicOptions& base = {}) {
        return choose(model, eight_topics(), candidates, base);
    };
    CHECK_THROWS_AS(error("lsi", {}), braid::UnknownComponent);
    CHECK_THROWS_AS(error("lsa", {}, {.parameters = {{"eta", 1}}}), braid::UnknownComponent);
    CHECK_THROWS_AS(error("lsa", {}, {.parameters = {{"scaling", 9}}}), braid::InvalidArgument);
    CHECK_THROWS_AS(error("ldi", {}, {.choices = {{"prior", "both"}}}), braid::UnknownComponent);
    CHECK_THROWS_WITH(error("lda", {5, 0}), Contains("lda") && Contains("is 0"));
    CHECK_THROWS_AS(choose("lda", make_counts({{}, {}}), {}), braid::InvalidArgument);
    TermDocumentCounts broken = eight_topics();
    broken.counts[0] = -1;
    CHECK_THROWS_AS(choose("lda", broken, {}), braid::InvalidArgument);

    for (const braid::TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        std::vector<braid::ProgressReport> reports;
        const auto stop_after = [&](std::size_t calls) {
            reports.clear();
            braid::choose_dimensions(info.name, eight_topics(), {}, {2, 4},
                                     *braid::make_executor(2),
                                     [&](const braid::ProgressReport& report) {
                                         reports.push_back(report);
                                         return reports.size() < calls;
                                     });
        };
        stop_after(1'000'000);
        CHECK(reports.back().done == 2);
        const std::size_t all = reports.size();
        for (const braid::ProgressReport& report : reports) {
            CHECK(report.phase == "choosing dimensions");
            CHECK(report.total == 2);
        }
        for (const std::size_t calls : {std::size_t{1}, all / 2, all}) {
            CHECK_THROWS_AS(stop_after(calls), braid::Cancelled);
            CHECK(reports.size() == calls);
        }
    }
}

TEST_CASE("hold out: a share of the documents that can be split, and the words of the others") {
    std::vector<std::vector<std::string>> texts;
    for (std::size_t d = 0; d < 40; ++d) {
        texts.push_back({"common", "own" + std::to_string(d)});
        texts.push_back({"single"});
    }
    const TermDocumentCounts counts = make_counts(texts);
    const braid::HeldOutDocuments split =
        braid::hold_out_documents(counts, {.share = 0.25, .seed = 5});
    CHECK(split.held_out.documents() == 10);
    CHECK(split.training.documents() == 70);
    CHECK(split.training.vocabulary.size() == 32);  // common, single, 30 own.
    CHECK(split.held_out.vocabulary == split.training.vocabulary);
    const auto common = static_cast<std::uint32_t>(split.training.find("common"));
    CHECK(split.held_out.terms == std::vector<std::uint32_t>(10, common));
    CHECK_NOTHROW(braid::validate(split.training));
    CHECK_NOTHROW(braid::validate(split.held_out));
    CHECK(braid::hold_out_documents(counts, {.most = 3}).held_out.documents() == 3);
    CHECK(braid::hold_out_documents(counts, {.least = 41}).training.documents() == 0);
    CHECK(braid::hold_out_documents(counts, {.share = 0.25, .seed = 6}).training.vocabulary !=
          split.training.vocabulary);
}

TEST_CASE("split halves: ranks of an example worked by hand") {
    // Vectors of words; LSA with local weight 0 adds them up. A text "a a" splits into twice a.
    braid::TopicModel model;
    model.header = {"lsa", 2, braid::TopicVectorKind::kSigned, {0}};
    model.vocabulary = {"a", "b", "c"};
    model.term_vectors = matrix(3, {1, 0, 0, 1, 0, 1});
    const auto ranks = [&](const std::vector<std::vector<std::string>>& texts,
                           std::size_t threads) {
        TermDocumentCounts counts = make_counts(texts);
        REQUIRE(counts.vocabulary == model.vocabulary);
        return braid::split_half_reciprocal_ranks(model, counts, {1, 2}, 1,
                                                  *braid::make_executor(threads));
    };
    // One dimension: a finds a at once. Halves of b and c are zero there, and as near to one half
    // as to any other; with ties before it the other half is fifth of five.
    // Two: halves of b and c have one direction, and the other half is third of the three.
    const auto found = ranks({{"a", "a"}, {"b", "b"}, {}, {"c", "c"}, {"a"}}, 1);
    CHECK(found == std::vector<std::vector<double>>{{1, 0.2, 0.2}, {1, 1.0 / 3, 1.0 / 3}});

    const std::vector<std::vector<std::string>> many(30, {"a", "b", "c", "c"});
    CHECK(ranks(many, 1) == ranks(many, 4));
    CHECK(ranks({{"a"}, {"b"}, {"c"}}, 1) == std::vector<std::vector<double>>{{}, {}});
}

TEST_CASE("split halves: fewer dimensions are what a smaller lsa would be") {
    const TermDocumentCounts counts =
        braid::test::random_counts(braid::test::seed(), {.documents = 60, .words = 50});
    const auto executor = braid::make_executor(1);
    for (const double scaling : {-1.0, 0.25}) {
        for (const char* weighting : {"log-entropy", "tf-idf", "raw"}) {
            TopicOptions options;
            options.parameters["scaling"] = scaling;
            options.choices["weighting"] = weighting;
            const auto fit = [&](std::size_t dimensions) {
                options.dimensions = dimensions;
                return braid::fit_topic_model("lsa", counts, options, *executor);
            };
            const auto large =
                braid::split_half_reciprocal_ranks(fit(20), counts, {5, 20}, 1, *executor);
            const auto small =
                braid::split_half_reciprocal_ranks(fit(5), counts, {5}, 1, *executor);
            INFO(scaling << " " << weighting);
            // Cosines that differ by rounding alone may change places.
            CHECK_THAT(braid::mean(large[0]), WithinAbs(braid::mean(small[0]), 0.01));
            CHECK(large[0] != large[1]);
        }
    }
}

TEST_CASE("choice by judgements: the best of all, and the mean of queries that did not choose") {
    // Over six queries the means are 3, 4 and 4: the first of the best two.
    const FloatMatrix measure = matrix(3, {3, 3, 3, 3, 3, 3,    //
                                           24, 0, 0, 0, 0, 0,   //
                                           4, 4, 4, 4, 4, 4});  //
    const braid::JudgedChoice choice = braid::choose_by_judgements(measure, 6);
    CHECK(choice.best == 1);
    CHECK(choice.best_mean == 4);
    // One query a fold. The first is ranked by the third candidate; each other one by the second,
    // for which 24/5 > 4: 4/6.
    CHECK_THAT(choice.cross_validated_mean, WithinRel(4.0 / 6, 1e-12));

    const braid::JudgedChoice clear =
        braid::choose_by_judgements(matrix(2, {1, 2, 3, 4, 2, 3, 4, 5}), 2);
    CHECK(clear.best == 1);
    CHECK(clear.cross_validated_mean == clear.best_mean);
    CHECK(braid::choose_by_judgements(matrix(1, {1, 2, 6}), 3).best_mean == 3);
}

TEST_CASE("choice by judgements: errors") {
    const auto bad = [](std::size_t rows, std::size_t columns, float value, std::size_t folds) {
        FloatMatrix measure(rows, columns);
        if (!measure.values.empty()) measure.values.back() = value;
        return braid::choose_by_judgements(measure, folds);
    };
    CHECK_NOTHROW(bad(2, 6, 1, 2));
    CHECK_THROWS_AS(bad(0, 6, 1, 2), braid::InvalidArgument);
    CHECK_THROWS_AS(bad(2, 0, 1, 2), braid::InvalidArgument);
    CHECK_THROWS_AS(bad(2, 6, 1, 1), braid::InvalidArgument);
    CHECK_THROWS_AS(bad(2, 6, 1, 7), braid::InvalidArgument);
    CHECK_THROWS_WITH(bad(2, 6, std::numeric_limits<float>::quiet_NaN(), 2),
                      Contains("candidate 1") && Contains("query 5"));
}
