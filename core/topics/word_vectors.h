// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"

namespace braid {

/// The kind under which a database keeps documents' vectors made of words' vectors that the user
/// brought. A topic model like others, but nothing is learned: topic_models() doesn't list it,
/// since fit_topic_model would have no vectors.
inline constexpr char kWordVectorsModel[] = "word-vectors";

/// Its folding is lsa's. Its `fit` throws InvalidArgument.
const TopicModelInfo& word_vectors_info();

/// Parameters and choices of word_vectors_info.
struct WordVectorSettings {
    bool idf = true;             ///< Weights (3); else (2).
    double a = 1e-3;             ///< The a of (2).
    std::size_t components = 1;  ///< Taken away.
};

/// The settings in `options`. Throws as complete_options.
BRAID_API WordVectorSettings word_vector_settings(const TopicOptions& options);

/// docs/algorithms/word-vectors.md: the model of `counts` whose words' vectors are the rows of
/// `vectors`, all zero for a word without one: those are left out of the model's vocabulary.
/// `vectors` has a row for each word of the vocabulary. Components are at most its columns less
/// one. Throws InvalidArgument where no word has a vector. O(entries x columns + documents x
/// columns^2).
BRAID_API TopicModel fit_word_vectors(const TermDocumentCounts& counts, const FloatMatrix& vectors,
                                      const WordVectorSettings& settings);

/// The share of all occurrences in `counts` of words with a vector.
BRAID_API double coverage(const TermDocumentCounts& counts, const FloatMatrix& vectors);

}  // namespace braid
