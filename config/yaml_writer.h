// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/config/yaml_node.h"

namespace braid::yaml {

/// The map `root` as a YAML document, with the comments of its entries if `comments`. `parse`
/// returns an equal tree. Lines end before column 100 if words allow. Throws InvalidArgument for a
/// text that is not UTF-8, which YAML can't hold.
std::string write(const Node& root, bool comments);

/// The node on one line: "[a, {b: 1}]".
std::string format_inline(const Node& node);

/// `text` as a scalar that every YAML reader reads as text: in double quotes, unless it is a word
/// that can't be read as a number, a truth value, a date or null.
std::string quoted(const std::string& text);

/// `text` in lines of at most 100 columns, each after `margin`. Keeps existing line breaks.
std::string wrapped(const std::string& text, const std::string& margin);

}  // namespace braid::yaml
