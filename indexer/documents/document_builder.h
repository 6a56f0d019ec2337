// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/settings/settings.h"
#include "braid/indexer/formats/document_reader.h"

namespace braid {

/// Writes the document data of a database: one JSON object on one line, {field: text, ...}, with
/// the fields to keep in the source's order. A field that comes several times is one member, its
/// texts joined by newlines.
class BRAID_API DocumentDataWriter {
  public:
    /// `stored` as in IndexSettings: names, or "*" alone for all.
    explicit DocumentDataWriter(const std::vector<std::string>& stored);

    /// Replaces what `data` holds. Cost: linear in the text, quadratic in the number of fields.
    void write(const SourceDocument& source, std::string& data) const;

    bool keeps_all() const { return all_; }

  private:
    bool keeps(const std::string& name) const;

    std::vector<std::string> stored_;
    bool all_ = false;
};

/// Another stemmer with a memory, since text repeats its words. Give it to Xapian as
/// `Xapian::Stem(new CachingStemmer(stem))`, which then owns it. Each word has one place, which it
/// shares with others and where the last one stays: small enough for the processor's cache, where
/// a table of all words costs more time in misses than stemming does.
class BRAID_API CachingStemmer final : public Xapian::StemImplementation {
  public:
    explicit CachingStemmer(const Xapian::Stem& stem) : stem_(stem), entries_(kPlaces) {}
    std::string operator()(const std::string& word) override;
    std::string get_description() const override { return stem_.get_description(); }

  private:
    static constexpr std::size_t kPlaces = 4096;

    struct Entry {
        std::string word;
        std::string stem;
    };

    Xapian::Stem stem_;
    std::vector<Entry> entries_;
};

/// Term positions between two fields, so that no phrase spans them.
inline constexpr unsigned kFieldGap = 100;

/// Turns a source document into a Xapian document: terms, positions, filters and value slots by the
/// settings, plus the identity by which Braid finds it again. One thread.
class BRAID_API DocumentBuilder {
  public:
    /// `spelling` takes the words where settings.analysis.spelling is set. Numbers that are none
    /// are told to `warn`, which may be empty.
    DocumentBuilder(const IndexSettings& settings, const Xapian::WritableDatabase& spelling,
                    WarningSink warn);
    ~DocumentBuilder();
    DocumentBuilder(const DocumentBuilder&) = delete;
    DocumentBuilder& operator=(const DocumentBuilder&) = delete;

    /// `name` is what the document is called and `id_term` the term made of it.
    Xapian::Document build(const SourceDocument& source, const std::string& name,
                           const std::string& id_term, const std::string& data);

    /// Whether the document built last has a word to be found by.
    bool has_words() const { return has_words_; }

  private:
    void add_words(const FieldSettings& field, const std::string& text);
    void add_words(const std::string& text, unsigned weight, const std::string& prefix);
    void add_exact(Xapian::Document& document, const FieldSettings& field, std::string_view text);
    void add_value(Xapian::Document& document, const FieldSettings& field,
                   const SourceDocument& source, const std::string& text);

    AnalysisSettings analysis_;
    std::unordered_map<std::string, FieldSettings> fields_;
    std::unique_ptr<Xapian::Stopper> stopper_;
    Xapian::TermGenerator generator_;
    WarningSink warn_;
    bool has_words_ = false;
};

}  // namespace braid
