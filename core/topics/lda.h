// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"

namespace braid {

struct LdaOptions {
    std::size_t topics = 100;
    double alpha = 0;            ///< A topic's prior; 0 stands for 10 / topics.
    double eta = 0.01;           ///< A word's prior in a topic.
    std::size_t sweeps = 200;    ///< Each samples every token once.
    std::size_t annealing = 50;  ///< Sweeps in which eta falls from annealing_eta to eta.
    double annealing_eta = 0.3;  ///< Where eta begins; not used where it is below eta.
    bool learn_alpha = false;    ///< An asymmetric alpha, learned once the annealing is over.
    bool learn_eta = false;
    std::size_t samples = 1;          ///< p(w|z) and p(z|d) are averaged over these last samples,
    std::size_t sample_interval = 5;  ///< which are this many sweeps apart.
    double held_out_share = 0;        ///< Of the documents, not learned from; in [0, 1).
    std::size_t report_every = 0;     ///< Sweeps between two reports; 0: only one, at the end.
    bool document_topics = false;     ///< Whether to fill LdaModel::document_topics.
    std::uint64_t seed = kDefaultSeed;

    bool operator==(const LdaOptions&) const = default;
};

/// How good the model is after some sweeps.
struct LdaReport {
    std::size_t sweeps = 0;
    double held_out_perplexity = 0;  ///< By document completion; 0 where nothing is held out.
    double coherence = 0;            ///< Mean over topics of their ten words' NPMI.
};

/// Latent Dirichlet allocation, fitted: a plain value.
struct LdaModel {
    std::vector<float> alpha;
    double eta = 0;
    FloatMatrix word_given_topic;     ///< p(w|z): a row a word, a column a topic.
    FloatMatrix document_topics;      ///< p(z|d) of the sampler; of held out documents the prior.
    std::vector<double> topic_share;  ///< p(z): share of the tokens.
    std::vector<LdaReport> reports;
    std::vector<std::string> warnings;
};

/// Collapsed Gibbs sampling (docs/algorithms/lda.md). `counts` are valid and have an entry; counts
/// are rounded to whole occurrences, at least one. The topics are lowered, with a warning, to the
/// number of words or of documents that have words. The result has the same bits at any number of
/// threads. Time: linear in tokens x sweeps, and nearly flat in topics while alpha x topics stays
/// the same. Throws InvalidArgument for options out of range and for 2^31 tokens or more,
/// Cancelled where `progress` says so.
BRAID_API LdaModel fit_lda(const TermDocumentCounts& counts, const LdaOptions& options,
                           Executor& executor, const Progress& progress = {});

/// `chains` independent models, of seeds drawn from options.seed. Where the collection is too
/// small for one chain to keep several threads busy, chains run side by side.
BRAID_API std::vector<LdaModel> fit_lda_chains(const TermDocumentCounts& counts,
                                               const LdaOptions& options, std::size_t chains,
                                               Executor& executor, const Progress& progress = {});

/// The topics of `model` for people.
BRAID_API std::vector<Topic> describe_topics(const LdaModel& model,
                                             const std::vector<std::string>& vocabulary,
                                             std::size_t words);

/// The entry of the registry. Term vectors are p(w|z); a document's or text's vector is p(z|d) by
/// infer_topics(), scaled to length 1, of every chain one after the other, each over sqrt(chains).
/// header.folding is {chains, alpha of every dimension}.
TopicModelInfo lda_info();

}  // namespace braid
