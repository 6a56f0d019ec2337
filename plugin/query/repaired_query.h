// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/weight.h"

namespace braid {

/// Queries that match the same, in forms that Xapian matches and scores right: 1.4 and 2 make
/// different mistakes, and each repair is made for the version that needs it. Operators that have a
/// parameter which Xapian keeps to itself stay as they are, and so does what is below
/// OP_SCALE_WEIGHT. Searcher does all of it by itself where it is needed.

/// In the result no phrase gives its weight to a document without the phrase.
///
/// Xapian asks parts of an OR, and optional or excluded ones, about one document. Phrases, and in
/// Xapian 2 value ranges and what is left of an AND_NOT too, may answer no and then stand anywhere.
///
/// * Xapian 1.4 takes what answered no as if it stood there (OrPostList::check): in `+a "b c" d` a
///   document with a and d gets the phrase's weight, too, where the phrase stands at another one.
///   Such a part P is replaced by `P AND NOT nothing` (NeverSource), which moves to its next match
///   instead.
/// * Xapian 2 forgets the no: once another part of the OR ends, or the OR becomes an AND as nothing
///   else can be a result, P is a match where it last stood, and a document is found that doesn't
///   match, or twice. A value range that was never moved crashes then. Such a part P is replaced by
///   `P's matches AND P` (MatchSource). Costs a second search for P, in each shard; where eight
///   such parts stand within each other, the inner ones stay.
/// * Xapian 2 crashes where one side alone of an OP_MAX has matches in a shard, and it is optional.
///   `a AND_MAYBE b` with such a b is replaced by `a OR (b FILTER a)`.
Xapian::Query keep_phrases_apart(const Xapian::Query& query);

/// keep_phrases_apart and keep_document_lengths in one pass over the query.
Xapian::Query repaired_query(const Xapian::Query& query);

/// In the result what only filters or excludes has no OP_AND_MAYBE, but its left side, which
/// matches the same. In what an OP_AND_NOT excludes Xapian compares such an operator's bounds
/// without having set them (AndMaybePostList), and by chance excludes less.
Xapian::Query drop_idle_parts(const Xapian::Query& query);

/// The documents that a query matches, with no weight: found by a search of its own as a match
/// begins. For leading an OP_AND, so it claims to be rare. Never answers no.
class MatchSource final : public Xapian::PostingSource {
  public:
    explicit MatchSource(Xapian::Query query = {}) : query_(std::move(query)) {}

    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return 0; }
    Xapian::doccount get_termfreq_max() const override;
    void init(const Xapian::Database& shard) override;
    void next(double least) override;
    void skip_to(Xapian::docid docid, double least) override;
    bool check(Xapian::docid docid, double least) override;
    bool at_end() const override { return at_ == docids_.size(); }
    Xapian::docid get_docid() const override { return docids_[at_]; }

    MatchSource* clone() const override;
    std::string name() const override;
    std::string get_description() const override;
    /// docs/formats.md
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for bytes that `serialise` didn't write.
    MatchSource* unserialise_with_registry(const std::string& serialised,
                                           const Xapian::Registry& registry) const override;

  private:
    Xapian::Query query_;
    std::vector<Xapian::docid> docids_;
    std::size_t at_ = 0;
    bool is_begun_ = false;
};

}  // namespace braid
