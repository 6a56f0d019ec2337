// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
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

/// Reads several inputs in sequence.
class DocumentSequence : public DocumentReader {
  public:
    struct Part {
        std::string path;
        bool is_folder = false;
        const DocumentFormat* format = nullptr;
        std::optional<Input> input = {};  // Set if it can't be reopened, such as a pipe.
    };

    DocumentSequence(std::vector<Part> parts, const ReaderContext& context);
    /// One reader of several parts.
    DocumentSequence(std::unique_ptr<DocumentReader> joined, const std::string& name,
                     const ReaderContext& context);

    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override;

  private:
    bool open_next();
    bool open_next_in_folder();
    bool read(SourceDocument& document);
    void close();

    ReaderContext context_;
    std::vector<Part> parts_;
    std::size_t next_part_ = 0;
    std::string part_path_;
    std::size_t documents_of_part_ = 0;
    std::unique_ptr<FolderWalk> walk_;  // The walk of the current part, if that is a folder.
    std::string path_in_folder_;
    std::size_t documents_of_file_ = 0;
    std::unique_ptr<DocumentReader> reader_;
    std::uint64_t bytes_of_closed_ = 0;
};

}  // namespace braid
