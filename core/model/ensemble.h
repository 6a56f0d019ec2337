// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "braid/core/lexical/ranker.h"
#include "braid/model.h"

namespace braid {

/// The rankers of a fusion model as one: a lexical ranker whose score is their weighted sum, added
/// up in the model's order. Rankers of weight 0 are made, for reports, but cost nothing to score.
/// Takes every ranker's statistics from the text it is given: `RankerSpec::field` is the caller's
/// business.
/// Rankers of another family must have weight 0, and have no place in it.
class BRAID_API LexicalEnsemble final : public LexicalRanker {
  public:
    /// Throws as `validate(model)` does, and InvalidArgument for a ranker that counts and that it
    /// can't serve: Server::kEnsemble of core/model/serving.h.
    explicit LexicalEnsemble(const FusionModel& model);

    std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const override;
    /// nullptr where no ranker has a document part.
    std::unique_ptr<const LexicalScorer> document_scorer(
        const QueryStatistics& query) const override;

    /// What the rankers that count need together: see LexicalTraits.
    bool needs_norm() const { return needs_norm_; }
    bool needs_record() const { return needs_record_; }

    /// The lexical rankers in the model's order, those of weight 0 among them.
    std::size_t size() const { return members_.size(); }
    const LexicalRanker& ranker(std::size_t index) const { return *members_[index].ranker; }
    double weight(std::size_t index) const { return members_[index].weight; }

  private:
    struct Member {
        std::unique_ptr<const LexicalRanker> ranker;
        double weight = 0;
    };
    std::vector<Member> members_;
    bool needs_norm_ = false;
    bool needs_record_ = false;
};

}  // namespace braid
