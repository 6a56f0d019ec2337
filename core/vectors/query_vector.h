// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/simd.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"

namespace braid {

struct DotKernels;

/// A query's vector, prepared once for dot products with many stored vectors, which are never
/// decoded; docs/algorithms/vectors.md. Products have the same bits on every instruction set.
/// Immutable, safe to share between threads.
class QueryVector {
  public:
    /// Copies `vector`, normally of length 1 or 0; other lengths scale the products. Throws
    /// InvalidArgument for a component that is not finite, a length beyond the largest float, and a
    /// level that this machine doesn't support. O(dimensions).
    BRAID_API explicit QueryVector(std::span<const float> vector,
                                   InstructionLevel level = best_instruction_level());

    std::size_t dimensions() const noexcept { return values_.size(); }
    std::span<const float> values() const noexcept { return values_; }

    /// The product with the vector that `stored` decodes to, which must have dimensions()
    /// components. Never allocates. 0 for a stored component that is not finite, which
    /// encode_vector never writes. O(dimensions); docs/benchmarks-vectors.md has times.
    BRAID_API double dot(const StoredVector& stored) const noexcept;

    /// Number of leading components that dot_bound() reads: about half of them, such that their
    /// 8-bit codes and 16 more bytes fill whole cache lines. 0 if that doesn't pay.
    static std::size_t head_components(std::size_t dimensions) noexcept;

    /// What dot_bound() takes as `rest`: the length of the other codes, rounded up; 0 where codes
    /// aren't bytes.
    BRAID_API static float rest_of(const StoredVector& stored, std::size_t dimensions) noexcept;

    /// Upper bound of dot(stored) for a vector in 8-bit codes, from its first head_components()
    /// only; `rest` is at least the Euclidean length of the remaining codes. Infinity for other
    /// codings and without a head. docs/algorithms/vectors.md (7).
    BRAID_API double dot_bound(const StoredVector& stored, double rest) const noexcept;

    /// Largest error of dot() against a vector of length 1, except for the rounding of its last
    /// operations (1e-15 relative). For 8-bit codes: the length of the error of quantising the
    /// query to 16 bits; for others: a bound on the rounding of float sums. Scale it by the length
    /// of other stored vectors.
    BRAID_API double error_bound(VectorCoding coding) const noexcept;

  private:
    template <typename T>
    struct alignas(64) Block {
        T values[32];
    };

    void quantise();   // Sets unit_, error_ and wholes_.
    void make_head();  // From wholes_.

    std::vector<float> values_;
    std::vector<Block<float>> floats_;
    std::vector<Block<std::int16_t>> wholes_;
    std::vector<Block<std::int16_t>> head_;  ///< First head_components() of wholes_.
    double rest_ = 0;                        ///< Length of the others.
    const DotKernels* kernels_;
    double length_ = 0;
    double unit_ = 0;   ///< Component = unit * whole number, within 1/2 unit.
    double error_ = 0;  ///< The length of the difference.
};

}  // namespace braid
