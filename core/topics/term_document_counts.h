// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/topics/linalg/sparse_matrix.h"

namespace braid {

/// One document's (or query's) words: term ids, ascending and unique, and how often each occurs.
/// Borrows both; of equal length.
struct TermCounts {
    std::span<const std::uint32_t> terms;
    std::span<const float> counts;

    std::size_t size() const { return terms.size(); }
};

/// What topic models learn from: who says which word how often. Rows are documents, compressed:
/// document d has the entries document_begin[d] .. document_begin[d + 1] - 1. A document without
/// words is an empty row. Made by TermDocumentCountsBuilder, or filled by hand and validated.
struct BRAID_API TermDocumentCounts {
    /// The vocabulary: a term's id is its place here. Ascending by bytes and unique, so that ids
    /// in order are terms in order, and every caller sums a text's terms in the same order.
    std::vector<std::string> vocabulary;
    std::vector<std::uint64_t> document_begin = {0};
    std::vector<std::uint32_t> terms;
    std::vector<float> counts;  ///< Over 0, finite; in the order of `terms`.

    std::size_t documents() const { return document_begin.size() - 1; }
    std::size_t nonzeros() const { return terms.size(); }

    TermCounts document(std::size_t d) const {
        const std::size_t begin = document_begin[d];
        const std::size_t size = document_begin[d + 1] - begin;
        return {{terms.data() + begin, size}, {counts.data() + begin, size}};
    }

    /// The id of `term`, or vocabulary.size() where it is unknown. O(log V).
    std::size_t find(std::string_view term) const;

    /// Documents that have each term (df).
    std::vector<std::uint32_t> document_frequencies() const;
    /// Occurrences of each term in all documents (cf).
    std::vector<double> collection_frequencies() const;
    /// Occurrences of all terms in each document.
    std::vector<double> document_lengths() const;
    double total() const;
};

/// Throws InvalidArgument, naming the place, where `counts` breaks what is promised above.
BRAID_API void validate(const TermDocumentCounts& counts);

/// O(V + entries).
BRAID_API TermPostings transpose(const TermDocumentCounts& counts);

/// `values` are the entries of `counts`, in its order; entries of value 0 are left out.
BRAID_API SparseMatrix make_sparse_matrix(const TermDocumentCounts& counts,
                                          std::span<const float> values);

/// Which terms of a collection a topic model learns from.
struct VocabularyLimits {
    std::uint32_t min_documents = 2;  ///< Words of fewer documents tell nothing about others.
    double max_document_share = 1;    ///< Of all documents; in (0, 1].
    std::size_t max_terms = 0;        ///< The most frequent by documents; 0: no limit.

    bool operator==(const VocabularyLimits&) const = default;
};

/// `counts` with only the terms within `limits`; documents keep their places, also those that
/// lose all their words. Throws InvalidArgument for a share outside (0, 1].
BRAID_API TermDocumentCounts restrict_vocabulary(const TermDocumentCounts& counts,
                                                 const VocabularyLimits& limits);

/// Collects term-document counts from documents, or from postings, whichever the source gives in
/// order; one builder takes one of the two. Costs 8 bytes an entry, and 16 while it builds.
class BRAID_API TermDocumentCountsBuilder {
  public:
    TermDocumentCountsBuilder();
    ~TermDocumentCountsBuilder();
    TermDocumentCountsBuilder(TermDocumentCountsBuilder&&) noexcept;
    TermDocumentCountsBuilder& operator=(TermDocumentCountsBuilder&&) noexcept;

    /// By document: opens the next document, then its words in any order. A word given twice is
    /// summed. Throws InvalidArgument for a count that is not finite and over 0.
    void begin_document();
    void add(std::string_view term, double count = 1);

    /// By term: one term with its documents (from 0, ascending) and counts. Terms in any order,
    /// each once. `documents` of build() says how many documents there are.
    void add_term(std::string_view term, std::span<const std::uint32_t> documents,
                  std::span<const float> counts);

    /// Ends the collection; the builder is empty afterwards. `documents` is needed after
    /// add_term and otherwise ignored. Throws InvalidArgument for a document beyond it.
    TermDocumentCounts build(std::size_t documents = 0);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace braid
