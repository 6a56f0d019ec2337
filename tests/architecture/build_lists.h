// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <set>
#include <string>

#include "braid/tests/architecture/source_tree.h"

namespace braid::architecture {

/// What the CMakeLists.txt of a tree name.
struct BuildLists {
    std::set<std::string> named;    ///< Every .cpp and .h, by its path in the tree.
    std::set<std::string> headers;  ///< Those in a library's HEADERS, which are installed.
};

BuildLists read_build_lists(const SourceTree& tree);

}  // namespace braid::architecture
