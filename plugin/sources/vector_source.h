// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/plugin/sources/topic_source.h"

namespace braid {

/// Similarity to the user's vectors (`braid adopt --vectors`) as a part of a Xapian query. They are
/// stored like topic vectors, so the class, its bytes and its name on a server are TopicSource's.
using VectorSource = TopicSource;

/// The vectors that `database`, or where there are any the first of `sidecars`, holds under `name`,
/// compared with a query's vector of any length; TopicSource says what a weight is. Throws
/// ModelMismatch where there are none of that name, and InvalidArgument for a vector of other
/// dimensions or with a component that is not finite.
BRAID_API std::unique_ptr<VectorSource> vector_source(
    const Xapian::Database& database, const std::string& name, std::span<const float> query,
    double weight, const std::vector<Xapian::Database>& sidecars = {});

/// A vector scaled to length 1; zero vectors stay zero. Throws InvalidArgument for a component that
/// is not finite.
BRAID_API std::vector<float> scaled_to_one(std::span<const float> vector);

}  // namespace braid
