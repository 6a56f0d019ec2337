// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/ensemble.h"

#include <utility>

#include <fmt/format.h>

#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"

namespace braid {
namespace {

class WeightedSum final : public LexicalScorer {
  public:
    void add(double weight, std::unique_ptr<const LexicalScorer> scorer) {
        parts_.push_back({weight, std::move(scorer)});
    }
    bool empty() const { return parts_.empty(); }

    double score(const DocumentStatistics& document) const override {
        double sum = 0;
        for (const Part& part : parts_) sum += part.weight * part.scorer->score(document);
        return sum;
    }

    double upper_bound(const BoundStatistics& bounds) const override {
        double sum = 0;
        for (const Part& part : parts_) sum += part.weight * part.scorer->upper_bound(bounds);
        return sum;
    }

  private:
    struct Part {
        double weight;
        std::unique_ptr<const LexicalScorer> scorer;
    };
    std::vector<Part> parts_;
};

}  // namespace

LexicalEnsemble::LexicalEnsemble(const FusionModel& model) {
    validate(model);
    require_served(Server::kEnsemble, model);
    for (const RankerSpec& spec : model.rankers) {
        if (family_of(spec) != RankerFamily::kLexical) continue;
        members_.push_back({make_lexical_ranker(spec.ranker, spec.parameters), spec.weight});
        if (!(spec.weight > 0)) continue;
        const LexicalTraits& traits = lexical_rankers().find(spec.ranker).traits;
        needs_norm_ = needs_norm_ || traits.needs_norm;
        needs_record_ = needs_record_ || traits.needs_record();
    }
}

std::unique_ptr<const LexicalScorer> LexicalEnsemble::term_scorer(
    const TermStatistics& term) const {
    auto sum = std::make_unique<WeightedSum>();
    for (const Member& member : members_) {
        if (member.weight > 0) sum->add(member.weight, member.ranker->term_scorer(term));
    }
    return sum;
}

std::unique_ptr<const LexicalScorer> LexicalEnsemble::document_scorer(
    const QueryStatistics& query) const {
    auto sum = std::make_unique<WeightedSum>();
    for (const Member& member : members_) {
        if (!(member.weight > 0)) continue;
        auto scorer = member.ranker->document_scorer(query);
        if (scorer != nullptr) sum->add(member.weight, std::move(scorer));
    }
    if (sum->empty()) return nullptr;
    return sum;
}

}  // namespace braid
