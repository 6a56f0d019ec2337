// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/topics/topic_models.h"

namespace braid {

/// Latent semantic analysis: a truncated singular value decomposition of the weighted counts;
/// docs/algorithms/lsa.md. Term vectors are g_t V_t S^scaling, and header.folding is {number of
/// the local weight}: a text is the sum of its terms' vectors, each times the local weight of its
/// count, scaled to unit length. That is linear up to the scale, so a query costs one read and K
/// additions a term.
TopicModelInfo lsa_info();

}  // namespace braid
