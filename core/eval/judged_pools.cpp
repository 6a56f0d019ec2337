// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/judged_pools.h"

namespace braid {

JudgedPools::JudgedPools(const Judgements& judgements) : judgements_(judgements) {
    pools_.reserve(judgements.queries().size());
    for (const QueryJudgements& query : judgements.queries()) {
        pools_.push_back(JudgedPool::of(query));
    }
}

}  // namespace braid
