// SPDX-License-Identifier: GPL-2.0-or-later
// Language models are served in a shifted form; these tests hold it against the likelihood itself.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "braid/core/base/random.h"
#include "braid/core/lexical/ranker.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// Documents over a vocabulary of 30 words, each as its counts, and a query of 4 of the words.
struct Collection {
    std::vector<std::vector<double>> documents;
    std::vector<double> query;

    explicit Collection(Random& random) {
        documents.assign(20, std::vector<double>(30, 0));
        for (std::vector<double>& counts : documents) {
            const std::uint64_t words = 1 + random.below(60);
            for (std::uint64_t i = 0; i < words; ++i) counts[random.below(30)] += 1;
        }
        // Every word occurs, or the models would take the logarithm of 0.
        for (double& count : documents.front()) count += 1;
        query.assign(30, 0);
        for (int i = 0; i < 4; ++i) query[random.below(30)] += 1;
    }

    double length(std::size_t document) const {
        return std::accumulate(documents[document].begin(), documents[document].end(), 0.0);
    }
    double unique_terms(std::size_t document) const {
        return static_cast<double>(std::count_if(documents[document].begin(),
                                                 documents[document].end(),
                                                 [](double count) { return count > 0; }));
    }
    double total() const {
        double sum = 0;
        for (std::size_t d = 0; d < documents.size(); ++d) sum += length(d);
        return sum;
    }
    double occurrences(std::size_t word) const {
        double sum = 0;
        for (const std::vector<double>& counts : documents) sum += counts[word];
        return sum;
    }
    double holders(std::size_t word) const {
        double sum = 0;
        for (const std::vector<double>& counts : documents) sum += counts[word] > 0 ? 1 : 0;
        return sum;
    }
};

// What the served form gives: term parts of the words that occur, and the document part.
double served(const LexicalRanker& ranker, const Collection& c, std::size_t document) {
    const CollectionStatistics collection{static_cast<double>(c.documents.size()), c.total()};
    const double query_length = std::accumulate(c.query.begin(), c.query.end(), 0.0);
    double score = 0;
    for (std::size_t word = 0; word < c.query.size(); ++word) {
        if (c.query[word] == 0 || c.documents[document][word] == 0) continue;
        const TermStatistics term{collection, c.holders(word), c.occurrences(word), c.query[word]};
        score += ranker.term_scorer(term)->score(
            {c.documents[document][word], c.length(document), c.unique_terms(document)});
    }
    const auto part = ranker.document_scorer({collection, query_length});
    if (part != nullptr) score += part->score({0, c.length(document), c.unique_terms(document)});
    return score;
}

using Probability = std::function<double(const Collection&, std::size_t document, std::size_t w)>;

// The logarithm of the query's probability, over all of its words, present or not.
double log_likelihood(const Collection& c, std::size_t document, const Probability& p) {
    double sum = 0;
    for (std::size_t word = 0; word < c.query.size(); ++word) {
        if (c.query[word] > 0) sum += c.query[word] * std::log(p(c, document, word));
    }
    return sum;
}

void check_shifted_by_a_constant(const std::string& name, const ParameterMap& parameters,
                                 const Probability& probability) {
    const auto ranker = make_lexical_ranker(name, parameters);
    Random random(test::seed());
    for (int round = 0; round < 20; ++round) {
        const Collection collection(random);
        const double shift =
            served(*ranker, collection, 0) - log_likelihood(collection, 0, probability);
        for (std::size_t d = 1; d < collection.documents.size(); ++d) {
            CHECK_THAT(served(*ranker, collection, d) - log_likelihood(collection, d, probability),
                       WithinAbs(shift, 1e-9));
        }
    }
}

double background(const Collection& c, std::size_t word) { return c.occurrences(word) / c.total(); }

}  // namespace

TEST_CASE("Language models: Dirichlet's score is the log-likelihood and a constant", "[property]") {
    const double mu = 37;
    check_shifted_by_a_constant(
        "lm-dirichlet", {{"mu", mu}}, [mu](const Collection& c, std::size_t d, std::size_t w) {
            return (c.documents[d][w] + mu * background(c, w)) / (c.length(d) + mu);
        });
}

TEST_CASE("Language models: Jelinek-Mercer's score is the log-likelihood and a constant",
          "[property]") {
    const double lambda = 0.3;
    check_shifted_by_a_constant(
        "lm-jm", {{"lambda", lambda}}, [lambda](const Collection& c, std::size_t d, std::size_t w) {
            return (1 - lambda) * c.documents[d][w] / c.length(d) + lambda * background(c, w);
        });
}

TEST_CASE("Language models: absolute discounting's score is the log-likelihood and a constant",
          "[property]") {
    const double delta = 0.6;
    check_shifted_by_a_constant("lm-absdiscount", {{"delta", delta}},
                                [delta](const Collection& c, std::size_t d, std::size_t w) {
                                    return std::max(c.documents[d][w] - delta, 0.0) / c.length(d) +
                                           delta * c.unique_terms(d) / c.length(d) *
                                               background(c, w);
                                });
}

TEST_CASE("Language models: no document is too long to be scored") {
    const auto ranker = make_lexical_ranker("lm-dirichlet", {{"longest", 1000}});
    const auto part = ranker->document_scorer({{10, 5000}, 2});
    CHECK(part->score({0, 999, 0}) > 0);
    CHECK(part->score({0, 1000, 0}) == 0);
    CHECK(part->score({0, 5000, 0}) == 0);
}
