// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <xapian.h>

#include "braid/plugin/sources/slot_source.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/sources.h"

namespace braid {

/// A query-independent score as a part of a Xapian query: weight * score of the number or date in a
/// value slot. It matches the documents whose score is above 0; OP_AND_MAYBE
/// joins it to a text query. Values are read as plugin/store/value_numbers.h says; a document
/// without a number scores 0.
///
/// The bound is that of the numbers in the shard's slot where the database's own bounds tell them
/// (all values serialised numbers, 0 or more), else that of all numbers. Scores are the same on any
/// number of shards. One object belongs to one thread; copies share what doesn't change.
class ValueRanker final : public SentSource<ValueRanker, SlotSource> {
  public:
    static constexpr SentAs kSentAs{"braid::ValueRanker", 1};
    void write_bytes(ByteWriter& out) const;
    std::unique_ptr<ValueRanker> read_bytes(ByteReader& in) const;

    /// For registration only: see register_all.
    ValueRanker();

    /// Throws UnknownComponent or InvalidArgument for a ranker, parameter or `now` that is wrong,
    /// and InvalidArgument for a weight that is negative or not finite.
    ValueRanker(const ValuePrior& prior, double weight);

    ~ValueRanker() override;

    /// Score of a document with this value, without the weight.
    double score(const std::string& value) const;

    const ValuePrior& prior() const;

    /// Upper bound over the database, without the weight.
    double bound(const Xapian::Database& database) const;

    void init(const Xapian::Database& shard) override;

    ValueRanker* clone() const override;
    std::string get_description() const override;

  private:
    struct Plan;

    explicit ValueRanker(std::shared_ptr<const Plan> plan);
    double weigh() override;

    std::shared_ptr<const Plan> plan_;
};

}  // namespace braid
