// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/float_matrix.h"
#include "braid/core/topics/term_document_counts.h"

namespace braid {

/// What the components of a model's vectors can be: it decides how they are quantised.
enum class TopicVectorKind {
    kSigned,       ///< Any sign: LSA.
    kProbability,  ///< Never negative: the models of p(z|d).
};

/// What folding in a text needs beside its terms' vectors. A plain value of a few kilobytes that
/// is stored with the term vectors; make_topic_folding() in topic_models.h reads it.
struct TopicModelHeader {
    std::string model;           ///< Its name in the registry: "lsa".
    std::size_t dimensions = 0;  ///< The length of a document's, query's and term's vector.
    TopicVectorKind kind = TopicVectorKind::kSigned;
    /// The model's own constants; which, and in what order, is said beside its fit function and
    /// in its docs page. A folding that is given another number of them refuses the header.
    std::vector<double> folding;

    bool operator==(const TopicModelHeader&) const = default;
};

/// One topic (or dimension) for people.
struct Topic {
    struct Word {
        std::string term;
        double weight = 0;  ///< p(w|z); for signed models the term's signed loading.
    };
    std::vector<Word> words;  ///< Largest |weight| first, ties by term.
    double share = 0;         ///< p(z), or this dimension's share of the kept energy; sums to 1.
};

/// How a fit went. Not converging is a result, not an error.
struct TopicTraining {
    std::size_t iterations = 0;
    std::string stop_reason;     ///< "converged", "iteration limit", ...
    std::string objective_name;  ///< "held-out perplexity", "largest relative residual".
    double objective = 0;
    std::vector<double> trace;          ///< The objective as it went, where it is followed.
    std::vector<std::string> warnings;  ///< What was asked and not done: "dimensions lowered ...".
};

/// A fitted model: a plain value. Vectors of documents, and of whatever is folded in, have
/// Euclidean length 1 or are all zero (a text without a known word); two texts are as similar
/// as max(0, cos), which is then max(0, their dot product).
struct TopicModel {
    TopicModelHeader header;
    std::vector<std::string> vocabulary;  ///< The rows of `term_vectors`; ascending by bytes.
    FloatMatrix term_vectors;             ///< What folding takes; not of length 1.
    FloatMatrix document_vectors;         ///< Of the documents it was fitted to, in their order.
    std::vector<Topic> topics;            ///< One a dimension, or one a topic of every chain.
    TopicTraining training;
};

/// One term of a text that is folded in. `vector` is borrowed.
struct FoldingTerm {
    double count = 0;  ///< Occurrences in the text, over 0.
    std::span<const float> vector;
};

/// Turns a text's terms into the text's vector. It needs the vectors of these terms and nothing
/// else of the model, so a query reads only its own terms from a database. Immutable, safe to
/// share between threads, starts none; made by make_topic_folding().
///
/// Every implementation promises, and the conformance test checks:
/// * the result is finite and has Euclidean length 1, or is all zero where `terms` is empty (or,
///   signed models only, where the terms cancel out);
/// * the same terms in the same order give the same bits. Callers pass terms ascending by bytes.
class BRAID_API TopicFolding {
  public:
    virtual ~TopicFolding() = default;

    /// Writes the text's vector to `result`, which has header.dimensions floats, as each
    /// term's vector has.
    virtual void fold(std::span<const FoldingTerm> terms, std::span<float> result) const = 0;
};

/// Folds in a text given by term ids of `model`'s vocabulary.
BRAID_API std::vector<float> fold_in(const TopicFolding& folding, const TopicModel& model,
                                     const TermCounts& text);

}  // namespace braid
