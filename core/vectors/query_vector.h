// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/simd.h"
#include "braid/core/vectors/vector_codes.h"

namespace braid {

struct DotKernels;

/// A query's vector, prepared once for its products with many stored ones, which are never
/// decoded; docs/algorithms/vectors.md. Products have the same bits on every instruction set.
/// Immutable, safe to share between threads.
class BRAID_API QueryVector {
  public:
    /// Copies `vector`, which is of length 1 or 0 normally; other lengths scale the products.
    /// Throws InvalidArgument for a component that is not finite, a length beyond the largest
    /// float, and a level that this machine hasn't. O(dimensions).
    explicit QueryVector(std::span<const float> vector,
                         InstructionLevel level = best_instruction_level());

    std::size_t dimensions() const noexcept { return values_.size(); }
    std::span<const float> values() const noexcept { return values_; }

    /// The product with the vector that `stored` decodes to, which must have dimensions()
    /// components. Never allocates. 0 where a stored component is not finite, which encode_vector
    /// never writes. O(dimensions); docs/benchmarks-vectors.md has times.
    double dot(const StoredVector& stored) const noexcept;

    /// How many components, from the first on, dot_bound() looks at: about half of them, such that
    /// their 8-bit codes and 16 bytes more fill whole cache lines. 0 where that isn't worth while.
    static std::size_t head_components(std::size_t dimensions) noexcept;

    /// No less than dot(stored), of a vector in 8-bit codes, by its first head_components() alone;
    /// `rest` is no less than the length, by Euclid, of the codes after these. Infinity for other
    /// codings and where there is no head. docs/algorithms/vectors.md (7).
    double dot_bound(const StoredVector& stored, double rest) const noexcept;

    /// How far dot() can be from the exact product with a vector of length 1, beside the rounding
    /// of its last operations (1e-15 relative): the length of what quantising the query to 16
    /// bits left out for 8-bit codes; a bound on the rounding of float sums for the others.
    /// Multiply it by the length of a stored vector of another length.
    double error_bound(VectorCoding coding) const noexcept;

  private:
    template <typename T>
    struct alignas(64) Block {
        T values[32];
    };

    void quantise();   // Sets unit_, error_ and wholes_.
    void make_head();  // Of wholes_.

    std::vector<float> values_;
    std::vector<Block<float>> floats_;
    std::vector<Block<std::int16_t>> wholes_;
    std::vector<Block<std::int16_t>> head_;  ///< The first head_components() of them.
    double rest_ = 0;                        ///< The length of the others.
    const DotKernels* kernels_;
    double length_ = 0;
    double unit_ = 0;   ///< Component = unit * whole number, within 1/2 unit.
    double error_ = 0;  ///< The length of the difference.
};

}  // namespace braid
