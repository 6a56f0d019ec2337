// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// Where the vectors of a topic model are in a database, and which are the model's.
struct TopicSlot {
    std::string id;  ///< The model's.
    Xapian::valueno slot = 0;

    bool operator==(const TopicSlot&) const = default;
};

/// The database that has a shard's vectors: the sidecar that was made for it (see
/// plugin/store/sidecar.h) or, without any sidecars, the shard itself. Throws
/// Xapian::InvalidOperationError, which names `source`, where there is no such sidecar, and where
/// it doesn't hold the model: its values could be another's.
BRAID_API Xapian::Database topic_holder(const Xapian::Database& shard,
                                        const std::vector<Xapian::Database>& sidecars,
                                        const std::string& model_id, const std::string& source);

}  // namespace braid
