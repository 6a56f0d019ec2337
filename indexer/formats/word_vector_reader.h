// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/progress.h"
#include "braid/read.h"

namespace braid {

/// What a file of words' vectors has: docs/algorithms/word-vectors.md, Files.
struct WordVectorFile {
    std::size_t dimensions = 0;
    std::size_t words = 0;
    std::uint64_t checksum = 0;  ///< Of all words and numbers: tells files apart.
};

/// Takes a word as the file has it, its place in the file from 1, and its numbers, all finite.
using WordVectorTaker =
    std::function<void(std::string_view word, std::size_t place, std::span<const float> vector)>;

/// Reads text of GloVe, word2vec or fastText (.vec), gzipped or not, word by word, so that memory
/// doesn't grow with the file. Throws FormatError with the line for what isn't such a file, and
/// Cancelled if `progress` asks for it.
BRAID_API WordVectorFile read_word_vectors(const std::string& path, const VectorOptions& options,
                                           const WordVectorTaker& take,
                                           const Progress& progress = {});
/// The same for an input that is open already.
BRAID_API WordVectorFile read_word_vectors(Input input, const VectorOptions& options,
                                           const WordVectorTaker& take,
                                           const Progress& progress = {});

}  // namespace braid
