// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The tokens that collapsed Gibbs sampling visits.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"

namespace braid {

/// The tokens of one term in one cell. They begin where the previous visit ends.
struct LdaVisit {
    std::uint32_t term;
    std::uint64_t end;
};

/// The tokens of one block of documents and one block of terms, ordered by term, then by document.
struct LdaCell {
    std::uint64_t begin = 0;
    std::vector<LdaVisit> visits;
};

/// Every occurrence of every word as a token, split into a grid of blocks x blocks cells. Two cells
/// of different document blocks and different term blocks share no document and no term, so each
/// cell of a diagonal can be sampled by its own thread.
///
/// Counts are rounded to whole occurrences, at least one. A document of more than kPartTokens
/// tokens is split into parts that are sampled as separate documents, so counts in a part fit 16
/// bits.
struct LdaCorpus {
    static constexpr std::size_t kPartTokens = 32768;
    static constexpr std::size_t kMaxBlocks = 16;
    static constexpr std::size_t kTokensPerBlock = 1U << 18U;

    std::size_t terms = 0;
    std::size_t documents = 0;
    std::size_t blocks = 1;
    std::vector<LdaCell> cells;  ///< Document block b and term block c: cells[b * blocks + c].
    std::vector<std::uint32_t> part_of_token;
    std::vector<std::uint32_t> part_lengths;
    std::vector<std::uint32_t> document_of_part;  ///< Ascending.

    std::size_t tokens() const { return part_of_token.size(); }
};

/// O(tokens + blocks x terms). The number of blocks depends on the number of tokens only. Throws
/// InvalidArgument for 2^31 occurrences or more.
LdaCorpus make_lda_corpus(const TermDocumentCounts& counts);

/// The same with a given number of `blocks` >= 1; for tests.
LdaCorpus make_lda_corpus(const TermDocumentCounts& counts, std::size_t blocks);

}  // namespace braid
