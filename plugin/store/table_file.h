// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/checksum.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"

namespace braid {

/// A copy of a database's topic vectors and documents' lengths, beside its tables, that processes
/// map into memory: one that searches once has no time to read them. docs/formats.md has the bytes,
/// docs/decisions/0011-table-file.md the reasons.
///
///     commit of the mark ------ file, renamed into place
///        |  {number, revision}     {number, revision, UUID}
///        v                                ^
///     a handle on that revision ----------+ mapped if all three are equal: else no file
///
/// The mark is a metadata value with a number that no other mark has, written by the commit that
/// makes the revision that it names. So a handle with the mark and on that revision is on the very
/// state that the file was made of, in whatever copy or folder; any later commit ends that. A
/// missing, damaged or foreign file costs time alone.
///
/// Pieces have checksums, which readers check as they come to them: what is damaged is read from
/// the database. Files are renamed into place and never changed. Immutable; threads may share it.
class TableFile {
  public:
    static constexpr char kName[] = "braid.tables";

    /// That of the shard, which is on that state; null if there is none. `uuid` is the shard's.
    BRAID_API static std::shared_ptr<const TableFile> of(const Xapian::Database& shard,
                                                         const std::string& uuid,
                                                         std::uint64_t revision);
    /// That in the folder, whatever state it is of. Throws FormatError for damage outside of pieces
    /// and Error where it can't be mapped; null if there is none.
    static std::shared_ptr<const TableFile> open(const std::string& folder);

    ~TableFile();
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    /// False once something has cut it short: reading it would end the process then.
    BRAID_API bool is_whole() const noexcept;
    /// How many pieces have another checksum than that of their bytes.
    std::uint64_t damaged_pieces() const noexcept;

    /// The lengths of documents.
    struct Lengths {
        static constexpr std::uint32_t kEach = 15;
        static constexpr std::uint32_t kUnknown = 0xffffffff;
        struct Line {
            std::uint32_t lengths[kEach];
            std::uint32_t check;

            std::uint32_t expected(std::size_t number) const noexcept {
                return crc32c({reinterpret_cast<const char*>(lengths), sizeof lengths}) ^
                       static_cast<std::uint32_t>(number);
            }
        };
        const Line* lines = nullptr;
        std::size_t size = 0;

        /// kUnknown where the file has none.
        std::uint32_t of(std::size_t docid) const noexcept {
            const std::size_t number = docid / kEach;
            if (number >= size || lines[number].check != lines[number].expected(number)) {
                return kUnknown;
            }
            return lines[number].lengths[docid % kEach];
        }
        /// Whether no line is damaged. O(size).
        bool is_sound() const noexcept {
            for (std::size_t number = 0; number < size; ++number) {
                if (lines[number].check != lines[number].expected(number)) return false;
            }
            return true;
        }
    };
    const Lengths& lengths() const noexcept { return lengths_; }

    /// Which of 64 documents have vectors.
    struct Block {
        std::uint64_t have;
        std::uint32_t begin;  ///< The row of the first of them.
        std::uint32_t check;

        std::uint32_t expected(std::size_t number) const noexcept {
            return crc32c({reinterpret_cast<const char*>(this), sizeof have + sizeof begin}) ^
                   static_cast<std::uint32_t>(number);
        }
    };
    /// A vector: its codes follow.
    struct Row {
        std::uint32_t check;
        float scale;
        float rest;  ///< QueryVector::rest_of.
        VectorCoding coding;
        char unused[3];

        std::uint32_t expected(std::size_t number, std::size_t stride) const noexcept {
            const char* const begin = reinterpret_cast<const char*>(this) + sizeof check;
            return crc32c({begin, stride - sizeof check}) ^ static_cast<std::uint32_t>(number);
        }
    };
    /// The vectors of a topic model, in the order of documents.
    struct Vectors {
        std::string id;
        std::uint32_t slot = 0;
        std::size_t dimensions = 0;
        std::size_t stride = 0;  ///< Bytes from row to row, of whole cache lines.
        std::uint32_t row_count = 0;
        std::uint64_t damaged = 0;  ///< Values that were no vectors.
        std::size_t block_count = 0;
        const Block* blocks = nullptr;
        const char* rows = nullptr;
    };
    const std::vector<Vectors>& vectors() const noexcept { return vectors_; }

  private:
    TableFile(const char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
    void read(const std::string& where);

    const char* bytes_;
    std::size_t size_;
    std::string uuid_;
    std::uint64_t revision_ = 0;
    std::uint64_t number_ = 0;
    Lengths lengths_;
    std::vector<Vectors> vectors_;
};
static_assert(sizeof(TableFile::Lengths::Line) == 64);
static_assert(sizeof(TableFile::Block) == 16);
static_assert(sizeof(TableFile::Row) == 16);

/// What searches make of a shard's file: nothing where it never had one.
struct TableFileState {
    bool is_damaged = false;
    std::string note = {};  ///< Why they don't use it, or not all of it; "" if they do.
};
/// A pass over the file's bytes.
BRAID_API TableFileState look_at_table_file(const Xapian::Database& shard);

enum class TableFiles {
    kMake,   ///< For each shard.
    kRenew,  ///< For shards that were marked before.
};

/// Makes the files of databases anew, after whatever was written to them: a commit to each, and a
/// pass over its vectors and lengths, 1 microsecond each. Does nothing, since searches need no
/// file, where there is no room, no permission, no folder (remote, single files), or where another
/// program keeps the lock. `specs` as open_databases takes them.
BRAID_API void write_table_files(const std::vector<std::string>& specs, TableFiles which);

}  // namespace braid
