// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/settings/settings.h"
#include "braid/indexer/formats/source_document.h"

namespace braid {

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
