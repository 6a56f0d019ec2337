// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/topics/topic_models.h"

namespace braid {

/// Probabilistic latent semantic indexing: p(d,w) = sum_z p(z) p(d|z) p(w|z), learned by tempered
/// expectation maximisation; docs/algorithms/plsi.md. header.folding is {ranking, beta,
/// iterations}:
/// * ranking words (0): term vectors are p(z|w), and a text is their sum, each times its count.
/// * ranking posterior (1): term vectors are p(z)^(1-beta) p(w|z)^beta up to a factor a term, and
///   a text is p(z|text), from that many iterations of tempered EM over its own terms.
TopicModelInfo plsi_info();

}  // namespace braid
