// SPDX-License-Identifier: GPL-2.0-or-later
// The one place that knows which Catch2 the tests run with. Tests use the names of Catch2 2; where
// Catch2 3 renamed or moved one, it is given back here.
#pragma once

// CHECK and REQUIRE leave exceptions to the test case, which fails by them all the same; the code
// that catches them in each would take a sixth of the time to compile a test.
#define CATCH_CONFIG_FAST_COMPILE

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <string>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/interfaces/catch_interfaces_capture.hpp>
#include <catch2/internal/catch_context.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Approx;

namespace Catch::Matchers {
inline auto Contains(const std::string& part) { return ContainsSubstring(part); }
}  // namespace Catch::Matchers

namespace Catch {
using Matchers::Contains;
using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::WithinAbs;
using Matchers::WithinRel;
}  // namespace Catch

#else

#include <catch2/catch.hpp>

#endif

namespace braid::test {
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
}  // namespace braid::test
