// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/query/scored_part.h"
#include "braid/plugin/search/state_guard.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/lbdm_source.h"
#include "braid/plugin/sources/neighbour_source.h"
#include "braid/plugin/sources/title_source.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/sources.h"
#include "braid/weight.h"

namespace braid {

void register_all(Xapian::Registry& registry, const ModelReader& reader) {
    registry.register_weighting_scheme(FusedWeight(reader));
    registry.register_posting_source(FusedSource());
    registry.register_posting_source(BoostedSource());
    registry.register_posting_source(TitleSource());
    registry.register_posting_source(TopicSource());
    registry.register_posting_source(LbdmSource());
    registry.register_posting_source(NeighbourSource());
    registry.register_posting_source(MatchSource());
    registry.register_posting_source(NeverSource());
    registry.register_posting_source(StateGuard());
    registry.register_posting_source(ValueRanker());
}

}  // namespace braid
