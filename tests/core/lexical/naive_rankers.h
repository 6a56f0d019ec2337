// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/lexical/statistics.h"
#include "braid/parameters.h"

namespace braid::test {

/// What a term adds to a document's score by ranker `name`, straight from the formula in
/// docs/algorithms/lexical.md with nothing worked out ahead. `parameters` has all of them.
double naive_term_score(const std::string& name, const ParameterMap& parameters,
                        const TermStatistics& term, const DocumentStatistics& document);

/// The part of the score that belongs to no term; 0 for most rankers.
double naive_document_score(const std::string& name, const ParameterMap& parameters,
                            const QueryStatistics& query, const DocumentStatistics& document);

/// The parameters of ranker `name` with their defaults, changed by `given`.
ParameterMap all_parameters(const std::string& name, const ParameterMap& given = {});

}  // namespace braid::test
