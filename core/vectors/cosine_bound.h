// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/base/export.h"
#include "braid/core/vectors/vector_codes.h"

namespace braid {

/// What rounding may add to a computed cosine where vectors are stored as `coding`: 4e-6, and for
/// kFloat16, whose vectors are not scaled back to length 1, 5.3e-4. docs/algorithms/clusters.md
/// (6).
BRAID_API double cosine_margin(VectorCoding coding);

/// No member x of a cluster has a dot product q . x above this, where the unit vector q has the
/// cosine `query_centroid` with the centroid, and every member at least `radius` (a cosine, as in
/// Clusters::radius). By the triangle inequality on the sphere, cos(max(0, angle(q, c) -
/// angle(radius))), docs/algorithms/clusters.md (5), plus `margin`. Valid where query_centroid and
/// the dot product compared with it are within 1e-6 of the exact ones. Never allocates or throws;
/// a few nanoseconds.
BRAID_API double cosine_bound(double query_centroid, double radius,
                              double margin = cosine_margin(VectorCoding::kFloat32));

}  // namespace braid
