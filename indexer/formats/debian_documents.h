// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// Debian's package lists (deb822 paragraphs): Packages, Sources, Translation-en,
/// `apt-cache dumpavail`, dpkg's status file. A package's name is the id and the field "name"; a
/// description is "title" (its first line) and "text"; every debtag is a "tag"; other fields keep
/// their names, lower-cased, but those about the archive's files (sizes, checksums) are dropped.
class DebianDocuments : public DocumentReader {
  public:
    DebianDocuments(Input input, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

    /// Which description, of several versions of a package, the last document has; "" if its
    /// paragraph does not say.
    const std::string& description_md5() const { return description_md5_; }

    static int recognise(const std::string& path, std::string_view head);
    /// Whether `head` begins a file of translated descriptions and nothing else.
    static bool is_translation(std::string_view head);

  private:
    enum class Paragraph { kNone, kWhole, kTooLong };
    Paragraph read_paragraph(SourceDocument& document);
    bool begin_field(SourceDocument& document, std::string_view line);
    void finish_fields(SourceDocument& document);

    ReaderContext context_;
    LineReader lines_;
    std::size_t paragraphs_ = 0;
    std::string description_md5_;
};

}  // namespace braid
