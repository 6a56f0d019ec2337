// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace braid::test {

/// How often this program and its libraries have asked operator new for memory so far.
std::uint64_t allocations() noexcept;

}  // namespace braid::test
