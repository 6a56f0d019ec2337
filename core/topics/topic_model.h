// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/base/float_matrix.h"

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

}  // namespace braid
