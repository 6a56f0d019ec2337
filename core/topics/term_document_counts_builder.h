// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "braid/core/base/export.h"
#include "braid/core/topics/term_document_counts.h"

namespace braid {

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
