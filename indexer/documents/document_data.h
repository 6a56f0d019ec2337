// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/indexer/formats/source_document.h"

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

}  // namespace braid
