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
class DebianDocuments : public LineDocuments {
  public:
    using LineDocuments::LineDocuments;
    bool next(SourceDocument& document) override;

    /// The description version of the last document, among several versions of a package; "" if
    /// its paragraph doesn't give it.
    const std::string& description_md5() const { return description_md5_; }

    static int recognise(const std::string& path, std::string_view head);
    /// Whether `head` begins a file of translated descriptions only.
    static bool is_translation(std::string_view head);

  private:
    enum class Paragraph { kNone, kComplete, kTooLong };
    Paragraph read_paragraph(SourceDocument& document);
    bool begin_field(SourceDocument& document, std::string_view line);
    void finish_fields(SourceDocument& document);

    std::size_t paragraphs_ = 0;
    std::string description_md5_;
};

/// Joins package lists: a translation gives a package's description, its Packages file all else.
/// Reads the Packages files first and keeps their fields, about 750 bytes a package; then streams
/// the translations, each with its package's fields. Packages without a translation come last.
/// Skips translations of a version other than the listed one; a translation of an unlisted
/// package is a document of its own.
class DebianJoin : public DocumentReader {
  public:
    /// Whether the inputs with these heads include both lists and translations.
    static bool belong_together(const std::vector<std::string>& heads);

    DebianJoin(std::vector<Input> inputs, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override;

  private:
    struct Package {
        std::string description_md5;
        std::string fields;    // Names and texts, each followed by a NUL.
        std::size_t list = 0;  // Index into lists_, and the line in it.
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
    std::size_t translation_ = 0;  // The translation being read.
    std::size_t left_over_ = 0;    // The next package that may have no translation.
    std::vector<Package> packages_;
    std::unordered_multimap<std::string, std::size_t> by_name_;  // Indices into packages_.
};

}  // namespace braid
