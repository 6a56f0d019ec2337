// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// For the right side of OP_AND_NOT: excludes nothing and doesn't end, since it stands at the
/// largest possible docid. Xapian drops ended parts from a running query, and with them the
/// query's repair; see query/repaired_query.h. It ends once it is asked for more than that: where
/// Xapian makes an AND of an OP_AND_MAYBE, whose left part may say that a document is none of its
/// own, the match would go on for ever.
class NeverSource : public Xapian::PostingSource {
  public:
    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return 0; }
    Xapian::doccount get_termfreq_max() const override { return 0; }
    void init(const Xapian::Database& shard) override;
    void next(double least) override;
    void skip_to(Xapian::docid docid, double least) override;
    bool check(Xapian::docid docid, double least) override;
    bool at_end() const override { return ended_; }
    Xapian::docid get_docid() const override { return docid_; }

    NeverSource* clone() const override;
    std::string name() const override;
    std::string get_description() const override;
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for bytes that `serialise` didn't write.
    NeverSource* unserialise(const std::string& serialised) const override;

  private:
    Xapian::docid docid_ = 0;
    bool ended_ = false;
};

/// The scoring part of a query: without the filters and exclusions around it.
Xapian::Query scored_part(const Xapian::Query& query);

/// `query` with its filters and exclusions around `other` in place of its scored part.
Xapian::Query with_scored_part(const Xapian::Query& query, const Xapian::Query& other);

/// Whether Xapian may leave documents out of a match once they can't be results. With XOR or
/// OP_MAX somewhere in the query it may not: Xapian 1.4 asks such an operator for its bound again
/// in each shard after that in which its last two parts ended together, and reads freed memory.
/// A server may have several shards where this process sees one. Xapian 2 may always.
bool may_prune(const Xapian::Query& query);

/// How many results to ask Enquire::get_mset for, from the first on, where `wanted` are: all
/// documents, with which Xapian has no reason to leave one out, where it may not.
Xapian::doccount safe_count(const Xapian::Database& database, const Xapian::Query& query,
                            Xapian::doccount wanted);

/// Whether Xapian may lose a match of that query where it leaves others out: see safe_check.
bool may_lose_matches(const Xapian::Query& query);

/// How many matches Enquire::get_mset is to look at at the least, where `wanted` are: all
/// documents, so that it leaves none out, where that may lose others. Once no document with one
/// part alone can be a result Xapian makes an AND of an AND_MAYBE, and goes on behind the
/// document that the right part stands at, which may have both (AndMaybePostList::next); an OR
/// becomes an AND_MAYBE before. Of searches for some words in 100 random documents, 1 of 20,000 so
/// missed a result in one shard, and 1 of 1,000 over several; the more documents match, the less
/// likely it is one of the best. What may match more than kWholeMatches is pruned all the same.
inline constexpr Xapian::doccount kWholeMatches = 20000;
Xapian::doccount safe_check(const Xapian::Database& database, const Xapian::Query& query,
                            Xapian::doccount wanted);

}  // namespace braid
