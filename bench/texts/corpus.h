// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"

namespace braid::bench {

/// Words of the titles and texts of the first `documents` package descriptions (a Translation-en
/// file of Debian's package lists, in any packing the readers know), neither stopped nor stemmed,
/// that at least `min_documents` of them have.
TermDocumentCounts read_descriptions(const std::string& file, std::size_t documents,
                                     std::uint32_t min_documents = 5);

struct TextShape {
    std::size_t documents = 500000;
    double length = 33;  ///< Tokens a document, on average; from 1/4 to 7/4 of it.
    std::size_t vocabulary = 40000;
    std::size_t topics = 200;
    std::uint64_t seed = kDefaultSeed;
};

/// Documents that are made up: each token is, two times in five, one of the words that all texts
/// use, else one of the document's one to four topics; both by Zipf's law.
TermDocumentCounts generate_documents(const TextShape& shape);

/// What help says of the argument that read_or_generate() is given.
constexpr const char* kTextsHelp =
    "Package descriptions (a Translation-en file), generated, or generated:LENGTH";

/// What help says of how many of them are read.
constexpr const char* kDocumentsHelp = "The first documents only";

/// `file` as read_descriptions() takes it, or "generated" or "generated:LENGTH".
TermDocumentCounts read_or_generate(const std::string& file, std::size_t documents,
                                    std::uint32_t min_documents = 5);

/// Every `step`-th document held out, and the other ones; the vocabulary has the words that at
/// least `min_documents` of the others have.
std::pair<TermDocumentCounts, TermDocumentCounts> split_documents(const TermDocumentCounts& counts,
                                                                  std::size_t step,
                                                                  std::uint32_t min_documents);

/// What a file holds of a matrix, row by row.
struct Matrix {
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    std::uint64_t width = 0;

    std::uint64_t rows() const { return begin.size() - 1; }
    /// The sum of the squares of its values.
    double energy() const;
};

/// Writes a file of three 64-bit numbers (documents, words, entries), row ends from 0 (64 bits),
/// word numbers (32 bits), values (double): what the peers' scripts read. `values` empty: the
/// counts.
void write_matrix(const TermDocumentCounts& counts, const std::vector<double>& values,
                  const std::string& file);
Matrix read_matrix(const std::string& file);

/// The matrix as counts, in single precision. Words are called by their numbers.
TermDocumentCounts counts_of(const Matrix& matrix);

/// So many numbers as they are in memory. Throws Error if the file ends before.
template <typename T>
std::vector<T> read_numbers(std::ifstream& in, std::uint64_t count) {
    std::vector<T> values(count);
    in.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
    if (!in) throw Error("a file of numbers ends before its last number");
    return values;
}

}  // namespace braid::bench
