// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/indexer/formats/folder_walk.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

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
    std::unique_ptr<FolderWalk> walk_;  // Of the current part, if that is a folder.
    std::string path_in_folder_;
    std::size_t documents_of_file_ = 0;
    std::unique_ptr<DocumentReader> reader_;
    std::uint64_t bytes_of_closed_ = 0;
};

}  // namespace braid
