// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"

namespace braid {

// Weights of counts before a singular value decomposition.

/// A function of a count, applied before its term's weight. Model headers store the numbers, so
/// they must not change.
enum class LocalWeight { kCount = 0, kLog1p = 1 };

double local_weight(LocalWeight local, double count);

/// docs/algorithms/lsa.md (1) to (3).
struct TermWeighting {
    LocalWeight local = LocalWeight::kCount;
    std::vector<double> term_weights;  ///< Never negative.
    bool unit_length = false;          ///< Scales documents to Euclidean length 1.
};

/// `name` is raw, log-entropy or tf-idf; the counts have at least one entry.
TermWeighting make_term_weighting(const std::string& name, const TermDocumentCounts& counts);

/// The weighted entries, in the order of `counts`.
std::vector<float> weigh(const TermDocumentCounts& counts, const TermWeighting& weighting);

/// Latent semantic analysis: a truncated singular value decomposition of the weighted counts;
/// docs/algorithms/lsa.md. Term vectors are g_t V_t S^scaling, and header.folding is {number of the
/// local weight}. A text's vector is the sum of its terms' vectors, each times the local weight of
/// its count, scaled to unit length. This is linear up to scale, so a query costs one read and K
/// additions a term.
TopicModelInfo lsa_info();

/// Probabilistic latent semantic indexing: p(d,w) = sum_z p(z) p(d|z) p(w|z), learned by tempered
/// expectation maximisation; docs/algorithms/plsi.md. header.folding is {ranking, beta,
/// iterations}:
/// * ranking words (0): term vectors are p(z|w), and a text's vector is their sum, each times its
///   count.
/// * ranking posterior (1): term vectors are p(z)^(1-beta) p(w|z)^beta up to a factor a term, and
///   a text's vector is p(z|text), from that many iterations of tempered EM over its own terms.
TopicModelInfo plsi_info();

/// p(z|w) of every word from p(w|z) by Bayes' rule; docs/algorithms/ldi.md (1). `topic_share` is
/// p(z), one value a column; empty: uniform, which makes (1) equal (2). A word that no topic has
/// gets zeros.
FloatMatrix topic_given_word(const FloatMatrix& word_given_topic,
                             std::span<const double> topic_share = {});

/// p(z|d) of a text, not scaled: the mean over its tokens of p(z|w), (3). Zeros for a text without
/// terms.
void topic_given_text(std::span<const FoldingTerm> terms, std::span<float> result);

/// Indexing by latent Dirichlet allocation; docs/algorithms/ldi.md. Term vectors are p(z|w) of all
/// chains, one after the other, and header.folding is {chains}. A text's vector is the sum of its
/// terms' vectors times their counts, with each chain's part scaled to length 1 / sqrt(chains), so
/// that the dot product of two texts is the mean over chains of the cosine (6).
TopicModelInfo ldi_info();

}  // namespace braid
