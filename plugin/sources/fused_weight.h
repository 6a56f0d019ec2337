// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>

#include "braid/core/model/fusion_model.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"

namespace braid {

/// A fusion model as a Xapian weighting scheme: the weighted sum of its lexical rankers, in one
/// pass over the postings. Everything else stays Xapian's: phrases, filters, sorting, collapsing,
/// paging, shards, remote databases whose server has the class registered (see register_all).
///
/// Scores depend on the collection's statistics alone, never on a shard or a page. The document
/// parts of language models use the query length, which Xapian takes to be that of the whole
/// query; pass the length of the text alone to Enquire::set_query where filters are added.
///
/// Cost: rankers are evaluated once for each distinct (wdf, length) of a term, about 20 ns a
/// ranker, and looked up otherwise; see docs/benchmarks.md. One object belongs to one thread, as
/// all of Xapian's; copies made by `clone` share the model.
class BRAID_API FusedWeight final : public StatisticsWeight {
  public:
    /// BM25 alone.
    FusedWeight();

    /// Throws as `validate(model)` does, and as require_served(Server::kWeight, model), with the
    /// reason, for a model that one pass over postings can't serve.
    explicit FusedWeight(const FusionModel& model);

    ~FusedWeight() override;

    const FusionModel& model() const;

    FusedWeight* clone() const override;
    std::string name() const override;

    /// One byte for the version, then the model's bytes: docs/formats.md.
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for anything that `serialise` didn't make.
    FusedWeight* unserialise(const std::string& serialised) const override;

    double get_sumpart(BRAID_SUMPART_PARAMETERS) const override;
    double get_maxpart() const override;
    double get_sumextra(BRAID_SUMEXTRA_PARAMETERS) const override;
    double get_maxextra() const override;

  private:
    struct Plan;
    struct State;

    explicit FusedWeight(std::shared_ptr<const Plan> plan);
    void init(double factor) override;

    std::shared_ptr<const Plan> plan_;
    std::unique_ptr<State> state_;
};

}  // namespace braid
