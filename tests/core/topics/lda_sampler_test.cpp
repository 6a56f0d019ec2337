// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "braid/core/base/random.h"
#include "braid/core/topics/lda.h"
#include "braid/core/topics/lda_lanes.h"
#include "braid/error.h"
#include "braid/tests/core/topics/lda_test_data.h"
#include "braid/tests/support/support.h"

using namespace braid;
using braid::test::make_counts;

namespace {

constexpr std::uint16_t kUnused = 48;

std::array<std::uint32_t, 8> bits_of(const float (&lanes)[8]) {
    return std::bit_cast<std::array<std::uint32_t, 8>>(lanes);
}

std::vector<TopicGroup> empty_list(std::size_t length, std::size_t topics) {
    TopicGroup empty{};
    empty.topics.fill(kUnused);
    return std::vector<TopicGroup>(groups_needed(length, topics), empty);
}

/// log p(z, w) of an assignment of a topic to every token, up to a constant; lda.md (3).
double log_joint(const std::vector<std::size_t>& topics, const std::vector<std::size_t>& terms,
                 const std::vector<std::size_t>& documents, const std::vector<double>& alpha,
                 double eta, std::size_t vocabulary) {
    std::map<std::pair<std::size_t, std::size_t>, int> by_document;
    std::map<std::pair<std::size_t, std::size_t>, int> by_term;
    std::vector<int> totals(alpha.size(), 0);
    for (std::size_t i = 0; i < topics.size(); ++i) {
        ++by_document[{documents[i], topics[i]}];
        ++by_term[{terms[i], topics[i]}];
        ++totals[topics[i]];
    }
    double log_p = 0;
    for (const auto& [key, n] : by_document) {
        log_p += std::lgamma(n + alpha[key.second]) - std::lgamma(alpha[key.second]);
    }
    for (const auto& [key, n] : by_term) log_p += std::lgamma(n + eta) - std::lgamma(eta);
    const double sum = eta * static_cast<double>(vocabulary);
    for (const int n : totals) log_p += std::lgamma(sum) - std::lgamma(n + sum);
    return log_p;
}

/// The tokens' terms and documents in the order of a corpus of one block.
void read_tokens(const LdaCorpus& corpus, std::vector<std::size_t>& terms,
                 std::vector<std::size_t>& documents) {
    std::uint64_t token = 0;
    for (const LdaVisit& visit : corpus.cells[0].visits) {
        for (; token < visit.end; ++token) {
            terms.push_back(visit.term);
            documents.push_back(corpus.document_of_part[corpus.part_of_token[token]]);
        }
    }
}

/// Half the summed difference between how often the sampler is in each state and the posterior.
double distance_from_posterior(const TermDocumentCounts& counts, const LdaPriors& priors,
                               std::size_t sweeps) {
    const std::size_t topics = priors.alpha.size();
    std::vector<std::size_t> terms;
    std::vector<std::size_t> documents;
    read_tokens(make_lda_corpus(counts, 1), terms, documents);
    std::size_t states = 1;
    for (std::size_t i = 0; i < terms.size(); ++i) states *= topics;
    std::vector<double> posterior(states);
    double sum = 0;
    for (std::size_t s = 0; s < states; ++s) {
        std::vector<std::size_t> assignment;
        for (std::size_t i = 0, rest = s; i < terms.size(); ++i, rest /= topics) {
            assignment.push_back(rest % topics);
        }
        const std::vector<double> alpha(priors.alpha.begin(), priors.alpha.end());
        posterior[s] = std::exp(
            log_joint(assignment, terms, documents, alpha, priors.eta, counts.vocabulary.size()));
        sum += posterior[s];
    }
    LdaSampler sampler(make_lda_corpus(counts, 1), topics, braid::test::seed());
    const auto executor = make_executor(1);
    std::vector<double> visits(states, 0);
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
        sampler.sweep(priors, *executor);
        std::size_t state = 0;
        for (std::size_t i = terms.size(); i > 0; --i)
            state = state * topics + sampler.topic(i - 1);
        ++visits[state];
    }
    double distance = 0;
    for (std::size_t s = 0; s < states; ++s) {
        distance += std::abs(posterior[s] / sum - visits[s] / static_cast<double>(sweeps));
    }
    return distance / 2;
}

}  // namespace

TEST_CASE("LDA topic list: holds what a map holds", "[property]") {
    Random random(braid::test::seed());
    for (int round = 0; round < 200; ++round) {
        const std::size_t topics = 1 + random.below(40);
        const std::size_t length = 1 + random.below(60);
        std::vector<TopicGroup> list = empty_list(length, topics);
        std::map<std::uint16_t, int> expected;
        std::vector<std::uint16_t> tokens;
        for (std::size_t i = 0; i < length; ++i) {
            tokens.push_back(static_cast<std::uint16_t>(random.below(topics)));
            add_topic(list.data(), tokens.back(), kUnused);
            ++expected[tokens.back()];
        }
        for (int step = 0; step < 200; ++step) {
            std::uint16_t& token = tokens[random.below(length)];
            const auto next = static_cast<std::uint16_t>(random.below(topics));
            add_topic(list.data(), next, kUnused);
            remove_topic(list.data(), token, kUnused);
            ++expected[next];
            if (--expected[token] == 0) expected.erase(token);
            token = next;
        }
        std::map<std::uint16_t, int> found;
        const TopicGroup* group = list.data();
        bool over = false;
        for (;; ++group) {
            for (std::size_t i = 0; i < TopicGroup::kSlots; ++i) {
                const bool used = group->topics[i] != kUnused;
                REQUIRE(used == (group->counts[i] > 0));
                REQUIRE(!(used && over));  // filled from the front
                over = over || !used;
                if (used) found[group->topics[i]] += group->counts[i];
            }
            if (group->topics.back() == kUnused) break;
        }
        REQUIRE(group < list.data() + list.size());
        REQUIRE(found == expected);
    }
}

#if defined(__SSE2__)
TEST_CASE("LDA lanes: SSE2 gives the bits of plain C++", "[property]") {
    Random random(braid::test::seed());
    std::vector<float> weights(64);
    for (int round = 0; round < 2000; ++round) {
        for (float& w : weights) w = static_cast<float>(random.uniform());
        TopicGroup group{};
        for (std::size_t i = 0; i < 8; ++i) {
            group.topics[i] = static_cast<std::uint16_t>(8 * i + random.below(8));
            group.counts[i] = static_cast<std::uint16_t>(1 + random.below(40000));
        }
        const auto own = static_cast<std::uint16_t>(random.below(64));
        alignas(16) float plain[8];
        alignas(16) float sse[8];
        PlainLanes::Sum plain_sum = PlainLanes::zero();
        SseLanes::Sum sse_sum = SseLanes::zero();
        PlainLanes::multiply(group, own, weights.data(), plain, plain_sum);
        SseLanes::multiply(group, own, weights.data(), sse, sse_sum);
        REQUIRE(bits_of(plain) == bits_of(sse));
        const PlainLanes::Sum plain_prefix = PlainLanes::prefix(plain_sum);
        const SseLanes::Sum sse_prefix = SseLanes::prefix(sse_sum);
        PlainLanes::store(plain_prefix, plain);
        SseLanes::store(sse_prefix, sse);
        REQUIRE(bits_of(plain) == bits_of(sse));
        const auto bound = static_cast<float>(random.uniform() * 1.1 * plain[7]);
        REQUIRE(PlainLanes::first_above(plain_prefix, bound) ==
                SseLanes::first_above(sse_prefix, bound));
    }
}
#endif

TEST_CASE("LDA corpus: cells hold every token once, by term and document") {
    const TermDocumentCounts counts = braid::test::planted({}, 3);
    for (const std::size_t blocks : {1U, 3U, 16U}) {
        const LdaCorpus corpus = make_lda_corpus(counts, blocks);
        REQUIRE(corpus.tokens() == 300 * 40);
        std::map<std::pair<std::uint32_t, std::uint32_t>, float> found;
        std::map<std::uint32_t, std::size_t> term_block;
        std::map<std::uint32_t, std::size_t> document_block;
        std::uint64_t token = 0;
        for (std::size_t c = 0; c < corpus.cells.size(); ++c) {
            REQUIRE(corpus.cells[c].begin == token);
            for (const LdaVisit& visit : corpus.cells[c].visits) {
                REQUIRE(term_block.try_emplace(visit.term, c % blocks).first->second == c % blocks);
                for (; token < visit.end; ++token) {
                    const std::uint32_t d = corpus.document_of_part[corpus.part_of_token[token]];
                    REQUIRE(document_block.try_emplace(d, c / blocks).first->second == c / blocks);
                    ++found[{d, visit.term}];
                }
            }
        }
        REQUIRE(token == corpus.tokens());
        for (std::uint32_t d = 0; d < counts.documents(); ++d) {
            const TermCounts row = counts.document(d);
            for (std::size_t i = 0; i < row.size(); ++i) {
                REQUIRE(found[{d, row.terms[i]}] == row.counts[i]);
            }
        }
        CHECK(found.size() == counts.nonzeros());
    }
}

TEST_CASE("LDA corpus: a long document is cut, fractions are whole occurrences") {
    TermDocumentCounts counts;
    counts.vocabulary = {"a", "b"};
    counts.document_begin = {0, 2, 2, 3};
    counts.terms = {0, 1, 1};
    counts.counts = {70000, 0.2F, 2.6F};
    const LdaCorpus corpus = make_lda_corpus(counts, 1);
    CHECK(corpus.tokens() == 70004);
    CHECK(corpus.part_lengths == std::vector<std::uint32_t>{23334, 23334, 23333, 3});
    CHECK(corpus.document_of_part == std::vector<std::uint32_t>{0, 0, 0, 2});
    std::vector<std::uint32_t> dealt(4, 0);
    for (const std::uint32_t part : corpus.part_of_token) ++dealt[part];
    CHECK(dealt == corpus.part_lengths);
    counts.counts[0] = 3e9F;
    CHECK_THROWS_AS(make_lda_corpus(counts), InvalidArgument);
}

TEST_CASE("LDA sampler: visits every state as often as the posterior says") {
    // Small enough to enumerate: 2^7 and 3^6 assignments.
    const TermDocumentCounts two = make_counts({{"x", "x", "y"}, {"y", "z"}, {"x", "z"}});
    CHECK(distance_from_posterior(two, {{0.5F, 0.5F}, 0.3}, 400000) < 0.008);
    CHECK(distance_from_posterior(two, {{0.2F, 1.5F}, 1.0}, 400000) < 0.008);
    const TermDocumentCounts three = make_counts({{"x", "y", "y"}, {"x", "z"}, {"z"}});
    CHECK(distance_from_posterior(three, {{0.4F, 0.7F, 0.1F}, 0.5}, 400000) < 0.02);
}

TEST_CASE("LDA sampler: counts stay what the tokens' topics are, on every grid") {
    const TermDocumentCounts counts = braid::test::planted({}, 5);
    const auto executor = make_executor(2);
    for (const std::size_t blocks : {1U, 4U}) {
        LdaSampler sampler(make_lda_corpus(counts, blocks), 37, 9);
        const LdaPriors priors{std::vector<float>(37, 0.2F), 0.05};
        for (int sweep = 0; sweep < 5; ++sweep) sampler.sweep(priors, *executor);
        const LdaCorpus corpus = make_lda_corpus(counts, blocks);
        std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> by_term;
        std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> by_part;
        std::vector<std::uint32_t> totals(37, 0);
        std::uint64_t token = 0;
        for (const LdaCell& cell : corpus.cells) {
            for (const LdaVisit& visit : cell.visits) {
                for (; token < visit.end; ++token) {
                    ++by_term[{visit.term, sampler.topic(token)}];
                    ++by_part[{corpus.part_of_token[token], sampler.topic(token)}];
                    ++totals[sampler.topic(token)];
                }
            }
        }
        for (std::size_t k = 0; k < 37; ++k) {
            REQUIRE(sampler.total(k) == totals[k]);
            for (std::size_t w = 0; w < sampler.terms(); ++w) {
                REQUIRE(sampler.count(w, k) == by_term[{w, k}]);
            }
        }
        std::size_t entries = 0;
        sampler.for_each_topic([&](std::size_t part, std::size_t topic, std::uint32_t tokens) {
            ++entries;
            REQUIRE(tokens == by_part[{part, topic}]);
        });
        CHECK(entries == by_part.size());
    }
}

TEST_CASE("LDA sampler: the same bits at any number of threads") {
    const TermDocumentCounts counts = braid::test::planted({}, 7);
    std::vector<std::vector<std::size_t>> results;
    for (const std::size_t threads : {1U, 2U, 8U}) {
        const auto executor = make_executor(threads);
        LdaSampler sampler(make_lda_corpus(counts, 4), 20, 11);
        const LdaPriors priors{std::vector<float>(20, 0.2F), 0.05};
        for (int sweep = 0; sweep < 10; ++sweep) sampler.sweep(priors, *executor);
        std::vector<std::size_t> topics;
        for (std::size_t i = 0; i < sampler.tokens(); ++i) topics.push_back(sampler.topic(i));
        results.push_back(topics);
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}

TEST_CASE("LDA sampler: a number of topics it can't have is refused") {
    const TermDocumentCounts counts = make_counts({{"x"}});
    CHECK_THROWS_AS(LdaSampler(make_lda_corpus(counts), 0, 1), InvalidArgument);
    CHECK_THROWS_AS(LdaSampler(make_lda_corpus(counts), 65001, 1), InvalidArgument);
}

TEST_CASE("LDA priors: learning raises the likelihood of the state") {
    const TermDocumentCounts counts = make_counts(
        {{"a", "a", "b", "c"}, {"a", "b", "b"}, {"c", "d", "d", "d", "a"}, {"e", "a", "a"}});
    std::vector<std::size_t> terms;
    std::vector<std::size_t> documents;
    read_tokens(make_lda_corpus(counts, 1), terms, documents);
    LdaSampler sampler(make_lda_corpus(counts, 1), 3, 4);
    const auto executor = make_executor(1);
    LdaPriors priors{{0.5F, 0.5F, 0.5F}, 0.9};
    for (int sweep = 0; sweep < 10; ++sweep) sampler.sweep(priors, *executor);
    std::vector<std::size_t> topics;
    for (std::size_t i = 0; i < sampler.tokens(); ++i) topics.push_back(sampler.topic(i));
    const auto likelihood = [&] {
        const std::vector<double> alpha(priors.alpha.begin(), priors.alpha.end());
        double sum = 0;
        for (const double a : alpha) sum += a;
        double log_p = log_joint(topics, terms, documents, alpha, priors.eta, 5);
        for (const int length : {4, 3, 5, 3}) log_p += std::lgamma(sum) - std::lgamma(sum + length);
        return log_p;
    };
    double before = likelihood();
    for (int step = 0; step < 20; ++step) {
        learn_alpha(sampler, priors);
        CHECK(likelihood() > before - 1e-6);
        before = likelihood();
    }
    for (int step = 0; step < 20; ++step) {
        learn_eta(sampler, priors);
        CHECK(likelihood() > before - 1e-6);
        before = likelihood();
    }
    // At the fixed point no neighbour is better.
    const double eta = priors.eta;
    for (const double factor : {0.98, 1.02}) {
        priors.eta = eta * factor;
        CHECK(likelihood() < before + 1e-6);
    }
}
