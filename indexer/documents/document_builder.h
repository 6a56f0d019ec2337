// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/progress.h"
#include "braid/settings.h"

namespace braid {

/// Writes the document data of a database: one JSON object on one line, {field: text, ...}, with
/// the stored fields in the source's order. A repeated field becomes one member, its texts joined
/// by newlines.
class DocumentDataWriter {
  public:
    /// `stored` as in IndexSettings: names, or "*" alone for all.
    explicit DocumentDataWriter(const std::vector<std::string>& stored);

    /// Overwrites `data`. Cost: linear in the text, quadratic in the number of fields.
    void write(const SourceDocument& source, std::string& data) const;

    bool keeps_all() const { return all_; }

  private:
    bool keeps(const std::string& name) const;

    std::vector<std::string> stored_;
    bool all_ = false;
};

/// Caches another stemmer's results, since text repeats its words. Give it to Xapian as
/// `Xapian::Stem(new CachingStemmer(stem))`, which then owns it. A direct-mapped table: each word
/// has one entry, shared with others, and the last one stays. It fits the processor's cache; with a
/// table of all words, cache misses cost more than stemming.
class CachingStemmer final : public Xapian::StemImplementation {
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
/// settings, plus the term that identifies it. For one thread.
class DocumentBuilder {
  public:
    /// Words go to `spelling` if settings.analysis.spelling is set. Reports non-numeric values to
    /// `warn`, which may be empty.
    DocumentBuilder(const IndexSettings& settings, const Xapian::WritableDatabase& spelling,
                    WarningSink warn);
    ~DocumentBuilder();
    DocumentBuilder(const DocumentBuilder&) = delete;
    DocumentBuilder& operator=(const DocumentBuilder&) = delete;

    /// `name` is the document's name and `id_term` the term made of it.
    Xapian::Document build(const SourceDocument& source, const std::string& name,
                           const std::string& id_term, const std::string& data);

    /// Whether the last document built has a searchable word.
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
