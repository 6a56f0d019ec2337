// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// For the right side of OP_AND_NOT: excludes nothing and doesn't end, since it stands at the
/// largest possible docid. Xapian drops ended parts from a running query, and with them the
/// query's repair; see query/repaired_query.h.
class NeverSource : public Xapian::PostingSource {
  public:
    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return 0; }
    Xapian::doccount get_termfreq_max() const override { return 0; }
    void init(const Xapian::Database& shard) override;
    void next(double least) override;
    void skip_to(Xapian::docid docid, double least) override;
    bool check(Xapian::docid docid, double least) override;
    bool at_end() const override { return false; }
    Xapian::docid get_docid() const override { return docid_; }

    NeverSource* clone() const override;
    std::string name() const override;
    std::string get_description() const override;
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for bytes that `serialise` didn't write.
    NeverSource* unserialise(const std::string& serialised) const override;

  private:
    Xapian::docid docid_ = 0;
};

/// The scoring part of a query: without the filters and exclusions around it.
Xapian::Query scored_part(const Xapian::Query& query);

/// `query` with its filters and exclusions around `other` in place of its scored part.
Xapian::Query with_scored_part(const Xapian::Query& query, const Xapian::Query& other);

}  // namespace braid
