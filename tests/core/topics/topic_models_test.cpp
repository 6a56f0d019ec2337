// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/topic_models.h"

#include <cmath>
#include <limits>

#include "braid/error.h"
#include "braid/tests/core/topics/random_counts.h"
#include "braid/tests/support/support.h"

// What every topic model of the registry promises.

namespace {

using braid::TermDocumentCounts;
using braid::TopicModel;
using braid::TopicModelInfo;
using braid::TopicOptions;
using namespace braid::test;

TopicModel fit(const TopicModelInfo& info, const TermDocumentCounts& counts,
               const TopicOptions& options = {.dimensions = 6}, std::size_t threads = 1) {
    return braid::fit_topic_model(info.name, counts, options, *braid::make_executor(threads));
}

const TermDocumentCounts& some_counts() {
    static const TermDocumentCounts counts = braid::test::random_counts(
        braid::test::seed(), {.documents = 120, .words = 80, .empty_share = 0.1});
    return counts;
}

/// Finite, of length 1 or all zero, and of its kind; returns whether it is zero.
bool check_vector(std::span<const float> vector, braid::TopicVectorKind kind) {
    double squares = 0;
    for (const float x : vector) {
        REQUIRE(std::isfinite(x));
        if (kind == braid::TopicVectorKind::kProbability) REQUIRE(x >= 0);
        squares += static_cast<double>(x) * x;
    }
    if (squares == 0) return true;
    REQUIRE(squares == Approx(1).epsilon(1e-5));
    return false;
}

}  // namespace

TEST_CASE("topic models: names, summaries and defaults are complete", "[conformance]") {
    REQUIRE(braid::topic_models().size() > 0);
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        CHECK(!info.name.empty());
        CHECK(!info.summary.empty());
        for (const braid::ParameterInfo& parameter : info.parameters) {
            CHECK(!parameter.summary.empty());
            CHECK(parameter.minimum <= parameter.default_value);
            CHECK(parameter.default_value <= parameter.maximum);
        }
        for (const braid::ChoiceInfo& choice : info.choices) {
            CHECK(std::find(choice.values.begin(), choice.values.end(), choice.default_value) !=
                  choice.values.end());
        }
    }
    CHECK_THROWS_WITH(braid::topic_models().find("lsi"), Contains("did you mean 'lsa'"));
}

TEST_CASE("topic models: a fit keeps the promises of TopicModel", "[conformance]") {
    const TermDocumentCounts& counts = some_counts();
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        const TopicModel model = fit(info, counts);
        CHECK(model.header.model == info.name);
        CHECK(model.header.kind == info.kind);
        const std::size_t dimensions = model.header.dimensions;
        REQUIRE(dimensions > 0);
        CHECK(model.vocabulary == counts.vocabulary);
        CHECK(model.term_vectors.rows == counts.vocabulary.size());
        CHECK(model.term_vectors.columns == dimensions);
        CHECK(model.term_vectors.values.size() == counts.vocabulary.size() * dimensions);
        CHECK(model.document_vectors.rows == counts.documents());
        CHECK(model.document_vectors.columns == dimensions);
        for (std::size_t d = 0; d < counts.documents(); ++d) {
            const bool empty = counts.document(d).size() == 0;
            CHECK(check_vector(model.document_vectors.row(d), info.kind) == empty);
        }
        for (const float x : model.term_vectors.values) REQUIRE(std::isfinite(x));
        CHECK(!model.topics.empty());
        for (const braid::Topic& topic : model.topics) {
            CHECK(topic.words.size() <= 20);
            for (std::size_t i = 1; i < topic.words.size(); ++i) {
                CHECK(std::abs(topic.words[i].weight) <= std::abs(topic.words[i - 1].weight));
            }
        }
        CHECK(!model.training.stop_reason.empty());
    }
}

TEST_CASE("topic models: folding gives unit vectors, and zero for no words", "[conformance]") {
    const TermDocumentCounts& counts = some_counts();
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        const TopicModel model = fit(info, counts);
        const auto folding = braid::make_topic_folding(model.header);
        for (std::size_t d = 0; d < counts.documents(); ++d) {
            const std::vector<float> vector = braid::fold_in(*folding, model, counts.document(d));
            CHECK(check_vector(vector, info.kind) == (counts.document(d).size() == 0));
            CHECK(vector == braid::fold_in(*folding, model, counts.document(d)));
        }
        // What was there before is overwritten.
        std::vector<float> result(model.header.dimensions, 7.0F);
        folding->fold({}, result);
        CHECK(result == std::vector<float>(model.header.dimensions, 0.0F));
    }
}

TEST_CASE("topic models: the same bits at any number of threads", "[conformance]") {
    const TermDocumentCounts counts = braid::test::random_counts(
        braid::test::seed(), {.documents = 3000, .words = 500, .topics = 10});
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        const TopicModel one = fit(info, counts, {.dimensions = 5});
        for (const std::size_t threads : {2U, 8U}) {
            const TopicModel other = fit(info, counts, {.dimensions = 5}, threads);
            CHECK(other.header == one.header);
            CHECK(other.term_vectors.values == one.term_vectors.values);
            CHECK(other.document_vectors.values == one.document_vectors.values);
        }
    }
}

TEST_CASE("topic models: fitting can be stopped", "[conformance]") {
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        int calls = 0;
        const auto stop = [&](const braid::ProgressReport& report) {
            CHECK(report.phase.starts_with("training "));
            return ++calls < 2;
        };
        const auto counts = braid::test::random_counts(braid::test::seed(), {});
        CHECK_THROWS_AS(braid::fit_topic_model(info.name, counts, {.dimensions = 20},
                                               *braid::make_executor(1), stop),
                        braid::Cancelled);
        CHECK(calls == 2);
    }
}

TEST_CASE("topic models: options that are wrong are refused", "[conformance]") {
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        CHECK_THROWS_WITH(fit(info, some_counts(), {.dimensions = 0}), Contains("dimensions is 0"));
        CHECK_THROWS_AS(fit(info, some_counts(), {.parameters = {{"nonsense", 1}}}),
                        braid::UnknownComponent);
        CHECK_THROWS_AS(fit(info, some_counts(), {.choices = {{"nonsense", "yes"}}}),
                        braid::UnknownComponent);
        for (const braid::ParameterInfo& parameter : info.parameters) {
            for (const double value : {parameter.minimum - 1, parameter.maximum + 1,
                                       std::numeric_limits<double>::quiet_NaN()}) {
                CHECK_THROWS_AS(fit(info, some_counts(), {.parameters = {{parameter.name, value}}}),
                                braid::InvalidArgument);
            }
        }
        for (const braid::ChoiceInfo& choice : info.choices) {
            CHECK_THROWS_WITH(fit(info, some_counts(), {.choices = {{choice.name, "nonsense"}}}),
                              Contains(choice.values.front()));
        }
    }
}

TEST_CASE("topic models: counts that can't be learned from are refused", "[conformance]") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        CHECK_THROWS_WITH(fit(info, {}), Contains("none of the 0 documents"));
        CHECK_THROWS_WITH(fit(info, {{"a"}, {0, 0, 0}, {}, {}}), Contains("none of the 2"));
        CHECK_THROWS_WITH(fit(info, {{"a"}, {0, 1}, {0}, {nan}}), Contains("nan times"));
        CHECK_THROWS_WITH(fit(info, {{"a"}, {0, 1}, {0}, {0}}), Contains("0 times"));
    }
}

TEST_CASE("topic models: a vocabulary of one word", "[conformance]") {
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        // In all documents, and in some.
        for (const TermDocumentCounts& counts :
             {TermDocumentCounts{{"a"}, {0, 1, 2}, {0, 0}, {2, 5}},
              TermDocumentCounts{{"a"}, {0, 1, 1, 2}, {0, 0}, {2, 5}}}) {
            const TopicModel model = fit(info, counts, {.dimensions = 3});
            const auto first = model.document_vectors.row(0);
            const auto last = model.document_vectors.row(counts.documents() - 1);
            CHECK_FALSE(check_vector(first, info.kind));
            double cosine = 0;
            for (std::size_t k = 0; k < first.size(); ++k) cosine += first[k] * last[k];
            CHECK(cosine == Approx(1).epsilon(1e-5));
        }
    }
}

TEST_CASE("topic models: a header that no fit made is refused", "[conformance]") {
    for (const TopicModelInfo& info : braid::topic_models()) {
        INFO(info.name);
        const braid::TopicModelHeader header = fit(info, some_counts()).header;
        CHECK_NOTHROW(braid::make_topic_folding(header));
        const auto refused = [&](auto&& change) {
            braid::TopicModelHeader changed = header;
            change(changed);
            CHECK_THROWS_AS(braid::make_topic_folding(changed), braid::FormatError);
        };
        refused([](auto& h) { h.folding.push_back(1); });
        refused([](auto& h) { h.folding.clear(); });
        refused([](auto& h) { h.folding[0] = std::numeric_limits<double>::quiet_NaN(); });
        refused([](auto& h) { h.dimensions = 0; });
        refused([](auto& h) {
            h.kind = h.kind == braid::TopicVectorKind::kSigned
                         ? braid::TopicVectorKind::kProbability
                         : braid::TopicVectorKind::kSigned;
        });
        braid::TopicModelHeader unknown = header;
        unknown.model = "nonsense";
        CHECK_THROWS_AS(braid::make_topic_folding(unknown), braid::UnknownComponent);
    }
}
