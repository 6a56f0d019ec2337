// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/error.h"
#include "braid/plugin/sources/topic_column.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

/// A posting source over the documents with a value in a slot; matches those with a weight above 0.
/// A subclass's `init` calls `begin`, sets the largest weight, and ends the source by done() where
/// nothing can match.
///
/// No pass hands the matcher's least weight on: Xapian doesn't divide it by the factor of an
/// OP_SCALE_WEIGHT above.
class SlotSource : public Xapian::ValuePostingSource {
  public:
    /// `read` is the slot.
    explicit SlotSource(Xapian::valueno read) : ValuePostingSource(read) {}

#if XAPIAN_AT_LEAST(1, 5, 0)
    // Xapian 2's ValuePostingSource doesn't pass it on to init, as other sources do.
    void reset(const Xapian::Database& shard, Xapian::doccount) override { init(shard); }
#endif
    double get_weight() const override { return weight_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;

  protected:
    /// Stands before the first document of `shard`, or of its sidecar.
    void begin(const Xapian::Database& shard);
    /// Weight of the current document; 0 or less: no match.
    virtual double weigh() = 0;

  private:
    bool look();

    double weight_ = 0;
};

/// A word of a query for a source over all documents.
struct SourceWord {
    std::string term = {};        ///< The word's term in documents.
    double count = 1;             ///< c(w, q), over 0.
    double collection_share = 1;  ///< p(w|C) over the whole collection: over 0, at most 1.

    bool operator==(const SourceWord&) const = default;
};

inline constexpr double kMostOccurrences = 4294967295;  ///< The most that Xapian counts.

/// Throws InvalidArgument, which begins with `source`, for a number outside minimum .. maximum, and
/// for a word without a term or with such a number.
void check_number(const char* source, const char* name, double value, double minimum,
                  double maximum);
void check_word(const char* source, const SourceWord& word);

void write_word(ByteWriter& out, const SourceWord& word);
void read_word(ByteReader& in, SourceWord& word);

/// A posting source over all documents, each with its length and its value in a slot; matches those
/// with a weight above 0. A subclass's `init` sets the largest weight and calls `begin`. Hands the
/// least weight on to nothing, as SlotSource.
class DocumentSource : public Xapian::PostingSource {
  public:
    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return documents_most_; }
    Xapian::doccount get_termfreq_max() const override { return documents_most_; }
    double get_weight() const override { return weight_; }
    Xapian::docid get_docid() const override { return position_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;
    bool at_end() const override { return ended_; }

    /// Reads values and documents' lengths from memory from now on, in this source and copies made
    /// after, where `tables` has them. Weights are the same.
    void use_tables(std::shared_ptr<VectorTables> tables) { tables_ = std::move(tables); }
    /// The same for the words' postings.
    void use_postings(std::shared_ptr<PostingTables> postings) { postings_ = std::move(postings); }

    DocumentSource* clone() const override = 0;

    // Bounds on many documents at once, from what is in memory: docs/algorithms/pruning.md.

    /// After `init`: whether there is what the others take. `now`: makes the tables.
    virtual bool prepare_ranges(const Xapian::Database& shard, bool now) = 0;
    /// Of documents that `lift` leaves alone.
    virtual PartRange other_range() const = 0;
    /// Adds to each document's place, by docid, what its part may have more than `other_range`.
    virtual void lift(std::span<float> lifts) const = 0;
    /// Time that `ranges` takes for a document: about that of so many components of a vector.
    virtual std::size_t range_cost() const = 0;
    /// Of ascending documents.
    virtual void ranges(std::span<const Xapian::docid> documents, std::span<PartRange> result) = 0;

  protected:
    const std::shared_ptr<VectorTables>& tables() const { return tables_; }
    const std::shared_ptr<PostingTables>& postings() const { return postings_; }
    /// Reads from memory what `other` does.
    void use_memory_of(const DocumentSource& other) {
        tables_ = other.tables_;
        postings_ = other.postings_;
    }
    /// Stands before the first document of `shard`, whose values are in `holder`; without `any`, at
    /// the end.
    void begin(const Xapian::Database& shard, const Xapian::Database& holder, Xapian::valueno slot,
               bool any);
    /// Weight of a document; 0 or less: no match.
    virtual double weigh(Xapian::docid docid, Xapian::termcount length, std::string_view value) = 0;

  private:
    void move_to(Xapian::docid docid);
    bool look();
    void find_match();

    /// Moved only where no table has the document's length: it decodes those of all before.
    Xapian::PostingIterator documents_, documents_end_;
    Xapian::docid position_ = 0;
    Xapian::termcount length_ = 0;  ///< Of that document.
    bool ended_ = false;
    Xapian::ValueIterator values_, values_end_;
    std::shared_ptr<VectorTables> tables_;
    std::shared_ptr<PostingTables> postings_;
    VectorAccess values_in_memory_;
    LengthAccess lengths_in_memory_;
    Xapian::doccount documents_most_ = 0;
    double weight_ = 0;
};

}  // namespace braid
