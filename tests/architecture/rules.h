// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "braid/tests/architecture/source_tree.h"

namespace braid::architecture {

/// A library of the project.
struct Library {
    /// Its folders. Each may include those before it, so that they have no cycle.
    std::vector<std::string> layers;
    /// The other libraries that it may include.
    std::set<std::string> uses;
};

/// The libraries by folder, as in docs/architecture.md. Folders that aren't here (tests, bench,
/// examples) may include everything.
const std::map<std::string, Library>& libraries();

/// The folder that each header of include/braid belongs to: who may include that folder may include
/// the header.
const std::map<std::string, std::string>& public_headers();

/// An include against these layers, or one that isn't "braid/..."; in a public header one that
/// isn't public. A public header that public_headers() lacks, or the other way round.
Violations check_includes(const SourceTree& tree);

/// A source file that includes something before its own header: compiled like this, the header is
/// shown to need nothing before it.
Violations check_own_header_first(const SourceTree& tree);

/// A library that the folder has no business with: Eigen outside core and in the headers that
/// applications read, yaml-cpp outside config, Xapian where there is none, the command line's
/// parser outside cli; and in an installed header anything that its reader need not have.
Violations check_foreign_includes(const SourceTree& tree);

/// A header of Catch2 that is not included through the wrapper for its versions.
Violations check_catch_includes(const SourceTree& tree);

/// Installed headers that aren't the headers of include/braid; more than 25 of them, or of over
/// 4,000 lines in all.
Violations check_installed_headers(const SourceTree& tree);

/// Printing, ending the process or reading the environment outside cli.
Violations check_side_effects(const SourceTree& tree);

/// Printing in cli but by cli/output/output, which makes text visible.
Violations check_printing(const SourceTree& tree);

/// A source file that asks a query for its subqueries, but plugin/query/query_tree.
Violations check_query_walks(const SourceTree& tree);

/// A variable that outlives calls and can change, outside cli: at namespace scope, static in a
/// function or class, or thread_local. In cli, too: a query of Xapian's that all threads share.
Violations check_globals(const SourceTree& tree);

/// A file or function that is too long. `excused` names files that may be, each with the reason;
/// one that needs no excuse is a violation too.
Violations check_lengths(const SourceTree& tree, const std::map<std::string, std::string>& excused);

/// A source file without its licence line or guard, or in no CMakeLists.txt.
Violations check_file_heads(const SourceTree& tree);
Violations check_build_lists(const SourceTree& tree);

/// A weight or source that the registry knows, but no fuzz target; a stored format of which no fuzz
/// target reads the newest version.
Violations check_fuzz_targets(const SourceTree& tree);

/// Dashes, quotes and dots that no keyboard has.
Violations check_punctuation(const SourceTree& tree);

/// A relative link in a Markdown file to a file or a heading that isn't there.
Violations check_links(const SourceTree& tree);

}  // namespace braid::architecture
