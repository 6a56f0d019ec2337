// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/cosine_bound.h"

#include <algorithm>
#include <cmath>

namespace braid {

double cosine_margin(VectorCoding coding) {
    // binary16 rounds a component by at most 2^-11 of itself, hence also the vector's length;
    // components below 2^-14 add at most 2^-25 each, which the rest has room for up to 10^4
    // dimensions.
    return coding == VectorCoding::kFloat16 ? 5.3e-4 : 4e-6;
}

double cosine_bound(double query_centroid, double radius, double margin) {
    const double a = std::clamp(query_centroid, -1.0, 1.0);
    const double b = std::clamp(radius, -1.0, 1.0);
    if (a >= b) return 1 + margin;  // The query lies within the cluster's cap.
    return a * b + std::sqrt((1 - a * a) * (1 - b * b)) + margin;
}

}  // namespace braid
