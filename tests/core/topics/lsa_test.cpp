// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/topics/topic_fits.h"
#include "braid/tests/core/topics/random_counts.h"
#include "braid/tests/support/support.h"

namespace {

using braid::TermDocumentCounts;
using braid::TopicModel;
using braid::TopicOptions;
using namespace braid::test;

// "a" is in both documents alike, "b" and "c" in one each.
const TermDocumentCounts kTwoDocuments = {{"a", "b", "c"}, {0, 2, 4}, {0, 1, 0, 2}, {1, 1, 1, 3}};

TopicModel fit(const TermDocumentCounts& counts, const TopicOptions& options) {
    return braid::fit_topic_model("lsa", counts, options, *braid::make_executor(1));
}

double dot(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * b[k];
    return sum;
}

}  // namespace

TEST_CASE("term weighting: worked examples") {
    const auto weights = [](const std::string& name) {
        return braid::weigh(kTwoDocuments, braid::make_term_weighting(name, kTwoDocuments));
    };
    // Entropy: 1 + (1/2 ln 1/2 + 1/2 ln 1/2) / ln 2 = 0 for a, 1 for b and c; local ln 2, ln 4.
    // All divided by the largest.
    const std::vector<float> log_entropy = weights("log-entropy");
    CHECK(log_entropy[0] == 0);
    CHECK(log_entropy[1] == Approx(0.5));
    CHECK(log_entropy[2] == 0);
    CHECK(log_entropy[3] == 1);
    // idf is ln(2/2) = 0 and ln 2; each document has one word left, of length 1.
    CHECK(weights("tf-idf") == std::vector<float>{0, 1, 0, 1});
    const std::vector<float> raw = weights("raw");
    CHECK(raw[0] == Approx(1.0 / 3));
    CHECK(raw[3] == 1);

    // Counts 1, 1, 2 of one word in three of four documents:
    // 1 + (2 * 1/4 ln 1/4 + 1/2 ln 1/2) / ln 4 = 1 - 1.0397208 / 1.3862944 = 1/4.
    const TermDocumentCounts word = {{"a"}, {0, 1, 2, 3, 3}, {0, 0, 0}, {1, 1, 2}};
    CHECK(braid::make_term_weighting("log-entropy", word).term_weights[0] == Approx(0.25));
    CHECK(braid::make_term_weighting("tf-idf", word).term_weights[0] == Approx(std::log(4.0 / 3)));
}

TEST_CASE("lsa: a worked example") {
    // The weighted matrix is diag(1/2, 1) on b and c; the first dimension is c's.
    const TopicModel model =
        fit(kTwoDocuments, {.dimensions = 2, .parameters = {{"scaling", 0.5}}});
    REQUIRE(model.header.dimensions == 2);
    CHECK(model.header.folding == std::vector<double>{1});
    const double shrunk = std::sqrt(0.5);
    CHECK(model.term_vectors.row(2)[0] == Approx(1));
    CHECK(model.term_vectors.row(1)[1] == Approx(shrunk));
    CHECK(std::abs(model.term_vectors.row(1)[0]) < 1e-6);
    CHECK(dot(model.term_vectors.row(0), model.term_vectors.row(0)) == 0);
    CHECK(model.document_vectors.row(0)[1] == Approx(1));
    CHECK(model.document_vectors.row(1)[0] == Approx(1));

    REQUIRE(model.topics.size() == 2);
    CHECK(model.topics[0].words.at(0).term == "c");
    CHECK(model.topics[0].share == Approx(0.8));
    CHECK(model.topics[1].words.at(0).term == "b");
    CHECK(model.topics[1].share == Approx(0.2));

    // b once and c three times: ln 2 (0, sqrt 1/2) + ln 4 (1, 0) ~ (2, sqrt 1/2).
    const auto folding = braid::make_topic_folding(model.header);
    const std::vector<std::uint32_t> terms = {1, 2};
    const std::vector<float> counts = {1, 3};
    const std::vector<float> vector = braid::fold_in(*folding, model, {terms, counts});
    CHECK(vector[0] == Approx(2 / std::sqrt(4.5)));
    CHECK(vector[1] == Approx(shrunk / std::sqrt(4.5)));
}

TEST_CASE("lsa: a document folded in is the document", "[property]") {
    const TermDocumentCounts counts = braid::test::random_counts(braid::test::seed(), {});
    for (const std::string weighting : {"log-entropy", "tf-idf", "raw"}) {
        for (const double scaling : {-1.0, 0.0, 0.25}) {
            const TopicModel model = fit(counts, {.dimensions = 10,
                                                  .parameters = {{"scaling", scaling}},
                                                  .choices = {{"weighting", weighting}}});
            const auto folding = braid::make_topic_folding(model.header);
            for (std::size_t d = 0; d < counts.documents(); ++d) {
                const std::vector<float> folded =
                    braid::fold_in(*folding, model, counts.document(d));
                const double expected = counts.document(d).size() == 0 ? 0 : 1;
                REQUIRE(dot(folded, model.document_vectors.row(d)) ==
                        Approx(expected).margin(1e-5));
            }
        }
    }
}

TEST_CASE("lsa: cosines are those of the best approximation") {
    // At full rank without scaling, rows of A V have the cosines of A's own rows.
    const TermDocumentCounts counts =
        braid::test::random_counts(braid::test::seed(), {.documents = 40, .words = 30});
    const TopicModel model = fit(counts, {.dimensions = 40, .parameters = {{"scaling", 0}}});
    const auto weighting = braid::make_term_weighting("log-entropy", counts);
    const std::vector<float> values = braid::weigh(counts, weighting);
    std::vector<std::vector<float>> rows(counts.documents());
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        rows[d].assign(counts.vocabulary.size(), 0);
        for (std::size_t i = counts.document_begin[d]; i < counts.document_begin[d + 1]; ++i) {
            rows[d][counts.terms[i]] = values[i];
        }
    }
    for (std::size_t a = 0; a < rows.size(); ++a) {
        for (std::size_t b = 0; b < rows.size(); ++b) {
            const double lengths = std::sqrt(dot(rows[a], rows[a]) * dot(rows[b], rows[b]));
            const double cosine = lengths == 0 ? 0 : dot(rows[a], rows[b]) / lengths;
            REQUIRE(dot(model.document_vectors.row(a), model.document_vectors.row(b)) ==
                    Approx(cosine).margin(1e-4));
        }
    }
}

TEST_CASE("lsa: more dimensions than there are become fewer, and are reported") {
    const TopicModel model = fit(kTwoDocuments, {.dimensions = 100});
    CHECK(model.header.dimensions == 2);
    CHECK(model.topics.size() == 2);
    CHECK(model.term_vectors.columns == 2);
    REQUIRE(model.training.warnings.size() == 1);
    CHECK_THAT(model.training.warnings[0], Contains("lowered from 100 to 2"));
    CHECK(fit(kTwoDocuments, {.dimensions = 2}).training.warnings.empty());
}

TEST_CASE("lsa: a weighting that leaves nothing falls back to raw and says so") {
    const TermDocumentCounts counts = {{"a"}, {0, 1, 2}, {0, 0}, {2, 2}};
    for (const std::string weighting : {"log-entropy", "tf-idf"}) {
        const TopicModel model =
            fit(counts, {.dimensions = 1, .choices = {{"weighting", weighting}}});
        REQUIRE(model.training.warnings.size() == 1);
        CHECK_THAT(model.training.warnings[0], Contains("in all 2 documents"));
        CHECK(model.header.folding == std::vector<double>{0});
        CHECK(model.document_vectors.row(0)[0] == 1);
    }
}

TEST_CASE("lsa: huge and tiny counts neither overflow nor vanish") {
    const TermDocumentCounts huge = {
        {"a", "b"}, {0, 2, 4}, {0, 1, 0, 1}, {3e38F, 1e38F, 1e38F, 3e38F}};
    const TermDocumentCounts tiny = {
        {"a", "b"}, {0, 2, 4}, {0, 1, 0, 1}, {3e-30F, 1e-30F, 1e-30F, 3e-30F}};
    for (const TermDocumentCounts& counts : {huge, tiny}) {
        const TopicModel model = fit(counts, {.dimensions = 2, .choices = {{"weighting", "raw"}}});
        REQUIRE(model.header.dimensions == 2);
        CHECK(model.topics[0].share == Approx(16.0 / 20));
        CHECK(dot(model.document_vectors.row(0), model.document_vectors.row(0)) == Approx(1));
    }
}

TEST_CASE("lsa: progress says how far it came") {
    const TermDocumentCounts counts = braid::test::random_counts(braid::test::seed(), {});
    std::vector<std::uint64_t> done;
    std::string detail;
    const auto follow = [&](const braid::ProgressReport& report) {
        done.push_back(report.done);
        if (!report.detail.empty()) detail = report.detail;
        return true;
    };
    const TopicModel model =
        braid::fit_topic_model("lsa", counts, {.dimensions = 8}, *braid::make_executor(1), follow);
    CHECK(done.size() == model.training.iterations);
    CHECK(std::is_sorted(done.begin(), done.end()));
    CHECK_THAT(detail, Contains("estimated energy missing"));
    CHECK(model.training.stop_reason == "converged");
    CHECK(model.training.objective <= 5e-4);
}
