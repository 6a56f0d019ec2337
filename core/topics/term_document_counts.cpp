// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/term_document_counts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/error.h"

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

namespace {

struct BytesHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

struct Entry {
    std::uint32_t id = 0;  // Of a term by document, of a document by term.
    float count = 0;
};

void check_term_count(std::string_view term, double count) {
    if (std::isfinite(count) && count > 0 && count <= std::numeric_limits<float>::max()) return;
    throw InvalidArgument(
        fmt::format("counts: term '{}' {} times, expected a finite count over 0", term, count));
}

}  // namespace

struct TermDocumentCountsBuilder::State {
    std::unordered_map<std::string, std::uint32_t, BytesHash, std::equal_to<>> ids;
    std::vector<std::uint64_t> begin;  // Of documents, or of terms; without the end.
    std::vector<Entry> entries;
    bool by_document = false;
    bool by_term = false;

    std::uint32_t id_of(std::string_view term) {
        if (const auto found = ids.find(term); found != ids.end()) return found->second;
        const auto id = static_cast<std::uint32_t>(ids.size());
        ids.emplace(term, id);
        return id;
    }

    /// Makes the words of the document that ends here unique.
    void close_document() {
        if (begin.empty()) return;
        const auto first = entries.begin() + static_cast<std::ptrdiff_t>(begin.back());
        std::stable_sort(first, entries.end(),
                         [](const Entry& a, const Entry& b) { return a.id < b.id; });
        auto last = first;
        for (auto entry = first; entry != entries.end(); ++entry) {
            if (last != first && (last - 1)->id == entry->id) {
                (last - 1)->count += entry->count;
            } else {
                *last++ = *entry;
            }
        }
        entries.erase(last, entries.end());
    }

    /// The vocabulary in order, and the rank of each id in it.
    std::vector<std::uint32_t> rank_terms(std::vector<std::string>& vocabulary) {
        std::vector<std::pair<std::string, std::uint32_t>> sorted;
        sorted.reserve(ids.size());
        while (!ids.empty()) {
            auto node = ids.extract(ids.begin());
            sorted.emplace_back(std::move(node.key()), node.mapped());
        }
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::uint32_t> rank(sorted.size());
        vocabulary.reserve(sorted.size());
        for (auto& [term, id] : sorted) {
            rank[id] = static_cast<std::uint32_t>(vocabulary.size());
            vocabulary.push_back(std::move(term));
        }
        return rank;
    }

    void fill_from_documents(const std::vector<std::uint32_t>& rank, TermDocumentCounts& result) {
        for (Entry& entry : entries) entry.id = rank[entry.id];
        begin.push_back(entries.size());
        for (std::size_t d = 0; d + 1 < begin.size(); ++d) {
            std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin[d]),
                      entries.begin() + static_cast<std::ptrdiff_t>(begin[d + 1]),
                      [](const Entry& a, const Entry& b) { return a.id < b.id; });
        }
        result.document_begin = std::move(begin);
        result.terms.reserve(entries.size());
        result.counts.reserve(entries.size());
        for (const Entry& entry : entries) {
            result.terms.push_back(entry.id);
            result.counts.push_back(entry.count);
        }
    }

    void fill_from_terms(const std::vector<std::uint32_t>& rank, std::size_t documents,
                         TermDocumentCounts& result) {
        begin.push_back(entries.size());
        result.document_begin.assign(documents + 1, 0);
        for (const Entry& entry : entries) ++result.document_begin[entry.id + 1];
        std::partial_sum(result.document_begin.begin(), result.document_begin.end(),
                         result.document_begin.begin());
        std::vector<std::uint64_t> next(result.document_begin.begin(),
                                        result.document_begin.end() - 1);
        std::vector<std::uint32_t> id_at(rank.size());
        for (std::uint32_t id = 0; id < rank.size(); ++id) id_at[rank[id]] = id;
        result.terms.resize(entries.size());
        result.counts.resize(entries.size());
        for (std::uint32_t t = 0; t < id_at.size(); ++t) {
            for (std::uint64_t i = begin[id_at[t]]; i < begin[id_at[t] + 1]; ++i) {
                const std::uint64_t to = next[entries[i].id]++;
                result.terms[to] = t;
                result.counts[to] = entries[i].count;
            }
        }
    }
};

TermDocumentCountsBuilder::TermDocumentCountsBuilder() : state_(std::make_unique<State>()) {}
TermDocumentCountsBuilder::~TermDocumentCountsBuilder() = default;
TermDocumentCountsBuilder::TermDocumentCountsBuilder(TermDocumentCountsBuilder&&) noexcept =
    default;
TermDocumentCountsBuilder& TermDocumentCountsBuilder::operator=(
    TermDocumentCountsBuilder&&) noexcept = default;

void TermDocumentCountsBuilder::begin_document() {
    if (state_->by_term) throw InvalidArgument("counts: a document after terms, expected a term");
    state_->close_document();
    state_->by_document = true;
    state_->begin.push_back(state_->entries.size());
}

void TermDocumentCountsBuilder::add(std::string_view term, double count) {
    if (!state_->by_document) {
        throw InvalidArgument(
            fmt::format("counts: word '{}' before any document, expected begin_document()", term));
    }
    check_term_count(term, count);
    state_->entries.push_back({state_->id_of(term), static_cast<float>(count)});
}

void TermDocumentCountsBuilder::add_term(std::string_view term,
                                         std::span<const std::uint32_t> documents,
                                         std::span<const float> counts) {
    if (state_->by_document) {
        throw InvalidArgument("counts: a term after documents, expected a document");
    }
    if (documents.size() != counts.size()) {
        throw InvalidArgument(fmt::format("counts: term '{}' has {} documents and {} counts", term,
                                          documents.size(), counts.size()));
    }
    for (std::size_t i = 0; i < documents.size(); ++i) {
        check_term_count(term, counts[i]);
        if (i > 0 && documents[i] <= documents[i - 1]) {
            throw InvalidArgument(
                fmt::format("counts: term '{}' has document {} after {}, expected ascending ones",
                            term, documents[i], documents[i - 1]));
        }
    }
    if (state_->ids.contains(term)) {
        throw InvalidArgument(fmt::format("counts: term '{}' twice, expected it once", term));
    }
    state_->by_term = true;
    state_->id_of(term);
    state_->begin.push_back(state_->entries.size());
    for (std::size_t i = 0; i < documents.size(); ++i) {
        state_->entries.push_back({documents[i], counts[i]});
    }
}

TermDocumentCounts TermDocumentCountsBuilder::build(std::size_t documents) {
    State state = std::exchange(*state_, State{});
    if (state.by_document) {
        state.close_document();
    } else {
        for (const Entry& entry : state.entries) {
            if (entry.id < documents) continue;
            throw InvalidArgument(
                fmt::format("counts: document {}, expected below {}", entry.id, documents));
        }
    }
    TermDocumentCounts result;
    const std::vector<std::uint32_t> rank = state.rank_terms(result.vocabulary);
    if (state.by_document) {
        state.fill_from_documents(rank, result);
    } else {
        state.fill_from_terms(rank, documents, result);
    }
    return result;
}

}  // namespace braid
