// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Weighted counts as the topic models work on them; not installed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace braid {

/// Compressed rows of floats.
struct SparseRows {
    std::size_t columns_total = 0;
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    /// Rows at which work is cut into chunks, from 0 to rows(): from the entries alone, so that
    /// results don't depend on threads.
    std::vector<std::size_t> chunks;

    std::size_t rows() const { return begin.size() - 1; }
    std::size_t chunk_count() const { return chunks.size() - 1; }
};

/// One matrix, documents x terms, in both orders.
struct SparseMatrix {
    SparseRows by_document;
    SparseRows by_term;
};

/// The entries of compressed rows by column, a term each: term t has the documents
/// documents[term_begin[t]] .. in ascending order. `place` is where each entry stands in the rows,
/// so that values computed in one order can be read in the other.
struct TermPostings {
    std::vector<std::uint64_t> term_begin;
    std::vector<std::uint32_t> documents;
    std::vector<std::uint64_t> place;
};

/// The transpose of compressed rows: for each column its rows, ascending, and where each entry
/// stands in the rows.
TermPostings transpose_rows(std::span<const std::uint64_t> begin,
                            std::span<const std::uint32_t> columns, std::size_t columns_total);

/// Both orders of these rows, whose `chunks` are cut here.
SparseMatrix make_sparse_matrix(SparseRows rows);

/// Boundaries of chunks of rows of about as many entries each.
std::vector<std::size_t> cut_rows(std::span<const std::uint64_t> begin);

}  // namespace braid
