// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/plugin/sources/lbdm_source.h"
#include "braid/tests/plugin/topic_corpus.h"

namespace braid::test {

/// The query as LbdmSource takes it, from the corpus's texts themselves. A word that no document
/// has is left out.
LbdmQuery lbdm_query(const TopicCorpus& corpus, const std::vector<std::string>& words);

/// The score of every document by core's lbdm_score, without a database.
Scores naive_lbdm(const TopicCorpus& corpus, const LbdmQuery& query);

}  // namespace braid::test
