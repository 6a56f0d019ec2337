// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// The regular files below a folder, in byte order of their paths. Follows links to files, and
/// links to folders that lead outside the folder to a target not visited before, so loops end.
/// Skips names that begin with a dot; skips unreadable entries and special files with a warning.
/// Memory: the names in the folders from the top to the current one.
class FolderWalk {
  public:
    /// Reads `folder` at once; throws FormatError if that fails.
    FolderWalk(const std::string& folder, const ReaderContext& context);

    /// The next file, relative to the folder; false at the end.
    bool next(std::string& path);

  private:
    struct Level {
        std::string prefix;              // "" or "a/b/"
        std::vector<std::string> names;  // Sorted so that the next is the last; folders with '/'.
    };
    bool enter(const std::string& prefix);
    bool leads_inside(const std::string& link) const;
    std::string full_path(const std::string& path) const { return folder_ + '/' + path; }

    std::string folder_;
    std::string real_folder_;  // Absolute, without links.
    ReaderContext context_;
    std::vector<Level> levels_;
    std::unordered_set<std::string> entered_;  // "device:inode"
};

}  // namespace braid
