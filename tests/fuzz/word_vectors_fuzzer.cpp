// SPDX-License-Identifier: GPL-2.0-or-later
//
// Vectors of words of any bytes: nothing but a FormatError, a word with as many finite numbers on
// each line, and the same in pieces.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/word_vector_reader.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::accepts;
using braid::fuzz::require;

namespace {

using Words = std::vector<std::pair<std::string, std::vector<float>>>;

bool read(const std::string& text, std::size_t piece, Words& words) {
    return accepts([&] {
        const braid::WordVectorFile file = braid::read_word_vectors(
            braid::Input::from_memory(text, "input", piece), {},
            [&](std::string_view word, std::size_t place, std::span<const float> vector) {
                words.emplace_back(word, std::vector<float>(vector.begin(), vector.end()));
                require(place == words.size(), "words are counted");
            });
        require(file.words == words.size() && file.words > 0, "there are words");
        for (const auto& [word, vector] : words) {
            require(!word.empty(), "words are not empty");
            require(vector.size() == file.dimensions, "vectors are whole");
            for (const float value : vector) require(std::isfinite(value), "numbers are finite");
        }
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    Words words;
    Words again;
    const bool good = read(text, SIZE_MAX, words);
    require(read(text, 3, again) == good, "the same in pieces");
    require(!good || words == again, "the same in pieces");
    return 0;
}
