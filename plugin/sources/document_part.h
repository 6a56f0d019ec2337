// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <xapian.h>

#include "braid/core/lexical/ranker.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

/// The part of a score that depends on a document's length alone.
class DocumentPart {
  public:
    /// `scorer` may be nullptr: the part is 0 then. About `calls` documents will be scored.
    void use(std::unique_ptr<const LexicalScorer> scorer, std::size_t calls) {
        scorer_ = std::move(scorer);
        if (scorer_ != nullptr) memo_.reset(calls);
    }

    /// nullptr where there is none.
    const LexicalScorer* scorer() const { return scorer_.get(); }

    double score(Xapian::termcount length) {
        if (scorer_ == nullptr) return 0;
        return memo_.get(0, length, [&] {
            return scorer_->score({0, static_cast<double>(length), 0});
        });
    }

  private:
    std::unique_ptr<const LexicalScorer> scorer_;
    PartMemo memo_;
};

}  // namespace braid
