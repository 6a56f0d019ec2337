// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/held_out.h"

#include <cmath>
#include <limits>

#include "braid/core/topics/topic_words.h"
#include "braid/error.h"
#include "braid/tests/core/topics/lda_test_data.h"
#include "braid/tests/support/support.h"

using namespace braid;
using braid::test::make_counts;
using namespace braid::test;

TEST_CASE("Held out: uniform topics have the vocabulary's size as perplexity") {
    const TermDocumentCounts counts = make_counts({{"a", "b", "c", "d", "a"}, {}, {"c", "d", "e"}});
    FloatMatrix uniform(5, 3);
    for (float& x : uniform.values) x = 0.2F;
    const auto executor = make_executor(1);
    const HeldOutScore score =
        document_completion(uniform, std::vector<float>{0.1F, 0.2F, 0.3F}, counts, *executor);
    CHECK_THAT(score.perplexity, WithinRel(5.0, 1e-5));
    CHECK(score.tokens == 5);  // 3 of the first document's, 2 of the last one's
}

TEST_CASE("Held out: an example worked by hand") {
    // One topic says a, the other b. Of "a a", one token is seen: theta solves (10),
    // theta_0 = (alpha + 1) / (1 + 2 alpha), and the other token's likelihood is theta_0.
    const TermDocumentCounts counts = make_counts({{"a", "a"}, {"b"}});
    FloatMatrix topics(2, 2);
    topics.values = {1, 0, 0, 1};
    const auto executor = make_executor(1);
    const HeldOutScore score =
        document_completion(topics, std::vector<float>{0.5F, 0.5F}, counts, *executor);
    // Of "b" nothing is seen: theta is the prior, 1/2.
    CHECK_THAT(score.log_likelihood, WithinRel(std::log(0.75) + std::log(0.5), 1e-6));
    CHECK(score.tokens == 2);
}

TEST_CASE("Held out: the same bits at any number of threads, and sizes are checked") {
    const TermDocumentCounts counts = braid::test::planted({}, 4);
    FloatMatrix topics(counts.vocabulary.size(), 3);
    Random random(1);
    for (float& x : topics.values) x = static_cast<float>(random.uniform() / 50);
    const std::vector<float> alpha(3, 0.1F);
    const HeldOutScore one = document_completion(topics, alpha, counts, *make_executor(1));
    const HeldOutScore eight = document_completion(topics, alpha, counts, *make_executor(8));
    CHECK(one.log_likelihood == eight.log_likelihood);
    CHECK(document_completion(topics, alpha, counts, *make_executor(1), 99).log_likelihood !=
          one.log_likelihood);
    CHECK_THROWS_AS(
        document_completion(topics, std::vector<float>(2, 0.1F), counts, *make_executor(1)),
        InvalidArgument);
}

TEST_CASE("Inference: the fixed point is the maximum of the posterior") {
    Random random(braid::test::seed());
    FloatMatrix words(6, 4);
    for (float& x : words.values) x = static_cast<float>(random.uniform());
    const std::vector<float> alpha = {0.3F, 0.1F, 0.6F, 0.2F};
    std::vector<FoldingTerm> terms;
    for (std::size_t i = 0; i < 6; ++i)
        terms.push_back({1.0 + static_cast<double>(i % 3), words.row(i)});
    std::vector<float> theta(4);
    infer_topics(terms, alpha, {5000, 1e-9}, theta);
    const auto objective = [&](const std::vector<double>& p) {
        double sum = 0;
        for (const FoldingTerm& term : terms) {
            double likelihood = 0;
            for (std::size_t k = 0; k < 4; ++k) likelihood += p[k] * term.vector[k];
            sum += term.count * std::log(likelihood);
        }
        for (std::size_t k = 0; k < 4; ++k) sum += alpha[k] * std::log(p[k]);
        return sum;
    };
    const std::vector<double> best(theta.begin(), theta.end());
    CHECK_THAT(best[0] + best[1] + best[2] + best[3], WithinRel(1.0, 1e-5));
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
            if (a == b) continue;
            std::vector<double> moved = best;
            const double step = 0.02 * best[b];
            moved[a] += step;
            moved[b] -= step;
            CHECK(objective(moved) < objective(best));
        }
    }
}

TEST_CASE("Inference: words without a vector are passed over") {
    const std::vector<float> nothing = {0, 0};
    const std::vector<float> something = {1, 0};
    const std::vector<float> alpha = {0.5F, 1.5F};
    std::vector<float> theta(2);
    infer_topics({}, alpha, {}, theta);
    CHECK(theta == std::vector<float>{0.25F, 0.75F});
    infer_topics(std::vector<FoldingTerm>{{3, nothing}}, alpha, {}, theta);
    CHECK(theta == std::vector<float>{0.25F, 0.75F});
    infer_topics(std::vector<FoldingTerm>{{3, nothing}, {2, something}}, alpha, {}, theta);
    CHECK_THAT(theta[0], WithinRel(2.5 / 4, 1e-4));
}

TEST_CASE("Coherence: an example worked by hand") {
    const TermDocumentCounts counts =
        make_counts({{"a", "b"}, {"a", "b", "c"}, {"a"}, {"c", "d"}, {"d"}, {"c"}, {}, {}});
    const auto coherence = [&](std::vector<std::string> words) {
        Topic topic;
        for (const std::string& word : words) topic.words.push_back({word, 1});
        return topic_coherence({topic}, counts)[0];
    };
    // p(a) = 3/8, p(b) = 2/8, p(a, b) = 2/8: log((1/4) / (3/32)) / log 4
    CHECK_THAT(coherence({"a", "b"}), WithinRel(std::log(8.0 / 3) / std::log(4.0), 1e-12));
    CHECK(coherence({"a", "d"}) == -1);
    // a with c and b with c, p 1/8 each: log((1/8) / (9/64)) and log((1/8) / (6/64)), over log 8
    const double ac = std::log(8.0 / 9) / std::log(8.0);
    const double bc = std::log(4.0 / 3) / std::log(8.0);
    const double ab = std::log(8.0 / 3) / std::log(4.0);
    CHECK_THAT(coherence({"a", "b", "c"}), WithinRel((ab + ac + bc) / 3, 1e-12));
    CHECK(coherence({"a"}) == 0);
    CHECK(coherence({"a", "unknown"}) == 0);
    CHECK(topic_coherence({}, counts).empty());
    const TermDocumentCounts everywhere = make_counts({{"a", "b"}, {"a", "b"}});
    Topic both;
    both.words = {{"a", 1}, {"b", 1}};
    CHECK(topic_coherence({both}, everywhere)[0] == 0);
}
