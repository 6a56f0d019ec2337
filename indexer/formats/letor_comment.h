// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

// What LETOR files put in comments. Private to the LETOR reader and writer; a comment is given
// with its leading '#'.

/// The document that a row's comment names: "# docid = D7", "#docid=D7 inc = 1", or in quotes
/// (docid = "a name", "" for a quote inside). "" where it names none.
std::string letor_document(std::string_view comment);

/// Whether a comment that has a line to itself names the features: "# 1:bm25 2:lsa" does.
bool is_names_line(std::string_view comment, std::size_t first_feature);

/// The names in such a line, in the order of their numbers, which have to be consecutive. Throws
/// InvalidArgument with the reason, without a place.
std::vector<std::string> letor_names(std::string_view comment, std::size_t first_feature);

/// Throws InvalidArgument where `names` could not stand in one line or has a name twice.
void check_feature_names(const std::vector<std::string>& names);

}  // namespace braid
