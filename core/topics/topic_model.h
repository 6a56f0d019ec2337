// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"

namespace braid {

/// The range of a model's vector components, which decides how they are quantised.
enum class TopicVectorKind {
    kSigned,       ///< Any sign: LSA.
    kProbability,  ///< >= 0: models of p(z|d).
};

/// The data that folding in needs beside term vectors. A plain value of a few kilobytes, stored
/// with the term vectors; make_topic_folding() in topic_models.h reads it.
struct TopicModelHeader {
    std::string model;           ///< Its name in the registry: "lsa".
    std::size_t dimensions = 0;  ///< Length of the vectors of documents, queries and terms.
    TopicVectorKind kind = TopicVectorKind::kSigned;
    /// The model's own constants; its fit function and docs page say which, in what order. The
    /// folding refuses a wrong number of them.
    std::vector<double> folding = {};

    bool operator==(const TopicModelHeader&) const = default;
};

/// One topic (or dimension), for display.
struct Topic {
    struct Word {
        std::string term;
        double weight = 0;  ///< p(w|z); for signed models the term's signed loading.
    };
    std::vector<Word> words;  ///< Largest |weight| first, ties by term.
    double share = 0;         ///< p(z), or the dimension's share of the kept energy; sums to 1.
};

/// How a fit went. Not converging is a result, not an error.
struct TopicTraining {
    std::size_t iterations = 0;
    std::string stop_reason;          ///< "converged", "iteration limit", ...
    std::string objective_name = {};  ///< "held-out perplexity", "largest relative residual".
    double objective = 0;
    std::vector<double> trace = {};          ///< The objective's course, if recorded.
    std::vector<std::string> warnings = {};  ///< Requests not met: "dimensions lowered ...".
};

/// A fitted model: a plain value. Vectors of documents and folded-in texts have Euclidean length 1
/// or are all zero (a text without a known word). The similarity of two texts is max(0, cos), which
/// then equals max(0, their dot product).
struct TopicModel {
    TopicModelHeader header;
    std::vector<std::string> vocabulary;  ///< The rows of `term_vectors`; ascending by bytes.
    FloatMatrix term_vectors;             ///< Input of folding in; not of length 1.
    FloatMatrix document_vectors;         ///< Vectors of the training documents, in their order.
    std::vector<Topic> topics;            ///< One a dimension, or one a topic of every chain.
    TopicTraining training;
};

/// One term of a text to fold in. Borrows `vector`.
struct FoldingTerm {
    double count = 0;  ///< Occurrences in the text, > 0.
    std::span<const float> vector;
};

/// Computes a text's vector from its terms. It needs only the vectors of these terms, so a query
/// reads only its own terms from a database. Immutable, safe to share between threads, starts none.
/// make_topic_folding() makes one.
///
/// Every implementation guarantees, and the conformance test checks:
/// * the result is finite and has Euclidean length 1, or is all zero if `terms` is empty (or, for
///   signed models only, if the terms cancel out);
/// * the same terms in the same order give the same bits. Callers pass terms ascending by bytes.
class TopicFolding {
  public:
    virtual ~TopicFolding() = default;

    /// Writes the text's vector to `result`. It has header.dimensions floats, as has each term's
    /// vector.
    virtual void fold(std::span<const FoldingTerm> terms, std::span<float> result) const = 0;
};

/// Folds in a text given by term ids of `model`'s vocabulary.
BRAID_API std::vector<float> fold_in(const TopicFolding& folding, const TopicModel& model,
                                     const TermCounts& text);

}  // namespace braid
