// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace braid::test {

/// How often this program and its libraries have asked operator new for memory so far.
std::uint64_t allocations() noexcept;

/// The `number`-th of the following throws std::bad_alloc, from 1 on; 0: none does.
void fail_allocation(std::uint64_t number) noexcept;

}  // namespace braid::test
