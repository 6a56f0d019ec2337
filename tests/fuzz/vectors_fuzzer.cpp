// SPDX-License-Identifier: GPL-2.0-or-later
//
// Vectors of any bytes, .npy or JSON lines: nothing but a FormatError, whole rows of finite numbers
// with an id for each or none, and the same in pieces.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "braid/error.h"
#include "braid/indexer/formats/vector_reader.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::accepts;
using braid::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    braid::SourceVectors vectors;
    braid::SourceVectors again;
    const auto read = [&](std::size_t piece, braid::SourceVectors& into) {
        return accepts(
            [&] { into = braid::read_vectors(braid::Input::from_memory(text, "input", piece)); });
    };
    const bool good = read(SIZE_MAX, vectors);
    require(read(3, again) == good, "the same in pieces");
    if (!good) return 0;
    require(vectors == again, "the same in pieces");
    require(vectors.size() > 0, "there are vectors");
    require(vectors.values.size() == vectors.size() * vectors.dimensions, "rows are whole");
    require(vectors.ids.empty() || vectors.ids.size() == vectors.size(), "ids of all rows or none");
    for (const float value : vectors.values) require(std::isfinite(value), "numbers are finite");
    return 0;
}
