// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/indexer/formats/input.h"

namespace braid {

/// The user's vectors of documents or queries: rows of one dimension, finite, not normalised.
struct SourceVectors {
    std::size_t dimensions = 0;
    std::vector<std::string> ids;  ///< One per row, or empty if the file has no names.
    std::vector<float> values;     ///< Row after row.

    std::size_t size() const { return dimensions > 0 ? values.size() / dimensions : 0; }
    std::span<const float> row(std::size_t i) const {
        return {values.data() + i * dimensions, dimensions};
    }
    bool operator==(const SourceVectors&) const = default;
};

/// Longer vectors are an error.
inline constexpr std::size_t kMaxVectorDimensions = 65'536;

struct VectorOptions {
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
    std::size_t max_dimensions = kMaxVectorDimensions;
};

/// Reads a file of vectors, gzip or not: NumPy's .npy (one or two dimensions, '<f4' or '<f8', C
/// order, versions 1 to 3), told by its first bytes, else JSON lines, each an object with "vector"
/// or "embedding" and maybe an id, or just an array. See docs/formats.md. Throws FormatError
/// with the file and the line or row for anything else: no vectors, rows of different lengths,
/// numbers that are not finite as floats, a file that ends early or goes on, ids on some lines
/// only, the same id twice. Memory: 4 bytes a number, and the ids.
BRAID_API SourceVectors read_vectors(const std::string& path, const VectorOptions& options = {});

/// The same for an open input.
BRAID_API SourceVectors read_vectors(Input input, const VectorOptions& options = {});

/// One name per line, trimmed, for the rows of a file without names. Throws FormatError for an
/// empty line and for a repeated name.
BRAID_API std::vector<std::string> read_vector_ids(
    const std::string& path, std::size_t max_line = LineReader::kDefaultMaxLine);

/// The same for an input that is open already.
BRAID_API std::vector<std::string> read_vector_ids(
    Input input, std::size_t max_line = LineReader::kDefaultMaxLine);

/// The first bytes of every .npy file.
inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads a whole .npy file; see read_vectors.
BRAID_API SourceVectors read_npy(Input input, std::size_t max_dimensions);

}  // namespace braid
