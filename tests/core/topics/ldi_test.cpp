// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <map>
#include <string>

#include "braid/core/topics/lda.h"
#include "braid/core/topics/topic_fits.h"
#include "braid/error.h"
#include "braid/tests/core/topics/lda_test_data.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// The paper's toy example. Its beta is not printed; these are the p(z|w) that its figure 1 and
// text give, for the topics technology, business, diet, genetics.
const std::map<std::string, std::vector<float>>& toy_words() {
    static const std::map<std::string, std::vector<float>> words = {
        {"apple", {0.4275F, 0.3053F, 0.2672F, 0}},
        {"bean", {0, 0, 0, 1}},
        {"contract", {0, 1, 0, 0}},
        {"fry", {0, 0, 1, 0}},
        {"modified", {0, 0, 0, 1}},
        {"oil", {0, 0, 3.0F / 7, 4.0F / 7}},
        {"os", {1, 0, 0, 0}},
        {"pea", {0, 0, 3.0F / 7, 4.0F / 7}},
        {"pie", {0, 0, 1, 0}},
        {"product", {0.4118F, 0.5882F, 0, 0}},
        {"samsung", {0, 1, 0, 0}},
        {"sign", {0.4118F, 0.5882F, 0, 0}},
        {"smartphone", {1, 0, 0, 0}},
        {"system", {1, 0, 0, 0}},
    };
    return words;
}

struct ToyDocument {
    std::vector<std::string> words;
    std::vector<double> topics;        // Table 2.
    std::vector<double> similarities;  // Table 3: to queries 1, 2 and 3.
};

// Table 1 contradicts tables 2 and 3; with "samsung" in B2 and not in T3 all three agree.
const std::vector<ToyDocument>& toy_documents() {
    static const std::vector<ToyDocument> documents = {
        {{"apple", "smartphone", "os"}, {0.8092, 0.1018, 0.0891, 0}, {0.9475, 0.5227, 0.9938}},
        {{"apple", "os", "system", "product"},
         {0.7098, 0.2234, 0.0668, 0},
         {0.9885, 0.6643, 0.9915}},
        {{"smartphone", "system", "sign"}, {0.8039, 0.1961, 0, 0}, {0.9692, 0.6053, 0.9833}},
        {{"apple", "contract", "sign", "samsung"},
         {0.2098, 0.7234, 0.0668, 0},
         {0.6734, 0.9902, 0.4796}},
        {{"product", "contract", "samsung"}, {0.1373, 0.8627, 0, 0}, {0.5681, 0.9586, 0.3543}},
        {{"apple", "pie", "pea", "fry"},
         {0.1069, 0.0763, 0.6739, 0.1429},
         {0.3076, 0.2829, 0.3420}},
        {{"pie", "fry", "oil"}, {0, 0, 0.8095, 0.1905}, {0.1261, 0.1245, 0.1752}},
        {{"fry"}, {0, 0, 1, 0}, {0.1296, 0.1279, 0.1800}},
        {{"oil", "modified", "bean"}, {0, 0, 0.1429, 0.8571}, {0.0213, 0.0210, 0.0296}},
        {{"pea", "modified", "bean"}, {0, 0, 0.1429, 0.8571}, {0.0213, 0.0210, 0.0296}},
    };
    return documents;
}

std::vector<FoldingTerm> folding_terms(const std::vector<std::string>& words) {
    std::vector<FoldingTerm> terms;
    for (const std::string& word : words) terms.push_back({1, toy_words().at(word)});
    return terms;
}

std::vector<float> toy_vector(const std::vector<std::string>& words) {
    const auto folding = make_topic_folding({"ldi", 4, TopicVectorKind::kProbability, {1}});
    std::vector<float> result(4);
    folding->fold(folding_terms(words), result);
    return result;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

TopicOptions small_options() {
    TopicOptions options;
    options.dimensions = 5;
    options.parameters = {{"sweeps", 30}, {"annealing", 10}, {"chains", 3}, {"alpha", 0.2}};
    return options;
}

}  // namespace

TEST_CASE("LDI: Bayes' rule with uniform and with given topic shares") {
    FloatMatrix beta(3, 2);
    beta.values = {0.5F, 0.1F, 0.5F, 0.3F, 0, 0.6F};
    const FloatMatrix uniform = topic_given_word(beta);
    CHECK_THAT(uniform.row(0)[0], WithinRel(5.0 / 6, 1e-6));
    CHECK_THAT(uniform.row(1)[1], WithinRel(3.0 / 8, 1e-6));
    CHECK(uniform.row(2)[0] == 0);
    CHECK(uniform.row(2)[1] == 1);
    const FloatMatrix weighted = topic_given_word(beta, std::vector<double>{0.25, 0.75});
    CHECK_THAT(weighted.row(0)[0], WithinRel(0.125 / 0.2, 1e-6));
    CHECK_THAT(weighted.row(1)[0], WithinRel(0.125 / 0.35, 1e-6));
    CHECK_THROWS_AS(topic_given_word(beta, std::vector<double>{1}), InvalidArgument);
    // A word's p(z|w) does not change with how frequent the word is in all topics alike.
    for (const auto& [word, expected] : toy_words()) {
        FloatMatrix row(1, 4);
        for (std::size_t k = 0; k < 4; ++k) row.values[k] = 0.03F * expected[k];
        for (std::size_t k = 0; k < 4; ++k) {
            CHECK_THAT(topic_given_word(row).row(0)[k], WithinAbs(expected[k], 1e-6));
        }
    }
}

TEST_CASE("LDI: the paper's toy example, documents in topic space") {
    for (const ToyDocument& document : toy_documents()) {
        std::vector<float> topics(4);
        topic_given_text(folding_terms(document.words), topics);
        for (std::size_t k = 0; k < 4; ++k) {
            CHECK_THAT(topics[k], WithinAbs(document.topics[k], 7e-5));
        }
    }
}

TEST_CASE("LDI: the paper's toy example, similarities to its queries") {
    const std::vector<std::vector<float>> queries = {toy_vector({"apple", "sign", "system"}),
                                                     toy_vector({"apple", "contract", "product"}),
                                                     toy_vector({"apple", "os"})};
    for (const ToyDocument& document : toy_documents()) {
        const std::vector<float> vector = toy_vector(document.words);
        for (std::size_t q = 0; q < 3; ++q) {
            CHECK_THAT(dot(vector, queries[q]), WithinAbs(document.similarities[q], 7e-5));
        }
    }
}

TEST_CASE("LDI: words, and words and documents, are alike by the cosine") {
    const std::vector<float> apple = toy_vector({"apple"});
    const std::vector<float> product = toy_vector({"product"});
    const double norm_apple = std::sqrt(0.4275 * 0.4275 + 0.3053 * 0.3053 + 0.2672 * 0.2672);
    const double norm_product = std::sqrt(0.4118 * 0.4118 + 0.5882 * 0.5882);
    const double expected = (0.4275 * 0.4118 + 0.3053 * 0.5882) / (norm_apple * norm_product);
    CHECK_THAT(dot(apple, product), WithinRel(expected, 1e-6));
    CHECK_THAT(dot(toy_vector({"fry"}), toy_vector({"pie", "fry", "oil"})),
               WithinAbs(0.8095 / std::sqrt(0.8095 * 0.8095 + 0.1905 * 0.1905), 1e-4));
}

TEST_CASE("LDI: a text's counts weigh its words, and an empty text is all zero") {
    std::vector<float> topics(4);
    topic_given_text(
        std::vector<FoldingTerm>{{3, toy_words().at("os")}, {1, toy_words().at("fry")}}, topics);
    CHECK(topics == std::vector<float>{0.75F, 0, 0.25F, 0});
    CHECK(toy_vector({}) == std::vector<float>(4, 0));
}

TEST_CASE("LDI: several chains make one vector, whose product is their mean cosine") {
    const TermDocumentCounts counts = braid::test::planted({}, 2);
    const auto executor = make_executor(2);
    const TopicModel model = fit_topic_model("ldi", counts, small_options(), *executor);
    REQUIRE(model.header.dimensions == 15);
    REQUIRE(model.topics.size() == 15);
    const auto part = [&](std::size_t d, std::size_t chain) {
        const auto row = model.document_vectors.row(d).subspan(chain * 5, 5);
        return std::vector<float>(row.begin(), row.end());
    };
    for (std::size_t d = 0; d < 20; ++d) {
        double mean = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            const std::vector<float> a = part(d, c);
            const std::vector<float> b = part(d + 1, c);
            CHECK_THAT(dot(a, a), WithinRel(1.0 / 3, 1e-5));
            mean += dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)) / 3;
        }
        const auto row = model.document_vectors.row(d);
        const auto next = model.document_vectors.row(d + 1);
        CHECK_THAT(dot({row.begin(), row.end()}, {next.begin(), next.end()}),
                   WithinRel(mean, 1e-5));
    }
    double share = 0;
    for (const Topic& topic : model.topics) share += topic.share;
    CHECK_THAT(share, WithinRel(1.0, 1e-9));
}

TEST_CASE("LDI: folding in a document gives the model's vector of it") {
    const TermDocumentCounts counts = braid::test::planted({}, 2);
    const auto executor = make_executor(1);
    for (const std::string name : {"lda", "ldi"}) {
        const TopicModel model = fit_topic_model(name, counts, small_options(), *executor);
        const auto folding = make_topic_folding(model.header);
        for (std::size_t d = 0; d < counts.documents(); ++d) {
            const std::vector<float> folded = fold_in(*folding, model, counts.document(d));
            const auto row = model.document_vectors.row(d);
            REQUIRE(folded == std::vector<float>(row.begin(), row.end()));
            REQUIRE_THAT(dot(folded, folded), WithinRel(1.0, 1e-5));
        }
    }
}

TEST_CASE("LDI: estimated topic shares change the vectors, and Bayes' rule says how") {
    braid::test::PlantedOptions data;
    data.popularity = {0.6, 0.1, 0.1, 0.1, 0.1};
    const TermDocumentCounts counts = braid::test::planted(data, 2);
    const auto executor = make_executor(1);
    TopicOptions options = small_options();
    options.parameters["chains"] = 1;
    const TopicModel uniform = fit_topic_model("ldi", counts, options, *executor);
    const TopicModel lda = fit_topic_model("lda", counts, options, *executor);
    options.choices["topic-share"] = "estimated";
    const TopicModel estimated = fit_topic_model("ldi", counts, options, *executor);
    CHECK(uniform.term_vectors.values == topic_given_word(lda.term_vectors).values);
    std::vector<double> shares;
    for (const Topic& topic : lda.topics) shares.push_back(topic.share);
    CHECK(estimated.term_vectors.values == topic_given_word(lda.term_vectors, shares).values);
    CHECK(estimated.term_vectors.values != uniform.term_vectors.values);
}

TEST_CASE("LDI: headers that no fit has made are refused") {
    const auto refuse = [](const std::string& name, std::size_t dimensions,
                           std::vector<double> folding) {
        CHECK_THROWS_AS(make_topic_folding(
                            {name, dimensions, TopicVectorKind::kProbability, std::move(folding)}),
                        FormatError);
    };
    refuse("ldi", 4, {});
    refuse("ldi", 4, {0});
    refuse("ldi", 4, {3});
    refuse("ldi", 4, {1.5});
    refuse("ldi", 4, {5});
    refuse("ldi", 4, {1, 1});
    refuse("ldi", 4, {NAN});
    refuse("lda", 2, {});
    refuse("lda", 2, {1, 0.1});
    refuse("lda", 2, {1, 0.1, 0});
    refuse("lda", 2, {1, 0.1, NAN});
    refuse("lda", 2, {3, 0.1, 0.1});
    refuse("lda", 3, {2, 0.1, 0.1, 0.1});
    CHECK_NOTHROW(make_topic_folding({"lda", 2, TopicVectorKind::kProbability, {2, 0.1, 0.1}}));
}
