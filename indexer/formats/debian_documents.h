// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

/// Several package lists read as one: a translation gives a package's description, its Packages
/// file all else. The Packages files are read first and their fields kept, about 750 bytes a
/// package; then the translations are streamed, each with its package's fields. What the
/// translations don't have comes last. A translation of another version of a package than the
/// listed one is left out; one of a package that is not listed is a document of its own.
class DebianJoin : public DocumentReader {
  public:
    /// Whether there are lists and translations among the inputs that begin so.
    static bool belong_together(const std::vector<std::string>& heads);

    DebianJoin(std::vector<Input> inputs, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override;

  private:
    struct Package {
        std::string description_md5;
        std::string fields;    // Names and texts, each followed by a NUL.
        std::size_t list = 0;  // Which of lists_, and the line there.
        std::size_t line = 0;
        bool has_translation = false;
    };
    enum class Listed { kNo, kYes, kOtherVersion };

    void read_packages();
    Package& package_of(const SourceDocument& document, const std::string& description_md5);
    Listed add_listed_fields(SourceDocument& document, const std::string& description_md5);
    bool next_translation(SourceDocument& document);
    bool next_left_over(SourceDocument& document);

    ReaderContext context_;
    std::vector<std::string> list_names_;
    std::vector<std::unique_ptr<DebianDocuments>> lists_;
    std::vector<std::unique_ptr<DebianDocuments>> translations_;
    bool packages_read_ = false;
    std::size_t translation_ = 0;  // The one being read.
    std::size_t left_over_ = 0;    // The next package that may have no translation.
    std::vector<Package> packages_;
    std::unordered_multimap<std::string, std::size_t> by_name_;  // Indices into packages_.
};

}  // namespace braid
