// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/read.h"

namespace braid {

/// As read_vectors, for an input that is open already.
SourceVectors read_vectors(Input input, const VectorOptions& options = {});

/// One name per line, trimmed, for the rows of a file without names. Throws FormatError for an
/// empty line and for a repeated name.
std::vector<std::string> read_vector_ids(const std::string& path,
                                         std::size_t max_line = LineReader::kDefaultMaxLine);

/// The same for an input that is open already.
std::vector<std::string> read_vector_ids(Input input,
                                         std::size_t max_line = LineReader::kDefaultMaxLine);

/// The first bytes of every .npy file.
inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// A .npy file of float32 rows, as read_npy reads it. Throws InvalidArgument if `values` are not
/// whole rows.
std::string npy_text(std::span<const float> values, std::size_t dimensions);

/// Reads a whole .npy file; see read_vectors.
SourceVectors read_npy(Input input, std::size_t max_dimensions);

}  // namespace braid
