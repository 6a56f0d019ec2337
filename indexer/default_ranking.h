// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "braid/core/export.h"
#include "braid/core/models/fusion_model.h"
#include "braid/core/models/model_provenance.h"

namespace braid {

/// What ranks a database that has these topic models, where nobody learned or wrote weights: BM25,
/// and the similarities in the topic models, which share the weight kTopicWeight.
struct BRAID_API DefaultRanking {
    /// BM25's best scores are about 15 to 30, a similarity is at most 1. Of 5, 10, 20 and 40 the
    /// largest weight that is no worse than BM25 alone on MED, CISI and CACM,
    /// with the stop words of IndexSettings (docs/guide/topics.md).
    static constexpr double kTopicWeight = 10;

    static FusionModel of(const std::vector<RankerSpec>& topics);
};

/// Makes that the databases' own fusion model (the sidecar's, if that isn't ""), of the topic
/// models that their catalogue names, unless they have one already. What was installed; nothing
/// if nothing was. Throws as adopt_topics does.
BRAID_API std::optional<FusionModel> install_default_ranking(
    const std::vector<std::string>& databases, const std::string& sidecar);

}  // namespace braid
