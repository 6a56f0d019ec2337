// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/config/source_text.h"
#include "braid/config/yaml_node.h"

namespace braid::yaml {

/// A node with the way to it, which is what an error has to say. Borrows the document.
class Place {
  public:
    /// The root. `known_paths` are the paths of all keys there are, for suggestions.
    Place(const SourceText& source, const Node& root, const std::vector<std::string>& known_paths);

    const Node& node() const { return *node_; }
    const std::string& path() const { return path_; }

    Place entry(const Entry& entry) const;
    Place item(std::size_t index) const;

    /// Throws ConfigError "file:line:column: path: found {this}, expected {expected}", and where
    /// one of `allowed` is close to what was found: "; did you mean '...'?"
    [[noreturn]] void fail(const std::string& expected,
                           const std::vector<std::string>& allowed = {}) const;

    /// Throws ConfigError for a key that isn't one of `known`, and suggests the nearest of them,
    /// or a key of that name elsewhere.
    [[noreturn]] void fail_unknown(const Entry& entry, const std::vector<std::string>& known) const;

    /// Throws ConfigError for what is wrong below this place, at `path` from here ("", or
    /// "fields[2].prefix"); says the position of the deepest node there that the text has.
    [[noreturn]] void fail_below(std::string_view path, const std::string& problem) const;

  private:
    const SourceText* source_;
    const std::vector<std::string>* known_paths_;
    const Node* node_;
    std::string path_;
};

/// "one, two, three"
std::string comma_list(const std::vector<std::string>& words);

}  // namespace braid::yaml
