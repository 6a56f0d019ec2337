// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/judged_pool.h"
#include "braid/core/eval/judgements.h"

namespace braid {

/// The pool of each judged query, in the order of `judgements.queries()`: made once and used for
/// every run. Borrows the judgements.
class BRAID_API JudgedPools {
  public:
    explicit JudgedPools(const Judgements& judgements);

    const Judgements& judgements() const { return judgements_; }
    std::size_t size() const { return pools_.size(); }
    const JudgedPool& operator[](std::size_t query) const { return pools_[query]; }

  private:
    const Judgements& judgements_;
    std::vector<JudgedPool> pools_;
};

}  // namespace braid
