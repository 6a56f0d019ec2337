// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// The regular files below a folder, in the order of their paths' bytes. Links to files are
/// followed; links to folders too, if they lead out of the folder (what is inside is read at its
/// own place) and to where none led before, so loops end. Names that begin with a dot are left
/// out; what can't be read, and what is no file, is left out with a warning. Memory: the names in
/// the folders from the top to the current one.
class BRAID_API FolderWalk {
  public:
    /// `folder` is read at once; throws FormatError if it can't be.
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
