// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "braid/core/topics/lda.h"
#include "braid/core/topics/lda_settings.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/tests/core/topics/lda_test_data.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

LdaOptions small_options() {
    LdaOptions options;
    options.topics = 5;
    options.alpha = 0.2;
    options.sweeps = 60;
    options.annealing = 20;
    return options;
}

LdaModel fit(const TermDocumentCounts& counts, const LdaOptions& options, std::size_t threads = 1) {
    return fit_lda(counts, options, *make_executor(threads));
}

void check_distributions(const LdaModel& model) {
    for (std::size_t k = 0; k < model.word_given_topic.columns; ++k) {
        double sum = 0;
        for (std::size_t w = 0; w < model.word_given_topic.rows; ++w) {
            const float p = model.word_given_topic.row(w)[k];
            REQUIRE(p > 0);
            sum += p;
        }
        CHECK_THAT(sum, WithinRel(1.0, 1e-4));
    }
    for (std::size_t d = 0; d < model.document_topics.rows; ++d) {
        double sum = 0;
        for (const float p : model.document_topics.row(d)) sum += p;
        REQUIRE_THAT(sum, WithinRel(1.0, 1e-4));
    }
}

}  // namespace

TEST_CASE("LDA: finds planted topics") {
    const TermDocumentCounts counts = planted({}, 1);
    const LdaModel model = fit(counts, small_options());
    std::set<char> found;
    for (const Topic& topic : describe_topics(model, counts.vocabulary, 20)) {
        std::set<char> letters;
        for (const Topic::Word& word : topic.words) letters.insert(word.term[0]);
        CHECK(letters.size() == 1);
        found.insert(*letters.begin());
        CHECK(std::abs(topic.share - 0.2) < 0.08);
    }
    CHECK(found.size() == 5);
    CHECK(model.reports.size() == 1);
    CHECK(model.reports[0].coherence > 0.1);
    check_distributions(model);
}

TEST_CASE("LDA: held-out perplexity falls towards that of the planted topics") {
    LdaOptions options = small_options();
    options.held_out_share = 0.2;
    options.report_every = 1;
    const LdaModel model = fit(planted({}, 1), options);
    REQUIRE(model.reports.size() == 60);
    // 100 words; half of a document's 20 tokens lie among 20 words with .84 of the mass:
    // exp(-(.84 log(.042) + .16 log(.002))) = 38.7 at best.
    CHECK(model.reports.front().held_out_perplexity > 90);
    CHECK(model.reports.back().held_out_perplexity < 48);
    CHECK(model.reports.back().held_out_perplexity > 36);
    CHECK(model.reports[30].held_out_perplexity < model.reports[2].held_out_perplexity);
    CHECK(model.reports.back().coherence > model.reports.front().coherence);
}

TEST_CASE("LDA: the same bits at any number of threads, other bits for other seeds") {
    const TermDocumentCounts counts = planted({}, 1);
    LdaOptions options = small_options();
    options.sweeps = 20;
    options.document_topics = true;
    const std::vector<LdaModel> one = fit_lda_chains(counts, options, 3, *make_executor(1));
    for (const std::size_t threads : {2U, 8U}) {
        const std::vector<LdaModel> many =
            fit_lda_chains(counts, options, 3, *make_executor(threads));
        for (std::size_t c = 0; c < 3; ++c) {
            CHECK(many[c].word_given_topic.values == one[c].word_given_topic.values);
            CHECK(many[c].document_topics.values == one[c].document_topics.values);
        }
    }
    CHECK(one[0].word_given_topic.values == fit(counts, options).word_given_topic.values);
    CHECK(one[0].word_given_topic.values != one[1].word_given_topic.values);
    options.seed = 5;
    CHECK(one[0].word_given_topic.values != fit(counts, options).word_given_topic.values);
}

TEST_CASE("LDA: models of the same counts share their first chain, and nothing changes") {
    const TermDocumentCounts counts = planted({}, 1);
    LdaOptions options = small_options();
    options.sweeps = 20;
    std::size_t steps = 0;
    const Progress count = [&](const ProgressReport&) {
        ++steps;
        return true;
    };
    const auto executor = make_executor(2);
    const auto alone = fit_lda_chains(counts, options, 3, *executor, count);
    const std::size_t all = std::exchange(steps, 0);
    KeptLdaChain kept;
    const auto first = fit_lda_chains(counts, options, 1, *executor, count, &kept);
    CHECK(std::exchange(steps, 0) == all / 3);
    const auto shared = fit_lda_chains(counts, options, 3, *executor, count, &kept);
    CHECK(std::exchange(steps, 0) == all / 3 * 2);
    CHECK(first[0].word_given_topic.values == alone[0].word_given_topic.values);
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK(shared[c].word_given_topic.values == alone[c].word_given_topic.values);
        CHECK(shared[c].topic_share == alone[c].topic_share);
    }
    // Other options have a chain of their own.
    options.seed = 5;
    fit_lda_chains(counts, options, 3, *executor, count, &kept);
    CHECK(steps == all);
}

TEST_CASE("LDA: folding in a training document gives about the sampler's topics of it") {
    const TermDocumentCounts counts = planted({}, 1);
    LdaOptions options = small_options();
    options.document_topics = true;
    options.samples = 5;
    options.sample_interval = 4;
    const LdaModel model = fit(counts, options);
    check_distributions(model);
    double difference = 0;
    std::vector<float> folded(5);
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        const TermCounts row = counts.document(d);
        std::vector<FoldingTerm> terms;
        for (std::size_t i = 0; i < row.size(); ++i) {
            terms.push_back({row.counts[i], model.word_given_topic.row(row.terms[i])});
        }
        infer_topics(terms, model.alpha, {}, folded);
        for (std::size_t k = 0; k < 5; ++k) {
            difference += std::abs(folded[k] - model.document_topics.row(d)[k]);
        }
    }
    CHECK(difference / static_cast<double>(counts.documents()) < 0.06);
}

TEST_CASE("LDA: samples are averaged") {
    const TermDocumentCounts counts = planted({}, 1);
    LdaOptions options = small_options();
    options.sweeps = 30;
    const LdaModel last = fit(counts, options);
    options.sweeps = 28;
    const LdaModel before = fit(counts, options);
    options.sweeps = 30;
    options.samples = 2;
    options.sample_interval = 2;
    const LdaModel mean = fit(counts, options);
    for (std::size_t i = 0; i < mean.word_given_topic.values.size(); ++i) {
        REQUIRE_THAT(
            mean.word_given_topic.values[i],
            WithinRel((last.word_given_topic.values[i] + before.word_given_topic.values[i]) / 2,
                      1e-5F));
    }
}

TEST_CASE("LDA: learned priors follow the topics' popularity") {
    PlantedOptions data;
    data.popularity = {0.6, 0.1, 0.1, 0.1, 0.1};
    data.documents = 600;
    const TermDocumentCounts counts = planted(data, 2);
    LdaOptions options = small_options();
    options.learn_alpha = true;
    options.learn_eta = true;
    const LdaModel model = fit(counts, options);
    std::vector<std::size_t> order = {0, 1, 2, 3, 4};
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return model.topic_share[a] > model.topic_share[b];
    });
    CHECK(model.alpha[order[0]] > 2 * model.alpha[order[1]]);
    CHECK(model.eta != options.eta);
    options.learn_alpha = false;
    options.learn_eta = false;
    CHECK(fit(counts, options).alpha == std::vector<float>(5, 0.2F));
}

TEST_CASE("LDA: collections that are too small") {
    TopicOptions options;
    options.parameters = {{"sweeps", 5}};
    const auto executor = make_executor(1);
    SECTION("one word") {
        const TopicModel model =
            fit_topic_model("lda", make_counts({{"a", "a"}, {}, {"a"}}), options, *executor);
        CHECK(model.header.dimensions == 1);
        REQUIRE(model.training.warnings.size() == 1);
        CHECK_THAT(model.training.warnings[0], Contains("dimensions lowered from 100 to 1"));
        CHECK(model.document_vectors.values == std::vector<float>{1, 0, 1});
    }
    SECTION("one topic") {
        options.dimensions = 1;
        const TopicModel model = fit_topic_model("ldi", planted({}, 1), options, *executor);
        CHECK(model.header.dimensions == 5);  // of five chains
        CHECK(model.training.warnings.empty());
    }
    SECTION("more topics than documents") {
        const TopicModel model = fit_topic_model(
            "lda", make_counts({{"a", "b", "c"}, {"a", "d"}, {}}), options, *executor);
        CHECK(model.header.dimensions == 2);
        CHECK(model.training.warnings.size() == 1);
        for (const float x : model.document_vectors.row(2)) CHECK(x == 0);
    }
    SECTION("nothing to hold out") {
        options.parameters["held-out"] = 0.5;
        options.dimensions = 1;
        const TopicModel model = fit_topic_model("lda", make_counts({{"a"}}), options, *executor);
        REQUIRE(model.training.warnings.size() == 1);
        CHECK_THAT(model.training.warnings[0], Contains("no document is held out"));
    }
    SECTION("nothing at all") {
        CHECK_THROWS_AS(fit_topic_model("lda", make_counts({{}, {}}), options, *executor),
                        InvalidArgument);
    }
}

TEST_CASE("LDA: large collections get fewer sweeps, unless a number is given") {
    const auto of_tokens = [](float tokens, const ParameterMap& parameters) {
        TermDocumentCounts counts = make_counts({{"a"}, {"b"}});
        counts.counts = {tokens / 2, tokens / 2};
        TopicOptions options;
        options.parameters = parameters;
        const LdaOptions lda = lda_options(complete_options("ldi", options), counts);
        return std::pair{lda.sweeps, lda.annealing};
    };
    using Pair = std::pair<std::size_t, std::size_t>;
    CHECK(of_tokens(1.2e6F, {}) == Pair{200, 50});
    CHECK(of_tokens(2.4e6F, {}) == Pair{100, 50});
    CHECK(of_tokens(3e6F, {}) == Pair{80, 40});
    CHECK(of_tokens(4e6F, {}) == Pair{60, 30});
    CHECK(of_tokens(4e7F, {}) == Pair{60, 30});
    CHECK(of_tokens(4e7F, {{"annealing", 10}}) == Pair{60, 10});
    CHECK(of_tokens(4e7F, {{"sweeps", 200}}) == Pair{200, 50});
    TopicOptions options;
    options.dimensions = 2;
    const auto executor = make_executor(1);
    CHECK(fit_topic_model("lda", planted({}, 1), options, *executor).training.iterations == 200);
}

TEST_CASE("LDA: options out of range are refused") {
    const TermDocumentCounts counts = make_counts({{"a"}});
    const auto refuse = [&](const auto& change) {
        LdaOptions options = small_options();
        change(options);
        CHECK_THROWS_AS(fit(counts, options), InvalidArgument);
    };
    refuse([](LdaOptions& o) { o.topics = 0; });
    refuse([](LdaOptions& o) { o.alpha = -1; });
    refuse([](LdaOptions& o) { o.alpha = NAN; });
    refuse([](LdaOptions& o) { o.eta = 0; });
    refuse([](LdaOptions& o) { o.annealing_eta = -1; });
    refuse([](LdaOptions& o) { o.samples = 0; });
    refuse([](LdaOptions& o) { o.sample_interval = 0; });
    refuse([](LdaOptions& o) { o.held_out_share = 1; });
    refuse([](LdaOptions& o) { o.sweeps = 0; });
    refuse([](LdaOptions& o) {
        o.samples = 10;
        o.sample_interval = 10;
    });
}

TEST_CASE("LDA: progress tells the sweeps and measures, and can stop the work") {
    const TermDocumentCounts counts = planted({}, 1);
    LdaOptions options = small_options();
    options.held_out_share = 0.1;
    options.report_every = 10;
    std::vector<ProgressReport> reports;
    fit_lda(counts, options, *make_executor(1), [&](const ProgressReport& report) {
        reports.push_back(report);
        return true;
    });
    REQUIRE(reports.size() == 60);
    CHECK(reports.back().done == 60);
    CHECK(reports.back().total == 60);
    CHECK(reports[8].detail.empty());
    CHECK_THAT(reports[9].detail, Contains("coherence") && Contains("held-out perplexity"));
    for (const std::size_t threads : {1U, 3U}) {
        std::size_t calls = 0;
        const auto stop = [&](const ProgressReport& report) {
            ++calls;
            CHECK(report.total == 180);
            return report.done < 4;
        };
        CHECK_THROWS_AS(fit_lda_chains(counts, options, 3, *make_executor(threads), stop),
                        Cancelled);
        CHECK(calls == 4);
    }
}
