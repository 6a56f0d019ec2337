// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/term_document_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

void validate_document(const TermDocumentCounts& counts, std::size_t d) {
    const TermCounts row = counts.document(d);
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row.terms[i] >= counts.vocabulary.size()) {
            throw InvalidArgument(fmt::format("counts: document {} has term {}, expected below {}",
                                              d, row.terms[i], counts.vocabulary.size()));
        }
        if (i > 0 && row.terms[i] <= row.terms[i - 1]) {
            throw InvalidArgument(
                fmt::format("counts: document {} has term {} after {}, expected ascending terms", d,
                            row.terms[i], row.terms[i - 1]));
        }
        if (!std::isfinite(row.counts[i]) || row.counts[i] <= 0) {
            throw InvalidArgument(
                fmt::format("counts: document {} has term '{}' {} times, expected a finite count "
                            "over 0",
                            d, counts.vocabulary[row.terms[i]], row.counts[i]));
        }
    }
}

/// Which terms are kept, by id.
std::vector<bool> terms_within(const TermDocumentCounts& counts, const VocabularyLimits& limits) {
    const std::vector<std::uint32_t> df = counts.document_frequencies();
    const double most = limits.max_document_share * static_cast<double>(counts.documents());
    std::vector<std::uint32_t> kept;
    for (std::uint32_t t = 0; t < df.size(); ++t) {
        if (df[t] >= limits.min_documents && df[t] <= most) kept.push_back(t);
    }
    if (limits.max_terms > 0 && kept.size() > limits.max_terms) {
        const auto last = kept.begin() + static_cast<std::ptrdiff_t>(limits.max_terms);
        std::nth_element(kept.begin(), last, kept.end(), [&](std::uint32_t a, std::uint32_t b) {
            return df[a] != df[b] ? df[a] > df[b] : a < b;
        });
        kept.resize(limits.max_terms);
    }
    std::vector<bool> keep(df.size(), false);
    for (const std::uint32_t t : kept) keep[t] = true;
    return keep;
}

}  // namespace

std::size_t TermDocumentCounts::find(std::string_view term) const {
    const auto found = std::lower_bound(vocabulary.begin(), vocabulary.end(), term);
    if (found == vocabulary.end() || *found != term) return vocabulary.size();
    return static_cast<std::size_t>(found - vocabulary.begin());
}

std::vector<std::uint32_t> TermDocumentCounts::document_frequencies() const {
    std::vector<std::uint32_t> df(vocabulary.size(), 0);
    for (const std::uint32_t t : terms) ++df[t];
    return df;
}

std::vector<double> TermDocumentCounts::collection_frequencies() const {
    std::vector<double> cf(vocabulary.size(), 0);
    for (std::size_t i = 0; i < terms.size(); ++i) cf[terms[i]] += counts[i];
    return cf;
}

std::vector<double> TermDocumentCounts::document_lengths() const {
    std::vector<double> lengths(documents(), 0);
    for (std::size_t d = 0; d < lengths.size(); ++d) {
        for (const float count : document(d).counts) lengths[d] += count;
    }
    return lengths;
}

double TermDocumentCounts::total() const {
    return std::accumulate(counts.begin(), counts.end(), 0.0);
}

void validate(const TermDocumentCounts& counts) {
    const auto& begin = counts.document_begin;
    if (begin.empty() || begin.front() != 0 || begin.back() != counts.terms.size() ||
        counts.terms.size() != counts.counts.size()) {
        throw InvalidArgument(
            fmt::format("counts: rows from {} to {}, {} terms and {} counts, expected rows from 0 "
                        "to the number of terms and as many counts",
                        begin.empty() ? 0 : begin.front(), begin.empty() ? 0 : begin.back(),
                        counts.terms.size(), counts.counts.size()));
    }
    if (counts.documents() > std::numeric_limits<std::uint32_t>::max() ||
        counts.vocabulary.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw InvalidArgument(fmt::format("counts: {} documents and {} terms, expected below 2^32",
                                          counts.documents(), counts.vocabulary.size()));
    }
    for (std::size_t t = 1; t < counts.vocabulary.size(); ++t) {
        if (counts.vocabulary[t] <= counts.vocabulary[t - 1]) {
            throw InvalidArgument(
                fmt::format("counts: term '{}' after '{}', expected an ascending vocabulary",
                            counts.vocabulary[t], counts.vocabulary[t - 1]));
        }
    }
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        if (begin[d + 1] < begin[d]) {
            throw InvalidArgument(
                fmt::format("counts: document {} ends at {}, before it begins "
                            "at {}",
                            d, begin[d + 1], begin[d]));
        }
    }
    for (std::size_t d = 0; d < counts.documents(); ++d) validate_document(counts, d);
}

TermPostings transpose(const TermDocumentCounts& counts) {
    return transpose_rows(counts.document_begin, counts.terms, counts.vocabulary.size());
}

SparseMatrix make_sparse_matrix(const TermDocumentCounts& counts, std::span<const float> values) {
    SparseRows rows;
    rows.columns_total = counts.vocabulary.size();
    rows.columns.reserve(counts.nonzeros());
    rows.values.reserve(counts.nonzeros());
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        for (std::uint64_t i = counts.document_begin[d]; i < counts.document_begin[d + 1]; ++i) {
            if (values[i] == 0) continue;
            rows.columns.push_back(counts.terms[i]);
            rows.values.push_back(values[i]);
        }
        rows.begin.push_back(rows.columns.size());
    }
    return make_sparse_matrix(std::move(rows));
}

TermDocumentCounts restrict_vocabulary(const TermDocumentCounts& counts,
                                       const VocabularyLimits& limits) {
    if (!(limits.max_document_share > 0 && limits.max_document_share <= 1)) {
        throw InvalidArgument(
            fmt::format("vocabulary limits: max_document_share is {}, expected over 0, to 1",
                        limits.max_document_share));
    }
    const std::vector<bool> keep = terms_within(counts, limits);
    TermDocumentCounts result;
    std::vector<std::uint32_t> new_id(keep.size(), 0);
    for (std::size_t t = 0; t < keep.size(); ++t) {
        if (!keep[t]) continue;
        new_id[t] = static_cast<std::uint32_t>(result.vocabulary.size());
        result.vocabulary.push_back(counts.vocabulary[t]);
    }
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        const TermCounts row = counts.document(d);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!keep[row.terms[i]]) continue;
            result.terms.push_back(new_id[row.terms[i]]);
            result.counts.push_back(row.counts[i]);
        }
        result.document_begin.push_back(result.terms.size());
    }
    return result;
}

}  // namespace braid
