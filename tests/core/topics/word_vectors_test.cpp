// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/word_vectors.h"

#include <algorithm>
#include <cmath>

#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

using Vector = std::vector<double>;

FloatMatrix matrix(const std::vector<std::vector<float>>& rows) {
    FloatMatrix result(rows.size(), rows.front().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy(rows[i].begin(), rows[i].end(), result.row(i).begin());
    }
    return result;
}

TermDocumentCounts random_word_counts(Random& random, std::size_t documents, std::size_t words) {
    TermDocumentCountsBuilder builder;
    for (std::size_t d = 0; d < documents; ++d) {
        builder.begin_document();
        for (std::size_t i = random.below(9); i > 0; --i) {
            builder.add("w" + std::to_string(10 + random.below(words)));
        }
    }
    return builder.build();
}

double product(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

Vector of_length_one(Vector v) {
    const double length = std::sqrt(product(v, v));
    for (double& x : v) x = length > 0 ? x / length : 0;
    return v;
}

// (1) and (2) by name, with the component found by power iteration over the documents.
std::vector<Vector> naive(const TermDocumentCounts& counts, const FloatMatrix& vectors,
                          const WordVectorSettings& settings) {
    const std::size_t size = vectors.columns;
    const Vector occurrences = counts.collection_frequencies();
    const auto having = counts.document_frequencies();
    double total = 0;
    for (const double x : occurrences) total += x;
    std::vector<Vector> sums;
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        Vector sum(size, 0);
        const TermCounts document = counts.document(d);
        for (std::size_t i = 0; i < document.size(); ++i) {
            const std::uint32_t t = document.terms[i];
            const double g = settings.idf ? std::log(double(counts.documents()) / having[t])
                                          : settings.a / (settings.a + occurrences[t] / total);
            for (std::size_t k = 0; k < size; ++k) {
                sum[k] += std::log(1 + document.counts[i]) * g * vectors.row(t)[k];
            }
        }
        sums.push_back(sum);
    }
    std::vector<Vector> unit;
    for (const Vector& sum : sums) unit.push_back(of_length_one(sum));
    for (std::size_t c = 0; c < settings.components; ++c) {
        Vector u(size, 1);
        for (std::size_t k = 0; k < size; ++k) u[k] += 0.1 * static_cast<double>(k);
        for (int step = 0; step < 3000; ++step) {
            Vector next(size, 0);
            for (const Vector& x : unit) {
                const double along = product(x, u);
                for (std::size_t k = 0; k < size; ++k) next[k] += along * x[k];
            }
            u = of_length_one(next);
        }
        for (auto* set : {&sums, &unit}) {
            for (Vector& x : *set) {
                const double along = product(x, u);
                for (std::size_t k = 0; k < size; ++k) x[k] -= along * u[k];
            }
        }
    }
    for (Vector& sum : sums) sum = of_length_one(sum);
    return sums;
}

}  // namespace

TEST_CASE("Word vectors: documents are the weighted sums less the common components",
          "[property]") {
    Random random(seed());
    for (int round = 0; round < 20; ++round) {
        const TermDocumentCounts counts = random_word_counts(random, 30, 12);
        FloatMatrix vectors(counts.vocabulary.size(), 5);
        for (float& x : vectors.values) x = static_cast<float>(random.uniform() - 0.3);
        const WordVectorSettings settings{random.below(2) == 0, 0.01, random.below(2)};
        const TopicModel model = fit_word_vectors(counts, vectors, settings);
        const auto expected = naive(counts, vectors, settings);
        const auto folding = make_topic_folding(model.header);
        for (std::size_t d = 0; d < counts.documents(); ++d) {
            const std::vector<float> folded = fold_in(*folding, model, counts.document(d));
            for (std::size_t k = 0; k < 5; ++k) {
                REQUIRE_THAT(model.document_vectors.row(d)[k], WithinAbs(expected[d][k], 1e-4));
                REQUIRE(folded[k] == model.document_vectors.row(d)[k]);
            }
        }
    }
}

TEST_CASE("Word vectors: words without a vector are unknown, and coverage says how many occur") {
    TermDocumentCountsBuilder builder;
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"aircraft", "wing"}, {"plane", "wing", "wing"}, {"odd"}}) {
        builder.begin_document();
        for (const std::string& word : words) builder.add(word);
    }
    const TermDocumentCounts counts = builder.build();  // aircraft, odd, plane, wing
    const FloatMatrix vectors = matrix({{1, 0, 0.1F}, {0, 0, 0}, {0.9F, 0, 0.1F}, {0, 1, 0.1F}});
    CHECK_THAT(coverage(counts, vectors), WithinRel(5.0 / 6, 1e-12));
    const TopicModel model = fit_word_vectors(counts, vectors, {.components = 0});
    CHECK(model.vocabulary == std::vector<std::string>{"aircraft", "plane", "wing"});
    CHECK(model.header.dimensions == 3);
    CHECK_THAT(model.training.objective, WithinRel(5.0 / 6, 1e-12));
    const auto similar = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            sum += model.document_vectors.row(a)[k] * model.document_vectors.row(b)[k];
        }
        return sum;
    };
    CHECK(similar(0, 1) > 0.9);
    CHECK(similar(0, 2) == 0);
    CHECK_THROWS_AS(fit_word_vectors(counts, FloatMatrix(4, 3), {}), InvalidArgument);
    // As many components as columns would leave nothing.
    CHECK(fit_word_vectors(counts, vectors, {.components = 9}).vocabulary.size() == 3);
    CHECK_THROWS_WITH(fit_topic_model(kWordVectorsModel, counts, {}, *make_executor(1)),
                      Contains("expected a file of them"));
}
