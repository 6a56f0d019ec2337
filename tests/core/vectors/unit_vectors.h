// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "braid/core/base/random.h"
#include "braid/core/topics/topic_model.h"

namespace braid::test {

struct UnitVectorsOptions {
    std::size_t count = 500;
    std::size_t dimensions = 20;
    std::size_t groups = 8;
    double spread = 0.4;    ///< Standard deviation around a group's direction, a component.
    double zero_share = 0;  ///< Of vectors, all zero.
    bool positive = false;  ///< No negative components.
};

inline void make_unit(std::span<float> vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    for (float& x : vector) x = static_cast<float>(x / std::sqrt(squares));
}

/// Vector v belongs to group v % groups.
inline FloatMatrix unit_vectors(std::uint64_t seed, const UnitVectorsOptions& options) {
    Random random(seed);
    FloatMatrix centres(options.groups, options.dimensions);
    for (float& x : centres.values) x = static_cast<float>(random.normal());
    FloatMatrix vectors(options.count, options.dimensions);
    for (std::size_t v = 0; v < vectors.rows; ++v) {
        if (random.uniform() < options.zero_share) continue;
        for (std::size_t i = 0; i < vectors.columns; ++i) {
            const double x = centres.row(v % options.groups)[i] + options.spread * random.normal();
            vectors.row(v)[i] = static_cast<float>(options.positive ? std::abs(x) : x);
        }
        make_unit(vectors.row(v));
    }
    return vectors;
}

inline double dot(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

inline double cosine(std::span<const float> a, std::span<const float> b) {
    return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
}

}  // namespace braid::test
