// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/sources/slot_source.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/tables/topic_table.h"
#include "braid/sources.h"

namespace braid {

/// Topic similarity as a part of a Xapian query: weight * max(0, cos) of the query's vector and
/// each document's, which is read from a value slot. It matches the documents of a similarity
/// above 0; OP_AND_MAYBE joins it to a text query.
///
/// A document whose value is missing, damaged, or of another model has similarity 0, and so has
/// every document where the query's vector is all zero. What rounding puts above 1 counts as 1.
/// Cost: one vector for each document looked at, which neither allocates nor throws here.
///
/// One object belongs to one thread; copies share the query's vector.
class TopicSource final : public SentSource<TopicSource, SlotSource> {
  public:
    static constexpr SentAs kSentAs{"braid::TopicSource", 1};
    /// Throws Xapian::UnimplementedError where there are sidecars.
    void write_bytes(ByteWriter& out) const;
    std::unique_ptr<TopicSource> read_bytes(ByteReader& in) const;

    /// For registration only: see register_all.
    TopicSource();

    /// `query` is of length 1 or all zero, as StoredTopicModel::fold makes it. Where `sidecars` are
    /// given, a shard's vectors are those of the sidecar that was made for it (see
    /// plugin/store/sidecar.h), and the source can't be sent to a remote database.
    /// Throws InvalidArgument for a weight that is negative or not finite, and for a vector that
    /// is not finite.
    TopicSource(TopicSlot model, std::span<const float> query, double weight,
                std::vector<Xapian::Database> sidecars = {});

    ~TopicSource() override;

    /// The similarity of a document with this value: 0 .. 1.
    double similarity(const std::string& value) const noexcept;

    /// Damaged values that this source and its copies have met.
    std::uint64_t damaged() const noexcept;

    /// Throws Xapian::InvalidOperationError where the shard, or its sidecar, doesn't hold the
    /// model: its values could be another's.
    void init(const Xapian::Database& shard) override;

    TopicSource* clone() const override;
    std::string get_description() const override;

  private:
    struct Plan;

    TopicSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars);
    double weigh() override;

    std::shared_ptr<const Plan> plan_;
    std::vector<Xapian::Database> sidecars_;
    bool guarded_ = false;               ///< Whether a sidecar has the values. If so:
    Xapian::PostingIterator documents_;  ///< those that the shard has.
    Xapian::PostingIterator documents_end_;
};

/// Similarity to the user's vectors (`braid adopt --vectors`) as a part of a Xapian query. They are
/// stored like topic vectors, so the class, its bytes and its name on a server are TopicSource's.
using VectorSource = TopicSource;

/// vector_source of <braid/sources.h>, as the class it is.
std::unique_ptr<VectorSource> make_vector_source(const Xapian::Database& database,
                                                 const std::string& name,
                                                 std::span<const float> query, double weight,
                                                 const std::vector<Xapian::Database>& sidecars);

/// A vector scaled to length 1; zero vectors stay zero. Throws InvalidArgument for a component that
/// is not finite.
std::vector<float> scaled_to_one(std::span<const float> vector);

}  // namespace braid
