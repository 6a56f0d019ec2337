// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/error.h"

namespace braid {

/// One split of a cross-validation: indexes into the list of queries, ascending.
struct Fold {
    std::vector<std::size_t> train;
    std::vector<std::size_t> test;
};

/// Splits `queries` at random into `count` parts whose sizes differ by at most one; each fold tests
/// on one part and trains on the others. A query's part depends on the names, the count and the
/// seed, not on the order of the list. Throws InvalidArgument for fewer than 2 folds, more folds
/// than queries, or a repeated name.
std::vector<Fold> cross_validation_folds(std::span<const std::string> queries, std::size_t count,
                                         std::uint64_t seed = kDefaultSeed);

}  // namespace braid
