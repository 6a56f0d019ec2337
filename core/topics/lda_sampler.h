// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The state of one chain of collapsed Gibbs sampling; not installed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/topics/lda_cell_sampler.h"
#include "braid/core/topics/lda_corpus.h"
#include "braid/core/topics/term_document_counts.h"

namespace braid {

/// One chain. A sweep samples every token once; on a grid of one block (small collections) it is
/// exact collapsed Gibbs sampling, on more blocks the cells of a diagonal see each other's changes
/// of the topics' totals (and nothing else) only when the diagonal is done. The result has the
/// same bits at any number of threads. Memory: 6 bytes a token, about 5 a token and document for
/// the lists, 4 x terms x topics.
class BRAID_API LdaSampler {
  public:
    static constexpr std::size_t kMaxTopics = 65000;

    /// Gives every token a topic at random. Throws InvalidArgument for more than kMaxTopics.
    LdaSampler(LdaCorpus corpus, std::size_t topics, std::uint64_t seed);

    LdaSampler(const LdaSampler&) = delete;
    LdaSampler& operator=(const LdaSampler&) = delete;

    void sweep(const LdaPriors& priors, Executor& executor);

    std::size_t topics() const { return state_.topics; }
    std::size_t terms() const { return corpus_.terms; }
    std::size_t documents() const { return corpus_.documents; }
    std::size_t tokens() const { return state_.topic_of_token.size(); }

    /// n_wk and n_k.
    std::uint32_t count(std::size_t term, std::size_t topic) const {
        return state_.term_counts[term * state_.stride + topic];
    }
    std::uint32_t total(std::size_t topic) const { return state_.topic_counts[topic]; }
    /// Of a token, in the order of the corpus.
    std::size_t topic(std::size_t token) const { return state_.topic_of_token[token]; }

    /// Calls `visit(part, topic, tokens)` for every topic that a part of a document has.
    void for_each_topic(
        const std::function<void(std::size_t, std::size_t, std::uint32_t)>& visit) const;

    const LdaCorpus& corpus() const { return corpus_; }

  private:
    void initialise(std::uint64_t seed);

    LdaCorpus corpus_;
    LdaState state_;
    std::vector<std::uint32_t> list_of_part_;
    std::vector<LdaCellSampler> cell_samplers_;  // One a block.
    std::uint64_t seed_;
    std::uint64_t streams_ = 1;  // Random streams handed out; 0 went to the start.
};

}  // namespace braid
