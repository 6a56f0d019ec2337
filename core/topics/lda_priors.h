// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Learning the Dirichlet parameters from a state of the chain; not installed.

#include "braid/core/base/export.h"
#include "braid/core/topics/lda_sampler.h"

namespace braid {

/// Some steps of Minka's fixed point for the asymmetric alpha (docs/algorithms/lda.md (8)). A
/// topic that no token has keeps a small alpha, so that it may come back.
BRAID_API void learn_alpha(const LdaSampler& sampler, LdaPriors& priors);

/// The same for the symmetric eta (9).
BRAID_API void learn_eta(const LdaSampler& sampler, LdaPriors& priors);

}  // namespace braid
