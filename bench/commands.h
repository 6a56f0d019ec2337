// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/bench/common/program.h"

// The commands of all programs; each is declared, read and run in a source of its own.

namespace braid::bench {

// search_speed
void add_searcher(Program& program);
void add_hybrid(Program& program);
void add_fused_weight(Program& program);
void add_fused_source(Program& program);
void add_logged(Program& program);
void add_once(Program& program);
void add_pools(Program& program);
void add_servers(Program& program);
void add_export(Program& program);

// input_speed
void add_documents(Program& program);
void add_files(Program& program);
void add_index(Program& program);
void add_evaluation(Program& program);

// vectors
void add_products(Program& program);
void add_pruning(Program& program);
void add_codes(Program& program);

// topics
void add_exports(Program& program);  ///< export-weighted and export-counts
void add_svd(Program& program);
void add_lda(Program& program);
void add_plsi(Program& program);
void add_scale(Program& program);
void add_quality(Program& program);

// learner_speed
void add_fit(Program& program);
void add_gradients(Program& program);
void add_growth(Program& program);
void add_pairs(Program& program);
void add_query_weights(Program& program);
void add_trees(Program& program);  ///< trees and forest

// learner_quality
void add_letor(Program& program);
void add_letor_protocols(Program& program);
void add_aggregation(Program& program);
void add_diversity(Program& program);
void add_texts(Program& program);
void add_known_items(Program& program);
void add_bounds(Program& program);

}  // namespace braid::bench
