// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/sparse_matrix.h"

#include <numeric>
#include <utility>

namespace braid {
namespace {

// Large enough that a thread's start is small beside a chunk, small enough for eight threads to
// share the work of a small collection.
constexpr std::size_t kEntriesPerChunk = 32768;

SparseRows transposed(const SparseRows& rows) {
    TermPostings postings = transpose_rows(rows.begin, rows.columns, rows.columns_total);
    SparseRows result;
    result.columns_total = rows.rows();
    result.values.reserve(rows.values.size());
    for (const std::uint64_t place : postings.place) result.values.push_back(rows.values[place]);
    result.begin = std::move(postings.term_begin);
    result.columns = std::move(postings.documents);
    return result;
}

}  // namespace

TermPostings transpose_rows(std::span<const std::uint64_t> begin,
                            std::span<const std::uint32_t> columns, std::size_t columns_total) {
    TermPostings postings;
    postings.term_begin.assign(columns_total + 1, 0);
    postings.documents.resize(columns.size());
    postings.place.resize(columns.size());
    for (const std::uint32_t c : columns) ++postings.term_begin[c + 1];
    std::partial_sum(postings.term_begin.begin(), postings.term_begin.end(),
                     postings.term_begin.begin());
    std::vector<std::uint64_t> next(postings.term_begin.begin(), postings.term_begin.end() - 1);
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
        for (std::uint64_t i = begin[r]; i < begin[r + 1]; ++i) {
            const std::uint64_t to = next[columns[i]]++;
            postings.documents[to] = static_cast<std::uint32_t>(r);
            postings.place[to] = i;
        }
    }
    return postings;
}

std::vector<std::size_t> cut_rows(std::span<const std::uint64_t> begin) {
    std::vector<std::size_t> chunks = {0};
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
        // A row weighs a little of its own, so that many empty ones are cut as well.
        const std::uint64_t weight = begin[r + 1] - begin[chunks.back()] + (r + 1 - chunks.back());
        if (weight >= kEntriesPerChunk) chunks.push_back(r + 1);
    }
    if (chunks.back() + 1 < begin.size()) chunks.push_back(begin.size() - 1);
    return chunks;
}

SparseMatrix make_sparse_matrix(SparseRows rows) {
    SparseMatrix matrix;
    matrix.by_term = transposed(rows);
    matrix.by_term.chunks = cut_rows(matrix.by_term.begin);
    rows.chunks = cut_rows(rows.begin);
    matrix.by_document = std::move(rows);
    return matrix;
}

}  // namespace braid
