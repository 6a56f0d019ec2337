// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include "braid/indexer/formats/vector_reader.h"

namespace braid {

/// What every .npy file begins with.
inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads a whole .npy file; see read_vectors.
BRAID_API SourceVectors read_npy(Input input, std::size_t max_dimensions);

}  // namespace braid
