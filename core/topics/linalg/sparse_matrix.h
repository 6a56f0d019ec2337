// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Weighted counts, the input of the topic models' linear algebra.

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
    /// Rows at which work is split into chunks, from 0 to rows(). Depends on the entries only, so
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

/// The entries of compressed rows by column, one term a column: term t has the documents
/// documents[term_begin[t]] .. in ascending order. `place` is each entry's index in the rows, so
/// values computed in one order can be read in the other.
struct TermPostings {
    std::vector<std::uint64_t> term_begin;
    std::vector<std::uint32_t> documents;
    std::vector<std::uint64_t> place;
};

/// The transpose of compressed rows: the ascending rows of each column, and each entry's index in
/// the rows.
TermPostings transpose_rows(std::span<const std::uint64_t> begin,
                            std::span<const std::uint32_t> columns, std::size_t columns_total);

/// Both orders of these rows; sets their `chunks`.
SparseMatrix make_sparse_matrix(SparseRows rows);

/// Boundaries of chunks of rows with about equally many entries.
std::vector<std::size_t> cut_rows(std::span<const std::uint64_t> begin);

}  // namespace braid
