// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// What rankers take of a query beside its words.
struct QueryInputs {
    /// By the name that the database has for the documents' vectors ("vectors" if nobody chose
    /// another): the query's, of the same dimensions and of any length.
    std::map<std::string, std::vector<float>> vectors = {};
    /// By name, what somebody else says of the query in numbers: weights that follow from the query
    /// may follow from these.
    std::map<std::string, std::vector<float>> embeddings = {};
    /// What ages are counted from, in seconds since 1970 UTC; 0 is the machine's clock.
    double now = 0;

    bool operator==(const QueryInputs&) const = default;
};

/// The machine's clock, in seconds since 1970 UTC.
BRAID_API double clock_time();

}  // namespace braid
