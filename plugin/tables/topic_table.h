// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// The slot of a topic model's vectors, and the id that marks a vector as the model's.
struct TopicSlot {
    std::string id;  ///< The model's.
    Xapian::valueno slot = 0;

    bool operator==(const TopicSlot&) const = default;
};

/// The database that has a shard's vectors: the sidecar that was made for it (see
/// plugin/store/sidecar.h) or, without any sidecars, the shard itself. Throws
/// Xapian::InvalidOperationError, which names `source`, where there is no such sidecar, and where
/// it doesn't hold the model: its values could be another's.
Xapian::Database topic_holder(const Xapian::Database& shard,
                              const std::vector<Xapian::Database>& sidecars,
                              const std::string& model_id, const std::string& source);

/// The vectors of a topic model in one shard, copied to memory in the order of documents, which is
/// the order in which searches meet them, and the clusters that they are in: docs/algorithms/
/// hybrid.md. Each begins a cache line with what a bound on its products takes. Vectors that are
/// all zero, damaged or another model's are left out: they are similar to nothing. Immutable.
///
/// Or those that a TableFile has, mapped and without clusters. Then its bytes are from outside:
/// nothing of a row may be used unless it `is_sound`.
class TopicTable {
  public:
    static constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();
    /// The file is damaged where it says whether there is one.
    static constexpr std::uint32_t kUnknownRow = kNoRow - 1;

    /// Nothing where it would take more than `most_bytes`. Throws FormatError for clusters that
    /// can't be read, and Xapian::DatabaseCorruptError for values out of order. About .6
    /// microseconds a vector.
    static std::shared_ptr<const TopicTable> load(const Xapian::Database& shard,
                                                  const TopicSlot& model, std::size_t dimensions,
                                                  std::size_t most_bytes);

    /// Null where the file has none of the model.
    static std::shared_ptr<const TopicTable> map(std::shared_ptr<const TableFile> file,
                                                 const TopicSlot& model, std::size_t dimensions);

    bool is_mapped() const noexcept { return mapped_ != nullptr; }
    std::uint32_t rows() const noexcept {
        return is_mapped() ? mapped_->row_count : static_cast<std::uint32_t>(docids_.size());
    }

    /// kNoRow where the document has no vector.
    std::uint32_t row(Xapian::docid docid) const noexcept {
        if (!is_mapped()) return row_in(rows_.of(docid / kBits), docid);
        const std::size_t number = docid / kBits;
        if (number >= mapped_->block_count) return kNoRow;
        const TableFile::Block& block = mapped_->blocks[number];
        if (block.check != block.expected(number)) return kUnknownRow;
        return row_in({block.have, block.begin}, docid);
    }
    /// `row`: a result of row() other than kNoRow.
    bool is_sound(std::uint32_t row) const noexcept {
        if (!is_mapped()) return true;
        if (row >= mapped_->row_count) return false;
        const Head& head = head_of(row);
        return head.check == head.expected(row, stride_) &&
               sizeof(Head) + code_bytes(head.coding) <= stride_;
    }
    /// What is mapped may have been cut short since.
    bool is_whole() const noexcept { return !is_mapped() || file_->is_whole(); }

    /// Not of a mapped table.
    Xapian::docid docid(std::uint32_t row) const noexcept { return docids_[row]; }

    StoredVector vector(std::uint32_t row) const noexcept {
        const Head& head = head_of(row);
        return {{head.coding, 0, 0},
                head.scale,
                {bytes_of(row) + sizeof(Head), code_bytes(head.coding)}};
    }
    /// What QueryVector::dot_bound takes beside the vector.
    double rest(std::uint32_t row) const noexcept { return head_of(row).rest; }

    /// Begins to fetch what a bound on a product takes.
    void prefetch(std::uint32_t row) const noexcept { __builtin_prefetch(bytes_of(row)); }
    /// The same of the rest of the vector.
    void prefetch_rest(std::uint32_t row) const noexcept {
        for (std::size_t i = kLine; i < stride_; i += kLine) __builtin_prefetch(bytes_of(row) + i);
    }

    /// Members of one cluster are those from `begin` to `end`, of falling cosine with the centroid.
    struct Cluster {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        StoredVector centroid = {};  ///< In 32-bit floats.
    };
    std::uint32_t clusters() const noexcept { return static_cast<std::uint32_t>(begins_.size()); }
    Cluster cluster(std::uint32_t number) const noexcept;
    /// Members from this on are in no cluster, or of another length than 1; there are rows() in
    /// all.
    std::uint32_t unclustered() const noexcept { return unclustered_; }
    /// The row of a member.
    std::uint32_t member(std::uint32_t number) const noexcept { return members_[number]; }
    /// The cosine of a cluster's member with the centroid, within 1e-6.
    double cosine(std::uint32_t number) const noexcept { return cosines_[number]; }

    /// Values in the slot that are no vectors, or damaged ones.
    std::uint64_t damaged() const noexcept { return damaged_; }

    std::size_t bytes() const;

  private:
    static constexpr std::size_t kLine = 64;
    using Head = TableFile::Row;  ///< What a row begins with; codes follow.
    static constexpr std::size_t kBits = 64;
    struct Rows {  ///< Rows of kBits documents.
        std::uint64_t have = 0;
        std::uint32_t begin = 0;  ///< The first of them.
    };
    struct Loader;
    struct Free {
        void operator()(char* bytes) const noexcept;
    };

    TopicTable() = default;
    static std::uint32_t row_in(const Rows& rows, Xapian::docid docid) noexcept {
        const std::uint64_t before = (std::uint64_t{1} << (docid % kBits)) - 1;
        if ((rows.have >> (docid % kBits) & 1) == 0) return kNoRow;
        const bool all_have = (~rows.have & before) == 0;
        return rows.begin + (all_have
                                 ? static_cast<std::uint32_t>(docid % kBits)
                                 : static_cast<std::uint32_t>(std::popcount(rows.have & before)));
    }
    std::size_t code_bytes(VectorCoding coding) const noexcept {
        const bool is_byte = coding <= VectorCoding::kUnsigned8;
        return dimensions_ * (is_byte ? 1 : coding == VectorCoding::kFloat16 ? 2 : 4);
    }
    const char* bytes_of(std::uint32_t row) const noexcept {
        return begin_ + std::size_t{row} * stride_;
    }
    const Head& head_of(std::uint32_t row) const noexcept {
        return *reinterpret_cast<const Head*>(bytes_of(row));
    }
    void add(Xapian::docid docid, const StoredVector& stored);
    void number_rows();

    std::size_t dimensions_ = 0;
    std::size_t stride_ = 0;                 ///< Bytes from row to row.
    std::shared_ptr<const TableFile> file_;  ///< Rows are there,
    const TableFile::Vectors* mapped_ = nullptr;
    std::unique_ptr<char, Free> bytes_;   ///< or here.
    const char* begin_ = nullptr;         ///< Their first byte.
    DocumentValues<Rows> rows_;           ///< By docid / kBits.
    std::vector<Xapian::docid> docids_;   ///< By row; ascending.
    std::vector<std::uint32_t> members_;  ///< Rows, cluster by cluster.
    std::vector<float> cosines_;          ///< Cosines of members.
    std::vector<std::uint32_t> begins_;   ///< Where each cluster begins in members_.
    std::uint32_t unclustered_ = 0;
    FloatMatrix centroids_;
    std::uint64_t damaged_ = 0;
};

}  // namespace braid
