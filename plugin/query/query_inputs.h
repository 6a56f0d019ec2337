// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// Inputs of rankers besides the query's words.
struct QueryInputs {
    /// The query's vectors by the name of the documents' vectors ("vectors" by default), of the
    /// same dimensions and any length.
    std::map<std::string, std::vector<float>> vectors = {};
    /// Embeddings of the query by name, for query-dependent weights.
    std::map<std::string, std::vector<float>> embeddings = {};
    /// Time from which ages count, in seconds since 1970 UTC; 0: the machine's clock.
    double now = 0;

    bool operator==(const QueryInputs&) const = default;
};

/// The machine's clock, in seconds since 1970 UTC.
BRAID_API double clock_time();

}  // namespace braid
