// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace braid {

/// The seed wherever a caller names none.
inline constexpr std::uint64_t kDefaultSeed = 20161218;

/// A stream of random numbers that is the same on every machine and standard library: the
/// standard fixes mt19937_64 but not its distributions, so those are written here. Not shared
/// between threads; work that is cut into chunks gives each chunk `Random(seed, chunk)`.
class Random {
  public:
    explicit Random(std::uint64_t seed = kDefaultSeed, std::uint64_t stream = 0)
        : engine_(mix(seed + 0x9e3779b97f4a7c15ULL * (stream + 1))) {}

    std::uint64_t bits() { return engine_(); }

    /// Uniform in [0, 1), with 53 random bits.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

    /// Uniform in 0 .. n - 1; n > 0. Without modulo bias (rejection).
    std::uint64_t below(std::uint64_t n) {
        const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
        std::uint64_t value = bits();
        while (value > limit) value = bits();
        return value % n;
    }

    /// Standard normal, by the polar method; keeps no second value, so streams stay simple.
    double normal();

    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

  private:
    // The finaliser of splitmix64: neighbouring seeds and streams start far apart.
    static std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }

    std::mt19937_64 engine_;
};

inline double Random::normal() {
    for (;;) {
        const double u = 2 * uniform() - 1;
        const double v = 2 * uniform() - 1;
        const double s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
    }
}

}  // namespace braid
