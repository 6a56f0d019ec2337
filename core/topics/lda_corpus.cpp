// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda_corpus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {
namespace {

std::uint64_t occurrences(float count) {
    return static_cast<std::uint64_t>(std::max(1.0F, std::round(count)));
}

std::uint64_t count_tokens(const TermDocumentCounts& counts) {
    double total = 0;
    for (const float count : counts.counts) total += std::max(1.0F, std::round(count));
    if (total >= 0x1p31) {
        throw InvalidArgument(fmt::format(
            "lda: the collection has {:.0f} occurrences of words, expected below 2^31", total));
    }
    return static_cast<std::uint64_t>(total);
}

/// Fills part_lengths and document_of_part; returns each document's first part.
std::vector<std::uint32_t> cut_documents(const TermDocumentCounts& counts, LdaCorpus& corpus) {
    std::vector<std::uint32_t> first_part(counts.documents());
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        std::uint64_t length = 0;
        for (const float count : counts.document(d).counts) length += occurrences(count);
        first_part[d] = static_cast<std::uint32_t>(corpus.part_lengths.size());
        const std::uint64_t parts = (length + LdaCorpus::kPartTokens - 1) / LdaCorpus::kPartTokens;
        for (std::uint64_t p = 0; p < parts; ++p) {
            const std::uint64_t part_length = (length + parts - 1 - p) / parts;
            corpus.part_lengths.push_back(static_cast<std::uint32_t>(part_length));
            corpus.document_of_part.push_back(static_cast<std::uint32_t>(d));
        }
    }
    return first_part;
}

/// Contiguous blocks of parts with about the same number of tokens.
std::vector<std::uint32_t> block_parts(const LdaCorpus& corpus, std::uint64_t tokens) {
    std::vector<std::uint32_t> block_of_part(corpus.part_lengths.size());
    std::uint64_t before = 0;
    for (std::size_t p = 0; p < block_of_part.size(); ++p) {
        block_of_part[p] = static_cast<std::uint32_t>(before * corpus.blocks / tokens);
        before += corpus.part_lengths[p];
    }
    return block_of_part;
}

/// The most frequent term first, each to the block that has the fewest tokens so far.
std::vector<std::uint32_t> block_terms(const std::vector<std::uint64_t>& frequencies,
                                       std::size_t blocks) {
    std::vector<std::uint32_t> order(frequencies.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return frequencies[a] > frequencies[b];
    });
    std::vector<std::uint32_t> block_of_term(frequencies.size());
    std::vector<std::uint64_t> loads(blocks, 0);
    for (const std::uint32_t term : order) {
        const auto lightest = std::min_element(loads.begin(), loads.end());
        block_of_term[term] = static_cast<std::uint32_t>(lightest - loads.begin());
        *lightest += frequencies[term];
    }
    return block_of_term;
}

/// Calls `visit(term, part)` for each token, by document, then by term. The tokens of a document
/// that is cut are dealt to its parts in turn.
template <typename Visit>
void for_each_token(const TermDocumentCounts& counts, const std::vector<std::uint32_t>& first_part,
                    std::size_t parts_in_all, const Visit& visit) {
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        const TermCounts row = counts.document(d);
        const std::uint32_t first = first_part[d];
        const std::size_t next = d + 1 < first_part.size() ? first_part[d + 1] : parts_in_all;
        const auto parts = static_cast<std::uint32_t>(next - first);
        std::uint32_t part = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            for (std::uint64_t n = occurrences(row.counts[i]); n > 0; --n) {
                visit(row.terms[i], first + part);
                if (++part == parts) part = 0;
            }
        }
    }
}

}  // namespace

LdaCorpus make_lda_corpus(const TermDocumentCounts& counts) {
    const std::uint64_t blocks = count_tokens(counts) / LdaCorpus::kTokensPerBlock;
    return make_lda_corpus(counts, std::clamp<std::uint64_t>(blocks, 1, LdaCorpus::kMaxBlocks));
}

LdaCorpus make_lda_corpus(const TermDocumentCounts& counts, std::size_t blocks) {
    const std::uint64_t tokens = count_tokens(counts);
    LdaCorpus corpus;
    corpus.terms = counts.vocabulary.size();
    corpus.documents = counts.documents();
    corpus.blocks = blocks;
    corpus.cells.resize(blocks * blocks);
    corpus.part_of_token.resize(tokens);
    const std::vector<std::uint32_t> first_part = cut_documents(counts, corpus);
    const std::vector<std::uint32_t> block_of_part = block_parts(corpus, tokens);
    const std::size_t parts = corpus.part_lengths.size();

    // How many tokens each term has in each block of documents; then where they begin.
    std::vector<std::uint64_t> places(blocks * corpus.terms, 0);
    std::vector<std::uint64_t> frequencies(corpus.terms, 0);
    for_each_token(counts, first_part, parts, [&](std::uint32_t term, std::uint32_t part) {
        ++places[block_of_part[part] * corpus.terms + term];
        ++frequencies[term];
    });
    const std::vector<std::uint32_t> block_of_term = block_terms(frequencies, blocks);
    std::uint64_t place = 0;
    for (std::size_t cell = 0; cell < corpus.cells.size(); ++cell) {
        corpus.cells[cell].begin = place;
        std::uint64_t* const row = places.data() + cell / blocks * corpus.terms;
        for (std::size_t term = 0; term < corpus.terms; ++term) {
            if (block_of_term[term] != cell % blocks || row[term] == 0) continue;
            const std::uint64_t begin = place;
            place += row[term];
            corpus.cells[cell].visits.push_back({static_cast<std::uint32_t>(term), place});
            row[term] = begin;
        }
    }
    for_each_token(counts, first_part, parts, [&](std::uint32_t term, std::uint32_t part) {
        corpus.part_of_token[places[block_of_part[part] * corpus.terms + term]++] = part;
    });
    return corpus;
}

}  // namespace braid
