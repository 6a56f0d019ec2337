// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <numeric>

#include "braid/core/topics/tempered_em.h"
#include "braid/core/topics/topic_fits.h"
#include "braid/error.h"
#include "braid/tests/core/topics/random_counts.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;

constexpr std::size_t kTopics = 5;

CountRows rows_of(const TermDocumentCounts& counts) {
    return {counts.document_begin, counts.terms, counts.counts};
}

TopicModel fit(const TermDocumentCounts& counts, const TopicOptions& options) {
    return braid::fit_topic_model("plsi", counts, options, *braid::make_executor(1));
}

/// Tempered EM as it is written, in double precision, on p(z), p(d|z) and p(w|z).
struct NaiveEm {
    std::vector<double> topic;
    std::vector<std::vector<double>> document;  // [d][z]
    std::vector<std::vector<double>> word;      // [w][z]

    void step(const TermDocumentCounts& counts, double beta) {
        std::vector<double> new_topic(kTopics, 0);
        std::vector<std::vector<double>> new_document(document.size(),
                                                      std::vector<double>(kTopics, 0));
        std::vector<std::vector<double>> new_word(word.size(), std::vector<double>(kTopics, 0));
        for (std::size_t d = 0; d < counts.documents(); ++d) {
            const braid::TermCounts row = counts.document(d);
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::size_t w = row.terms[i];
                std::vector<double> posterior(kTopics);
                for (std::size_t z = 0; z < kTopics; ++z) {
                    posterior[z] = topic[z] * std::pow(document[d][z] * word[w][z], beta);
                }
                const double sum = std::accumulate(posterior.begin(), posterior.end(), 0.0);
                for (std::size_t z = 0; z < kTopics; ++z) {
                    const double share = row.counts[i] * posterior[z] / sum;
                    new_topic[z] += share;
                    new_document[d][z] += share;
                    new_word[w][z] += share;
                }
            }
        }
        for (std::size_t z = 0; z < kTopics; ++z) {
            for (auto& row : new_document) row[z] /= new_topic[z];
            for (auto& row : new_word) row[z] /= new_topic[z];
            new_topic[z] /= counts.total();
        }
        topic = new_topic;
        document = new_document;
        word = new_word;
    }

    double perplexity(const TermDocumentCounts& counts) const {
        double sum = 0;
        for (std::size_t d = 0; d < counts.documents(); ++d) {
            const double length =
                std::inner_product(topic.begin(), topic.end(), document[d].begin(), 0.0);
            const braid::TermCounts row = counts.document(d);
            for (std::size_t i = 0; i < row.size(); ++i) {
                double p = 0;
                for (std::size_t z = 0; z < kTopics; ++z) {
                    p += topic[z] * document[d][z] / length * word[row.terms[i]][z];
                }
                sum += row.counts[i] * std::log(p);
            }
        }
        return std::exp(-sum / counts.total());
    }
};

/// The start of `em`, which keeps documents uniform: p(d|z) = 1 / n(z) up to a factor that is
/// the same for all topics and words of a document.
NaiveEm start_of(const TemperedEm& em, const TermDocumentCounts& counts) {
    NaiveEm naive;
    double total = 0;
    for (std::size_t z = 0; z < kTopics; ++z) total += em.topic_mass(z);
    for (std::size_t z = 0; z < kTopics; ++z) naive.topic.push_back(em.topic_mass(z) / total);
    naive.document.assign(counts.documents(), std::vector<double>(kTopics));
    naive.word.assign(counts.vocabulary.size(), std::vector<double>(kTopics));
    for (std::size_t z = 0; z < kTopics; ++z) {
        for (auto& row : naive.document) row[z] = 1 / em.topic_mass(z);
        for (std::size_t w = 0; w < naive.word.size(); ++w) {
            naive.word[w][z] = em.word_mass(w, z) / em.topic_mass(z);
        }
    }
    return naive;
}

const TermDocumentCounts& some_counts() {
    static const TermDocumentCounts counts = braid::test::random_counts(
        braid::test::seed(), {.documents = 60, .words = 40, .empty_share = 0});
    return counts;
}

}  // namespace

TEST_CASE("tempered_em: steps as written") {
    const TermDocumentCounts& counts = some_counts();
    const auto executor = braid::make_executor(1);
    for (const double beta : {1.0, 0.8, 0.5}) {
        TemperedEm em(rows_of(counts), counts.vocabulary.size(), kTopics, 1, *executor,
                      best_instruction_level());
        NaiveEm naive = start_of(em, counts);
        for (int i = 0; i < 4; ++i) {
            em.step(beta);
            naive.step(counts, beta);
        }
        for (std::size_t z = 0; z < kTopics; ++z) {
            CHECK(em.topic_mass(z) / counts.total() == Approx(naive.topic[z]).epsilon(1e-4));
            for (std::size_t w = 0; w < counts.vocabulary.size(); ++w) {
                CHECK(em.word_mass(w, z) / em.topic_mass(z) ==
                      Approx(naive.word[w][z]).epsilon(1e-3).margin(1e-8));
            }
        }
        CHECK(em.perplexity(rows_of(counts)) == Approx(naive.perplexity(counts)).epsilon(1e-4));
    }
}

TEST_CASE("tempered_em: without tempering no step makes the data less likely", "[property]") {
    const TermDocumentCounts& counts = some_counts();
    const auto executor = braid::make_executor(1);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        TemperedEm em(rows_of(counts), counts.vocabulary.size(), kTopics,
                      braid::test::seed() + seed, *executor, best_instruction_level());
        double before = em.perplexity(rows_of(counts));
        const double start = before;
        for (int i = 0; i < 30; ++i) {
            em.step(1);
            const double after = em.perplexity(rows_of(counts));
            CHECK(after <= before * (1 + 1e-6));
            before = after;
            double mass = 0;
            for (std::size_t z = 0; z < kTopics; ++z) mass += em.topic_mass(z);
            CHECK(mass == Approx(counts.total()).epsilon(1e-5));
        }
        CHECK(before < 0.9 * start);
    }
}

TEST_CASE("tempered_em: the same bits on every instruction set") {
    const TermDocumentCounts& counts = some_counts();
    const auto executor = braid::make_executor(1);
    TemperedEm baseline(rows_of(counts), counts.vocabulary.size(), kTopics, 1, *executor,
                        InstructionLevel::kPlain);
    TemperedEm best(rows_of(counts), counts.vocabulary.size(), kTopics, 1, *executor,
                    best_instruction_level());
    for (const double beta : {1.0, 0.9, 0.81}) {
        baseline.step(beta);
        best.step(beta);
    }
    for (std::size_t w = 0; w < counts.vocabulary.size(); ++w) {
        for (std::size_t z = 0; z < kTopics; ++z) {
            CHECK(baseline.word_mass(w, z) == best.word_mass(w, z));
        }
    }
}

TEST_CASE("tempered_em: counts that were held out join in") {
    // Word 2 and document 1 have no counts at first.
    const CountRows first = {{0, 2, 2}, {0, 1}, {3, 1}};
    const CountRows all = {{0, 2, 4}, {0, 1, 1, 2}, {3, 1, 2, 2}};
    const auto executor = braid::make_executor(1);
    TemperedEm em(first, 3, 2, 1, *executor, best_instruction_level());
    em.step(1);
    CHECK(em.perplexity({{0, 1, 1}, {2}, {1}}) == 1);  // Nothing is known about word 2.
    em.replace_counts(all);
    em.step(1);
    CHECK(em.topic_mass(0) + em.topic_mass(1) == Approx(8));
    CHECK(em.word_mass(2, 0) + em.word_mass(2, 1) == Approx(2));
    CHECK(em.perplexity(all) < 4);
}

TEST_CASE("plsi: two vocabularies that never meet become two topics") {
    braid::TermDocumentCountsBuilder builder;
    for (int d = 0; d < 20; ++d) {
        builder.begin_document();
        builder.add(d % 2 == 0 ? "apple" : "samsung", 3);
        builder.add(d % 2 == 0 ? "pie" : "phone", 1);
    }
    const TermDocumentCounts counts = builder.build();
    for (const std::string ranking : {"words", "posterior"}) {
        const TopicModel model = fit(counts, {.dimensions = 2,
                                              .parameters = {{"held-out", 0}, {"iterations", 50}},
                                              .choices = {{"ranking", ranking}}});
        REQUIRE(model.topics.size() == 2);
        const std::size_t fruit = model.topics[0].words[0].term == "apple" ? 0 : 1;
        CHECK(model.topics[fruit].words[0].weight == Approx(0.75).epsilon(1e-3));
        CHECK(model.topics[fruit].words[1].term == "pie");
        CHECK(model.topics[fruit].words[1].weight == Approx(0.25).epsilon(1e-3));
        CHECK(model.topics[1 - fruit].words[0].term == "samsung");
        CHECK(model.topics[0].share == Approx(0.5).epsilon(1e-3));
        CHECK(model.document_vectors.row(0)[fruit] == Approx(1));
        CHECK(model.document_vectors.row(1)[fruit] == Approx(0).margin(1e-3));
    }
}

TEST_CASE("plsi: folding by words is a sum of p(z|w)") {
    const auto folding =
        braid::make_topic_folding({"plsi", 2, braid::TopicVectorKind::kProbability, {0, 1, 30}});
    const std::vector<float> a = {1, 0};
    const std::vector<float> b = {0.5, 0.5};
    std::vector<float> result(2);
    folding->fold(std::vector<braid::FoldingTerm>{{3, a}, {2, b}}, result);
    CHECK(result[0] == Approx(4 / std::sqrt(17)));
    CHECK(result[1] == Approx(1 / std::sqrt(17)));
}

TEST_CASE("plsi: folding by posterior, worked by hand") {
    const std::vector<float> a = {1, 0};
    const std::vector<float> b = {0.5, 0.5};
    const std::vector<braid::FoldingTerm> text = {{1, a}, {1, b}};
    const auto fold = [&](double beta, double iterations) {
        const auto folding = braid::make_topic_folding(
            {"plsi", 2, braid::TopicVectorKind::kProbability, {1, beta, iterations}});
        std::vector<float> result(2);
        folding->fold(text, result);
        return result[1] / result[0];  // The ratio survives scaling to unit length.
    };
    // From (1/2, 1/2): b is split evenly, (3/4, 1/4); then 3 to 1, (7/8, 1/8).
    CHECK(fold(1, 1) == Approx(1.0 / 3));
    CHECK(fold(1, 2) == Approx(1.0 / 7));
    // Tempered by 1/2 the second split is sqrt(3) to 1, that is .6339746 and .3660254.
    CHECK(fold(0.5, 2) == Approx(0.3660254 / 1.6339746));
    // Vectors count up to a factor a term.
    const std::vector<float> scaled = {5, 5};
    const auto folding =
        braid::make_topic_folding({"plsi", 2, braid::TopicVectorKind::kProbability, {1, 1, 2}});
    std::vector<float> result(2);
    folding->fold(std::vector<braid::FoldingTerm>{{1, a}, {1, scaled}}, result);
    CHECK(result[1] / result[0] == Approx(1.0 / 7));
}

TEST_CASE("plsi: posterior folding finds the training documents' own mixture") {
    // p(z)^(1-beta) p(w|z)^beta is what term vectors must hold for the folded posterior to be
    // that of (3): a document's posterior under the naive rule from the model's own topics.
    const TermDocumentCounts& counts = some_counts();
    const TopicModel model =
        fit(counts, {.dimensions = kTopics,
                     .words_per_topic = 1000,
                     .parameters = {{"beta", 0.8}, {"held-out", 0}, {"iterations", 20}},
                     .choices = {{"ranking", "posterior"}}});
    REQUIRE(model.header.folding == std::vector<double>{1, 0.8, 30});
    std::vector<std::vector<double>> word(counts.vocabulary.size(), std::vector<double>(kTopics));
    for (std::size_t z = 0; z < kTopics; ++z) {
        for (const auto& entry : model.topics[z].words) {
            word[counts.find(entry.term)][z] = entry.weight;
        }
    }
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        const braid::TermCounts row = counts.document(d);
        std::vector<double> mixture(kTopics, 1.0 / kTopics);
        for (int i = 0; i < 30; ++i) {
            std::vector<double> next(kTopics, 0);
            double total = 0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                std::vector<double> posterior(kTopics);
                double sum = 0;
                for (std::size_t z = 0; z < kTopics; ++z) {
                    const double prior = model.topics[z].share;
                    // p(d|z) = p(z|d) p(d) / p(z)
                    posterior[z] =
                        prior * std::pow(mixture[z] / prior * word[row.terms[j]][z], 0.8);
                    sum += posterior[z];
                }
                for (std::size_t z = 0; z < kTopics; ++z) {
                    next[z] += row.counts[j] * posterior[z] / sum;
                }
                total += row.counts[j];
            }
            for (std::size_t z = 0; z < kTopics; ++z) mixture[z] = next[z] / total;
        }
        const double length =
            std::sqrt(std::inner_product(mixture.begin(), mixture.end(), mixture.begin(), 0.0));
        for (std::size_t z = 0; z < kTopics; ++z) {
            REQUIRE(model.document_vectors.row(d)[z] == Approx(mixture[z] / length).margin(1e-4));
        }
    }
}

TEST_CASE("plsi: beta falls where held-out perplexity rises") {
    // It rises with nine of ten: else learning converges before.
    std::size_t cooler = 0;
    for (std::uint64_t i = 0; i < 6; ++i) {
        const TermDocumentCounts counts = braid::test::random_counts(
            braid::test::seed() + i, {.documents = 200, .words = 300, .empty_share = 0});
        const TopicModel cooled = fit(counts, {.dimensions = 20});
        CHECK(cooled.header.folding[1] <= 1);
        cooler += cooled.header.folding[1] < 1 ? 1 : 0;
        CHECK(cooled.training.stop_reason == "converged");
        CHECK(cooled.training.objective_name == "held-out perplexity");
        // A lower beta must gain more than the tolerance.
        const double least =
            *std::min_element(cooled.training.trace.begin(), cooled.training.trace.end());
        CHECK(cooled.training.objective >= least);
        CHECK(cooled.training.objective <= least / (1 - 1e-4));
        CHECK(cooled.training.objective > 1);
        CHECK(cooled.training.iterations == cooled.training.trace.size() + 10);
    }
    CHECK(cooler > 0);

    const TermDocumentCounts counts = braid::test::random_counts(
        braid::test::seed(), {.documents = 200, .words = 300, .empty_share = 0});
    const TopicModel fixed =
        fit(counts,
            {.dimensions = 20, .parameters = {{"beta", 0.7}, {"held-out", 0}, {"iterations", 7}}});
    CHECK(fixed.header.folding[1] == 0.7);
    CHECK(fixed.training.iterations == 7);
    CHECK(std::isnan(fixed.training.objective));
}

TEST_CASE("plsi: more topics than documents or words become fewer, and are reported") {
    const TermDocumentCounts counts = {{"a", "b", "c"}, {0, 2, 2, 4}, {0, 1, 0, 2}, {1, 1, 1, 3}};
    const TopicModel model = fit(counts, {.dimensions = 100});
    CHECK(model.header.dimensions == 2);
    REQUIRE(model.training.warnings.size() == 1);
    CHECK_THAT(model.training.warnings[0], Contains("lowered from 100 to 2"));
    CHECK(fit(counts, {.dimensions = 2}).training.warnings.empty());
}

TEST_CASE("plsi: a header with constants out of range is refused") {
    for (const std::vector<double>& folding : std::vector<std::vector<double>>{
             {2, 1, 30}, {0, 0, 30}, {0, 1.1, 30}, {1, 1, 0}, {1, 1, 1e9}, {1, 1}}) {
        CHECK_THROWS_AS(
            braid::make_topic_folding({"plsi", 2, braid::TopicVectorKind::kProbability, folding}),
            braid::FormatError);
    }
}
