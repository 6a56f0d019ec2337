// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "braid/parameters.h"

namespace braid {

/// A stream of random numbers for inner loops that draw millions a second: xoshiro256++ (Blackman
/// and Vigna), 32 bytes of state where Random's mt19937_64 has 2.5 kB. Seeding costs four mixes,
/// so a stream for every small piece of work is cheap. The same numbers on every machine. Not
/// shared between threads.
class FastRandom {
  public:
    explicit FastRandom(std::uint64_t seed, std::uint64_t stream = 0) {
        std::uint64_t state = mix(seed) + mix(stream + 0x9e3779b97f4a7c15ULL);
        for (std::uint64_t& word : state_) word = mix(state += 0x9e3779b97f4a7c15ULL);
    }

    std::uint64_t bits() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform in [0, 1), with 53 random bits.
    double uniform() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }

    /// Uniform in 0 .. n - 1; n > 0. Favours some values by at most n / 2^32 of their share.
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((bits() >> 32U) * n) >> 32U);
    }

  private:
    // The finaliser of splitmix64. It is a bijection that maps only 0 to 0, so the four words,
    // mixed from four different states, are never all 0, a state that the generator can't leave.
    static std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31U);
    }

    std::array<std::uint64_t, 4> state_;
};

/// A stream of random numbers that is the same on every machine and standard library: the standard
/// defines mt19937_64 but not the results of its distributions, so they are written here. Not
/// shared between threads; work in chunks gives each chunk `Random(seed, chunk)`.
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
