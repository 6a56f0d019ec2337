// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/random.h"
#include "braid/core/topics/term_document_counts.h"

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

/// `file` as read_descriptions() takes it, or "generated" or "generated:LENGTH".
TermDocumentCounts read_or_generate(const std::string& file, std::size_t documents,
                                    std::uint32_t min_documents = 5);

/// Every `step`-th document held out, and the other ones; the vocabulary has the words that at
/// least `min_documents` of the others have.
std::pair<TermDocumentCounts, TermDocumentCounts> split_documents(const TermDocumentCounts& counts,
                                                                  std::size_t step,
                                                                  std::uint32_t min_documents);

/// A file of three 64-bit numbers (documents, words, entries), row ends from 0 (64 bits), word
/// numbers (32 bits), values (double): what the peers' scripts read. `values` empty: the counts.
void write_matrix(const TermDocumentCounts& counts, const std::vector<double>& values,
                  const std::string& file);
/// Words are called by their numbers.
TermDocumentCounts read_matrix(const std::string& file);

class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    /// Of all threads.
    double processor_seconds() const {
        return static_cast<double>(std::clock() - ticks_) / CLOCKS_PER_SEC;
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::clock_t ticks_ = std::clock();
};

/// The most memory that this process had so far: VmHWM of Linux.
double peak_megabytes();

}  // namespace braid::bench
