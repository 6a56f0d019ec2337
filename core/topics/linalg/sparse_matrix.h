// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Weighted counts as the topic models work on them; not installed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/topics/term_document_counts.h"

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

/// The transpose of compressed rows: for each column its rows, ascending, and where each entry
/// stands in the rows.
TermPostings transpose_rows(std::span<const std::uint64_t> begin,
                            std::span<const std::uint32_t> columns, std::size_t columns_total);

/// `values` are the entries of `counts`, in its order; entries of value 0 are left out.
BRAID_API SparseMatrix make_sparse_matrix(const TermDocumentCounts& counts,
                                          std::span<const float> values);

/// Boundaries of chunks of rows of about as many entries each.
std::vector<std::size_t> cut_rows(std::span<const std::uint64_t> begin);

}  // namespace braid
