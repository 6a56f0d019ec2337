// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace braid::test {

/// Checks that every element that is opened is closed in the right order, and that nothing of the
/// page comes from elsewhere. Returns the names of all elements.
std::set<std::string> check_elements(const std::string& html);

/// Instead of a matcher, which would print the whole page.
bool has(const std::string& html, const std::string& part);

std::size_t count_of(const std::string& text, const std::string& part);

}  // namespace braid::test
