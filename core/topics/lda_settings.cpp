// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_settings.h"

#include <algorithm>

#include "braid/core/topics/topic_folding.h"

namespace braid {
namespace {

constexpr std::size_t kDocumentsPerChunk = 256;

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
        {"sweeps", static_cast<double>(defaults.sweeps), 1, 1e6, "times each token is sampled",
         kWhole},
        {"annealing", static_cast<double>(defaults.annealing), 0, 1e6,
         "sweeps in which eta falls to its value (lda.md)", kWhole},
        {"annealing-eta", defaults.annealing_eta, 0, 100, "where eta begins"},
        {"samples", static_cast<double>(defaults.samples), 1, 1000,
         "last samples that p(w|z) is averaged over", kWhole},
        {"sample-interval", static_cast<double>(defaults.sample_interval), 1, 1e6,
         "sweeps between two samples", kWhole},
        {"held-out", defaults.held_out_share, 0, 0.9,
         "share of the documents kept out, to measure perplexity"},
        {"report-every", static_cast<double>(defaults.report_every), 0, 1e6,
         "sweeps between measurements; 0: only at the end", kWhole},
    };
}

std::vector<ChoiceInfo> lda_choices() {
    return {{"priors", "fixed", {"fixed", "alpha", "both"}, "which priors are learned"}};
}

LdaOptions lda_options(const TopicOptions& options) {
    LdaOptions result;
    result.topics = options.dimensions;
    result.alpha = options.parameters.at("alpha");
    result.eta = options.parameters.at("eta");
    result.sweeps = whole(options, "sweeps");
    result.annealing = whole(options, "annealing");
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
    model.training = describe_training(chains, lda_options(options));
}

}  // namespace braid
