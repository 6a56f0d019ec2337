// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/float_matrix.h"
#include "braid/progress.h"
#include "braid/read.h"

namespace braid {

/// Vectors of a database's words from a file.
struct WordRows {
    FloatMatrix vectors;   ///< By word of the vocabulary; all zero for those without one.
    std::string checksum;  ///< Of the file.
};

/// docs/algorithms/word-vectors.md, Words of the file and of the database. `vocabulary` ascends;
/// `stem` makes its words of those of the file, in lower case. Throws as read_word_vectors.
WordRows read_word_rows(const std::string& file, const VectorOptions& options,
                        const std::vector<std::string>& vocabulary, const Xapian::Stem& stem,
                        const Progress& progress);

}  // namespace braid
