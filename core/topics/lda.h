// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/topics/lda_sampler.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

struct LdaOptions {
    std::size_t topics = 100;
    double alpha = 0;            ///< A topic's prior; 0: 10 / topics.
    double eta = 0.01;           ///< A word's prior in a topic.
    std::size_t sweeps = 200;    ///< Each samples every token once.
    std::size_t annealing = 50;  ///< Sweeps in which eta falls from annealing_eta to eta.
    double annealing_eta = 0.3;  ///< Initial eta; ignored if below eta.
    bool learn_alpha = false;    ///< Learns an asymmetric alpha after the annealing.
    bool learn_eta = false;
    std::size_t samples = 1;          ///< p(w|z) and p(z|d) are averaged over these last samples,
    std::size_t sample_interval = 5;  ///< which are this many sweeps apart.
    double held_out_share = 0;        ///< Share of the documents to hold out; in [0, 1).
    std::size_t report_every = 0;     ///< Sweeps between reports; 0: one report, at the end.
    bool document_topics = false;     ///< Whether to fill LdaModel::document_topics.
    std::uint64_t seed = kDefaultSeed;

    bool operator==(const LdaOptions&) const = default;
};

/// The model's quality after some sweeps.
struct LdaReport {
    std::size_t sweeps = 0;
    double held_out_perplexity = 0;  ///< By document completion; 0 if nothing is held out.
    double coherence = 0;            ///< Mean over topics of their ten words' NPMI.
};

/// Latent Dirichlet allocation, fitted: a plain value.
struct LdaModel {
    std::vector<float> alpha;
    double eta = 0;
    FloatMatrix word_given_topic;     ///< p(w|z): a row a word, a column a topic.
    FloatMatrix document_topics;      ///< p(z|d) of the sampler; the prior for held-out documents.
    std::vector<double> topic_share;  ///< p(z): share of the tokens.
    std::vector<LdaReport> reports;
    std::vector<std::string> warnings;
};

/// Collapsed Gibbs sampling (docs/algorithms/lda.md). `counts` are valid and have an entry; counts
/// are rounded to whole occurrences, at least one. The topics are lowered, with a warning, to the
/// number of words or of documents that have words. The same bits at any number of threads. Time:
/// linear in tokens x sweeps, and nearly constant in topics for constant alpha x topics. Throws
/// InvalidArgument for options out of range and for 2^31 tokens or more, Cancelled if `progress`
/// asks for it.
LdaModel fit_lda(const TermDocumentCounts& counts, const LdaOptions& options, Executor& executor,
                 const Progress& progress = {});

/// The first chain of the last fit, for the next one to the same counts by equal options: that of
/// lda and those of ldi begin with the same.
struct KeptLdaChain {
    LdaOptions options = {};
    std::optional<LdaModel> chain = {};
};

/// `chains` independent models, with seeds drawn from options.seed. If one chain of the collection
/// can't keep several threads busy, chains run in parallel. `kept` may be null; else it is read and
/// replaced, and belongs to `counts` alone.
std::vector<LdaModel> fit_lda_chains(const TermDocumentCounts& counts, const LdaOptions& options,
                                     std::size_t chains, Executor& executor,
                                     const Progress& progress = {}, KeptLdaChain* kept = nullptr);

/// The topics of `model`, for display.
std::vector<Topic> describe_topics(const LdaModel& model,
                                   const std::vector<std::string>& vocabulary, std::size_t words);

/// The registry entry. Term vectors are p(w|z). The vector of a document or text is p(z|d) by
/// infer_topics(), scaled to length 1, for every chain one after the other, each divided by
/// sqrt(chains). header.folding is {chains, alpha of every dimension}.
TopicModelInfo lda_info();

// Learning the Dirichlet parameters from a state of the chain.

/// A few steps of Minka's fixed point for the asymmetric alpha (docs/algorithms/lda.md (8)). A
/// topic without tokens keeps a small alpha, so it can return.
void learn_alpha(const LdaSampler& sampler, LdaPriors& priors);

/// The same for the symmetric eta (9).
void learn_eta(const LdaSampler& sampler, LdaPriors& priors);

struct LdaInferenceOptions {
    std::size_t iterations = 100;
    double tolerance = 1e-4;  ///< Stops when p(z|d) changes by less, summed over topics.
};

/// Writes p(z|d) of a text to `result`: the unique maximum of docs/algorithms/lda.md (10) for fixed
/// p(w|z), by fixed-point iteration. `terms` hold p(w|z) of all topics; all-zero ones are skipped.
/// A text without terms gets the prior, alpha / sum(alpha). Uses no random numbers: the same text
/// gives the same bits. O(terms x topics) an iteration.
void infer_topics(std::span<const FoldingTerm> terms, std::span<const float> alpha,
                  const LdaInferenceOptions& options, std::span<float> result);

}  // namespace braid
