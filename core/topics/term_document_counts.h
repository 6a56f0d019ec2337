// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/topics/linalg/sparse_matrix.h"
#include "braid/error.h"

namespace braid {

/// The words of a document or query: term ids, ascending and unique, and their counts. Borrows
/// both; of equal length.
struct TermCounts {
    std::span<const std::uint32_t> terms;
    std::span<const float> counts;

    std::size_t size() const { return terms.size(); }
};

/// The input of topic models: how often each document has each word. Rows are documents,
/// compressed: document d has the entries document_begin[d] .. document_begin[d + 1] - 1. A
/// document without words is an empty row. Built by TermDocumentCountsBuilder, or filled by hand
/// and validated.
struct TermDocumentCounts {
    /// The vocabulary: a term's id is its index. Ascending by bytes and unique, so ascending ids
    /// are ascending terms, and every caller sums a text's terms in the same order.
    std::vector<std::string> vocabulary;
    std::vector<std::uint64_t> document_begin = {0};
    std::vector<std::uint32_t> terms;
    std::vector<float> counts;  ///< > 0 and finite; in the order of `terms`.

    std::size_t documents() const { return document_begin.size() - 1; }
    std::size_t nonzeros() const { return terms.size(); }

    TermCounts document(std::size_t d) const {
        const std::size_t begin = document_begin[d];
        const std::size_t size = document_begin[d + 1] - begin;
        return {{terms.data() + begin, size}, {counts.data() + begin, size}};
    }

    /// The id of `term`, or vocabulary.size() for an unknown one. O(log V).
    BRAID_API std::size_t find(std::string_view term) const;

    /// Documents that have each term (df).
    std::vector<std::uint32_t> document_frequencies() const;
    /// Occurrences of each term in all documents (cf).
    std::vector<double> collection_frequencies() const;
    /// Occurrences of all terms in each document.
    std::vector<double> document_lengths() const;
    BRAID_API double total() const;
};

/// Throws InvalidArgument, naming the entry, if `counts` breaks a rule above.
BRAID_API void validate(const TermDocumentCounts& counts);

/// O(V + entries).
TermPostings transpose(const TermDocumentCounts& counts);

/// `values` are the entries of `counts`, in its order; entries of value 0 are dropped.
SparseMatrix make_sparse_matrix(const TermDocumentCounts& counts, std::span<const float> values);

/// Which terms of a collection a topic model learns from.
struct VocabularyLimits {
    std::uint32_t min_documents = 2;  ///< Rarer words say nothing about others.
    double max_document_share = 1;    ///< Share of all documents, in (0, 1].
    std::size_t max_terms = 0;        ///< Keeps those in most documents; 0: no limit.

    bool operator==(const VocabularyLimits&) const = default;
};

/// `counts` with only the terms within `limits`. Documents keep their numbers, even without words.
/// Throws InvalidArgument for a share outside (0, 1].
TermDocumentCounts restrict_vocabulary(const TermDocumentCounts& counts,
                                       const VocabularyLimits& limits);

/// Collects term-document counts either by document or by term (postings), whichever order the
/// source has. Costs 8 bytes an entry, and 16 while building.
class TermDocumentCountsBuilder {
  public:
    BRAID_API TermDocumentCountsBuilder();
    BRAID_API ~TermDocumentCountsBuilder();
    BRAID_API TermDocumentCountsBuilder(TermDocumentCountsBuilder&&) noexcept;
    TermDocumentCountsBuilder& operator=(TermDocumentCountsBuilder&&) noexcept;

    /// By document: begins the next document, then adds its words in any order. Sums a word given
    /// twice. Throws InvalidArgument for a count that is not finite and > 0.
    void begin_document();
    void add(std::string_view term, double count = 1);

    /// By term: one term with its documents (from 0, ascending) and counts. Terms in any order,
    /// each once. Pass the number of documents to build().
    BRAID_API void add_term(std::string_view term, std::span<const std::uint32_t> documents,
                            std::span<const float> counts);

    /// Returns the counts and empties the builder. `documents` is ignored after begin_document and
    /// otherwise required, since documents may lack terms. Throws InvalidArgument for a document
    /// beyond it.
    BRAID_API TermDocumentCounts build(std::size_t documents = 0);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace braid
