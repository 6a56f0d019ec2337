// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/sources.h"

namespace braid {

/// Similarity to the user's vectors (`braid adopt --vectors`) as a part of a Xapian query. They are
/// stored like topic vectors, so the class, its bytes and its name on a server are TopicSource's.
using VectorSource = TopicSource;

/// vector_source of <braid/sources.h>, as the class it is.
std::unique_ptr<VectorSource> make_vector_source(const Xapian::Database& database,
                                                 const std::string& name,
                                                 std::span<const float> query, double weight,
                                                 const std::vector<Xapian::Database>& sidecars);

/// A vector scaled to length 1; zero vectors stay zero. Throws InvalidArgument for a component that
/// is not finite.
std::vector<float> scaled_to_one(std::span<const float> vector);

}  // namespace braid
