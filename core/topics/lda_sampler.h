// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/topics/lda_topic_list.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

// The tokens that collapsed Gibbs sampling visits.

/// The tokens of one term in one cell. They begin where the previous visit ends.
struct LdaVisit {
    std::uint32_t term;
    std::uint64_t end;
};

/// The tokens of one block of documents and one block of terms, ordered by term, then by document.
struct LdaCell {
    std::uint64_t begin = 0;
    std::vector<LdaVisit> visits;
};

/// Every occurrence of every word as a token, split into a grid of blocks x blocks cells. Two cells
/// of different document blocks and different term blocks share no document and no term, so each
/// cell of a diagonal can be sampled by its own thread.
///
/// Counts are rounded to whole occurrences, at least one. A document of more than kPartTokens
/// tokens is split into parts that are sampled as separate documents, so counts in a part fit 16
/// bits.
struct LdaCorpus {
    static constexpr std::size_t kPartTokens = 32768;
    static constexpr std::size_t kMaxBlocks = 16;
    static constexpr std::size_t kTokensPerBlock = 1U << 18U;

    std::size_t terms = 0;
    std::size_t documents = 0;
    std::size_t blocks = 1;
    std::vector<LdaCell> cells;  ///< Document block b and term block c: cells[b * blocks + c].
    std::vector<std::uint32_t> part_of_token;
    std::vector<std::uint32_t> part_lengths;
    std::vector<std::uint32_t> document_of_part;  ///< Ascending.

    std::size_t tokens() const { return part_of_token.size(); }
};

/// O(tokens + blocks x terms). The number of blocks depends on the number of tokens only. Throws
/// InvalidArgument for 2^31 occurrences or more.
LdaCorpus make_lda_corpus(const TermDocumentCounts& counts);

/// The same with a given number of `blocks` >= 1; for tests.
LdaCorpus make_lda_corpus(const TermDocumentCounts& counts, std::size_t blocks);

// The inner loop of collapsed Gibbs sampling.

/// The Dirichlet parameters.
struct LdaPriors {
    std::vector<float> alpha;  ///< One a topic, > 0.
    double eta = 0.01;         ///< The same for every word, > 0.
};

/// State shared by the cells of a sweep. Cells sampled in parallel write different parts of it.
struct LdaState {
    std::size_t topics = 0;
    std::size_t stride = 0;  ///< Length of a row: topics rounded up to whole blocks.
    std::vector<std::uint16_t> topic_of_token;
    std::vector<TopicGroup> groups;            ///< Topic lists of all parts.
    std::vector<std::uint32_t> list_of_token;  ///< Start of its part's list in `groups`.
    std::vector<std::uint32_t> term_counts;    ///< Term w and topic k: [w * stride + k].
    std::vector<std::uint32_t> topic_counts;

    /// Marks unused slots of topic lists; its weight is always 0.
    std::uint16_t unused() const { return static_cast<std::uint16_t>(stride); }
};

/// Samples the topic of each token of a cell in turn from its exact conditional distribution given
/// all others (docs/algorithms/lda.md (4)). The topics' totals are those at the start plus the
/// cell's own changes. Goes word by word, so the word's weights of all topics stay in the
/// first-level cache. A token costs O(topics of its document / 8), plus O(sqrt(topics)) if its
/// topic does not come from the document.
class LdaCellSampler {
  public:
    /// Borrows `state`, which must outlive it.
    explicit LdaCellSampler(LdaState& state);

    /// Reads but doesn't change `state.topic_counts`; change() is what to add.
    void sample(const LdaCell& cell, const LdaPriors& priors, double terms, FastRandom random);

    /// The last cell's change of the topic's total, modulo 2^32.
    std::uint32_t change(std::size_t topic) const {
        return totals_[topic] - state_.topic_counts[topic];
    }

  private:
    static constexpr std::size_t kBlock = 16;

    void begin_term(const std::uint32_t* counts);
    void prefetch_term(std::size_t term) const;
    void sample_token(std::uint32_t* counts, std::uint64_t token, FastRandom& random);
    std::uint16_t draw(TopicGroup* list, std::uint16_t own, double own_change, FastRandom& random);
    std::size_t draw_elsewhere(double u, std::uint16_t own, double own_change);
    void move(std::uint32_t* counts, std::uint16_t from, std::uint16_t to, float from_weight);
    void set_total(std::size_t topic, std::uint32_t total);

    LdaState& state_;
    float eta_ = 0;
    double eta_sum_ = 0;
    double elsewhere_ = 0;             // Sum over topics of alpha * weight.
    std::vector<float> alpha_;         // Padded with 0.
    std::vector<float> weights_;       // (n_wk + eta) / (n_k + V eta) of the current term.
    std::vector<float> inverse_;       // 1 / (n_k + V eta)
    std::vector<float> inverse_less_;  // The same with one token fewer.
    std::vector<double> blocks_;       // Sums of alpha * weight over kBlock topics.
    std::vector<float> products_;      // count * weight of the document's topics.
    std::vector<std::uint32_t> totals_;
};

// The state of one chain of collapsed Gibbs sampling.

/// One chain. A sweep samples every token once. On a grid of one block (small collections) it is
/// exact collapsed Gibbs sampling. On more blocks, the cells of a diagonal see each other's changes
/// of the topics' totals only after the diagonal is done; all else is exact. The same bits at any
/// number of threads. Memory: 6 bytes a token, about 5 a token and document for the lists, 4 x
/// terms x topics.
class LdaSampler {
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
    /// The topic of a token, in the order of the corpus.
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
    std::uint64_t streams_ = 1;  // Random streams used; the start used 0.
};

}  // namespace braid
