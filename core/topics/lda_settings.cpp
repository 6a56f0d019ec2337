// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_settings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/topics/lda.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_words.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr std::size_t kDocumentsPerChunk = 256;

// docs/algorithms/lda.md (13)
constexpr double kSampledTokens = 2.4e8;
constexpr double kFewestSweeps = 60;
constexpr double kMostSweeps = 200;
constexpr std::size_t kSweepsPerAnnealing = 2;

std::size_t whole(const TopicOptions& options, const std::string& name) {
    return static_cast<std::size_t>(options.parameters.at(name));
}

std::vector<Topic> describe_chains(const std::vector<LdaModel>& models,
                                   const std::vector<std::string>& vocabulary, std::size_t words) {
    std::vector<Topic> topics;
    for (const LdaModel& model : models) {
        for (Topic& topic : describe_topics(model, vocabulary, words)) {
            topic.share /= static_cast<double>(models.size());
            topics.push_back(std::move(topic));
        }
    }
    return topics;
}

TopicTraining describe_training(const std::vector<LdaModel>& models, const LdaOptions& options) {
    TopicTraining training;
    training.iterations = options.sweeps;
    training.stop_reason = "iteration limit";
    const bool held_out = models[0].reports.back().held_out_perplexity > 0;
    training.objective_name = held_out ? "held-out perplexity" : "topic coherence (NPMI)";
    for (std::size_t r = 0; r < models[0].reports.size(); ++r) {
        double sum = 0;
        for (const LdaModel& model : models) {
            sum += held_out ? model.reports[r].held_out_perplexity : model.reports[r].coherence;
        }
        training.trace.push_back(sum / static_cast<double>(models.size()));
    }
    training.objective = training.trace.back();
    training.warnings = models[0].warnings;
    return training;
}

FloatMatrix fold_documents(const TopicFolding& folding, const TopicModel& model,
                           const TermDocumentCounts& counts, Executor& executor) {
    FloatMatrix result(counts.documents(), model.header.dimensions);
    const std::size_t chunks = (counts.documents() + kDocumentsPerChunk - 1) / kDocumentsPerChunk;
    executor.run(chunks, [&](std::size_t chunk) {
        std::vector<FoldingTerm> terms;
        const std::size_t begin = chunk * kDocumentsPerChunk;
        const std::size_t end = std::min(begin + kDocumentsPerChunk, counts.documents());
        for (std::size_t d = begin; d < end; ++d) {
            const TermCounts row = counts.document(d);
            terms.clear();
            for (std::size_t i = 0; i < row.size(); ++i) {
                terms.push_back({row.counts[i], model.term_vectors.row(row.terms[i])});
            }
            folding.fold(terms, result.row(d));
        }
    });
    return result;
}

}  // namespace

std::vector<ParameterInfo> lda_parameters(double default_chains) {
    const LdaOptions defaults;
    return {
        {"chains", default_chains, 1, 100, "independent models, their vectors side by side",
         kWhole},
        {"alpha", defaults.alpha, 0, 100, "prior of a topic; 0: 10 / dimensions"},
        {"eta", defaults.eta, 1e-6, 100, "prior of a word in a topic"},
        {"sweeps", 0, 0, 1e6,
         "times each token is sampled; 0: 200, and down to 60 in large collections (lda.md)",
         kWhole},
        {"annealing", static_cast<double>(defaults.annealing), 0, 1e6,
         "sweeps in which eta falls to its value (lda.md)", kWhole},
        {"annealing-eta", defaults.annealing_eta, 0, 100, "first value of eta"},
        {"samples", static_cast<double>(defaults.samples), 1, 1000,
         "last samples that p(w|z) is averaged over", kWhole},
        {"sample-interval", static_cast<double>(defaults.sample_interval), 1, 1e6,
         "sweeps between two samples", kWhole},
        {"held-out", defaults.held_out_share, 0, 0.9,
         "share of documents held out to measure perplexity"},
        {"report-every", static_cast<double>(defaults.report_every), 0, 1e6,
         "sweeps between measurements; 0: only at the end", kWhole},
    };
}

std::vector<ChoiceInfo> lda_choices() {
    return {{"priors", "fixed", {"fixed", "alpha", "both"}, "which priors are learned"}};
}

LdaOptions lda_options(const TopicOptions& options, const TermDocumentCounts& counts) {
    LdaOptions result;
    result.topics = options.dimensions;
    result.alpha = options.parameters.at("alpha");
    result.eta = options.parameters.at("eta");
    result.sweeps = whole(options, "sweeps");
    result.annealing = whole(options, "annealing");
    if (result.sweeps == 0) {
        const double sweeps = kSampledTokens / std::max(counts.total(), 1.0);
        result.sweeps = static_cast<std::size_t>(std::clamp(sweeps, kFewestSweeps, kMostSweeps));
        result.annealing = std::min(result.annealing, result.sweeps / kSweepsPerAnnealing);
    }
    result.annealing_eta = options.parameters.at("annealing-eta");
    result.samples = whole(options, "samples");
    result.sample_interval = whole(options, "sample-interval");
    result.held_out_share = options.parameters.at("held-out");
    result.report_every = whole(options, "report-every");
    result.learn_alpha = options.choices.at("priors") != "fixed";
    result.learn_eta = options.choices.at("priors") == "both";
    result.seed = options.seed;
    return result;
}

std::size_t lda_chains(const TopicOptions& options) { return whole(options, "chains"); }

void finish_model(TopicModel& model, const std::vector<LdaModel>& chains,
                  const TermDocumentCounts& counts, const TopicOptions& options,
                  Executor& executor) {
    model.header.dimensions = model.term_vectors.columns;
    model.document_vectors =
        fold_documents(*make_topic_folding(model.header), model, counts, executor);
    model.topics = describe_chains(chains, model.vocabulary, options.words_per_topic);
    model.training = describe_training(chains, lda_options(options, counts));
}

// The registry's entry of lda: folding, and the model as others use it.

namespace {

class LdaFolding final : public TopicFolding {
  public:
    LdaFolding(std::size_t chains, std::vector<float> alpha)
        : chains_(chains), alpha_(std::move(alpha)) {}

    void fold(std::span<const FoldingTerm> terms, std::span<float> result) const override {
        if (terms.empty()) {
            std::fill(result.begin(), result.end(), 0.0F);
            return;
        }
        const std::size_t topics = alpha_.size() / chains_;
        const float scale = 1 / std::sqrt(static_cast<float>(chains_));
        std::vector<FoldingTerm> of_chain(terms.begin(), terms.end());
        for (std::size_t c = 0; c < chains_; ++c) {
            for (std::size_t i = 0; i < terms.size(); ++i) {
                of_chain[i].vector = terms[i].vector.subspan(c * topics, topics);
            }
            const std::span<float> part = result.subspan(c * topics, topics);
            infer_topics(of_chain, std::span(alpha_).subspan(c * topics, topics), {}, part);
            scale_to_unit(part);
            if (chains_ > 1) {
                for (float& x : part) x *= scale;
            }
        }
    }

  private:
    std::size_t chains_;
    std::vector<float> alpha_;
};

std::unique_ptr<const TopicFolding> make_lda_folding(const TopicModelHeader& header) {
    const std::vector<double>& given = header.folding;
    const bool good = given.size() == header.dimensions + 1 && given[0] >= 1 &&
                      given[0] == std::floor(given[0]) &&
                      given[0] <= static_cast<double>(header.dimensions) &&
                      header.dimensions % static_cast<std::size_t>(given[0]) == 0 &&
                      std::all_of(given.begin() + 1, given.end(),
                                  [](double alpha) { return std::isfinite(alpha) && alpha > 0; });
    if (!good) {
        throw FormatError(
            fmt::format("topic model lda: {} folding constants of {} dimensions, expected the "
                        "number of chains and an alpha over 0 for each dimension",
                        given.size(), header.dimensions));
    }
    return std::make_unique<LdaFolding>(static_cast<std::size_t>(given[0]),
                                        std::vector<float>(given.begin() + 1, given.end()));
}

TopicModel fit_lda_model(const TermDocumentCounts& counts, const TopicOptions& options,
                         Executor& executor, const Progress& progress) {
    const LdaOptions lda = lda_options(options, counts);
    const std::vector<LdaModel> models =
        fit_lda_chains(counts, lda, lda_chains(options), executor, progress, options.kept.get());
    TopicModel model;
    model.header.model = "lda";
    model.header.kind = TopicVectorKind::kProbability;
    model.header.folding = {static_cast<double>(models.size())};
    for (const LdaModel& chain : models) {
        model.header.folding.insert(model.header.folding.end(), chain.alpha.begin(),
                                    chain.alpha.end());
    }
    model.vocabulary = counts.vocabulary;
    model.term_vectors =
        concatenate_rows(models, [](const LdaModel& chain, std::size_t word, std::span<float> to) {
            const std::span<const float> row = chain.word_given_topic.row(word);
            std::copy(row.begin(), row.end(), to.begin());
        });
    finish_model(model, models, counts, options, executor);
    return model;
}

}  // namespace

TopicModelInfo lda_info() {
    return {.summary = "latent Dirichlet allocation: collapsed Gibbs sampling",
            .kind = TopicVectorKind::kProbability,
            .parameters = lda_parameters(1),
            .choices = lda_choices(),
            .fit = fit_lda_model,
            .make_folding = make_lda_folding};
}

}  // namespace braid
