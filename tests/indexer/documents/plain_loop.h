// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/settings.h"

namespace braid::test {

/// Documents from memory; throws `failure` (if it isn't empty) once they are all read.
class MemoryReader final : public DocumentReader {
  public:
    explicit MemoryReader(std::vector<SourceDocument> documents, std::string failure = "")
        : documents_(std::move(documents)), failure_(std::move(failure)) {}
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return next_; }

  private:
    std::vector<SourceDocument> documents_;
    std::string failure_;
    std::size_t next_ = 0;
};

/// `count` documents "d0", "d1" ... of a title and a text of random words, among them stop words,
/// capitals, apostrophes, numbers and letters beyond ASCII.
std::vector<SourceDocument> random_documents(Random& random, std::size_t count);

/// A document with these fields.
SourceDocument make_document(const std::string& id,
                             const std::vector<std::pair<std::string, std::string>>& fields);

/// What one would write by hand for the default settings: TermGenerator, no Braid. The oracle.
void index_by_plain_loop(const std::vector<SourceDocument>& documents, const std::string& path);

/// All that a database holds of its documents, by docid: terms with wdf and positions, values and
/// data, in readable form.
using Dump = std::map<Xapian::docid, std::vector<std::string>>;
Dump dump(const Xapian::Database& database);
Dump dump(const std::string& path);

}  // namespace braid::test
