// SPDX-License-Identifier: GPL-2.0-or-later
// The file of vectors and lengths beside a database (docs/formats.md, table file; "BrTF", 1),
// changed where the input says: three bytes a change, a place in two and what is written there. The
// first byte says which checksums are then right again, and whether the file gets another length.
// With none of them right, searches find to the bit what they find without a file; with all, what
// somebody made up.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/fuzz/document_checks.h"
#include "braid/tests/fuzz/small_database.h"

using braid::TableFile;
using braid::fuzz::require;
using Xapian::Query;

namespace {

namespace fs = std::filesystem;

using Results = std::vector<std::pair<Xapian::docid, double>>;

constexpr unsigned kTailRight = 1;    ///< What says where everything is.
constexpr unsigned kPiecesRight = 2;  ///< Lengths, blocks, rows.
constexpr unsigned kOtherLength = 4;
constexpr std::size_t kChange = 3;
constexpr std::size_t kEnd = 160;  ///< Half of all places are in the last bytes.
constexpr std::size_t kSize = sizeof(std::uint32_t);

/// A database on disk with its table file.
class Database {
  public:
    Database() : folder_((fs::temp_directory_path() / "fuzz_table_file.XXXXXX").string()) {
        require(mkdtemp(folder_.data()) != nullptr, "a temporary folder");
        Xapian::WritableDatabase writer(path(), Xapian::DB_CREATE);
        braid::fuzz::write_small_database(writer);
        braid::TopicRecord record;
        record.name = "lsa";
        record.header.model = "lsa";
        record.header.dimensions = kDimensions;
        record.coding = braid::VectorCoding::kFloat32;  // The largest of those that it has.
        record.slot = braid::fuzz::kSmallSlot;
        braid::store_topic_catalogue(writer, {{"lsa", braid::fuzz::kSmallModel}});
        writer.set_metadata(braid::topic_key(braid::fuzz::kSmallModel, braid::kTopicRecordEnding),
                            serialise(record));
        writer.close();
        braid::write_table_files({path()}, braid::TableFiles::kMake);
        std::ifstream in(file(), std::ios::binary);
        whole_ = {std::istreambuf_iterator<char>(in), {}};
        require(whole_.size() > 2 * kEnd, "a table file");
        without_ = found(false);
        require(!without_.empty() && found(true) == without_, "the same with the file");
        require(is_mapped_, "a mapped file");
    }
    ~Database() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    std::string path() const { return folder_ + "/db"; }
    const std::string& whole() const { return whole_; }
    const Results& without() const { return without_; }

    void replace_file(const std::string& bytes) const {
        std::ofstream(file() + ".new", std::ios::binary) << bytes;
        fs::rename(file() + ".new", file());
    }

    /// By ranking and topics, all and the best of them.
    Results found(bool by_file) {
        const Xapian::Database database(path());
        braid::FusionModel model;
        model.rankers = {{.ranker = "bm25"}};
        const Query words(Query::OP_OR, Query("w0"), Query("w3", 2));
        braid::FusedSource source(
            model, braid::read_bag_of_words(database, words),
            {{{braid::fuzz::kSmallModel, braid::fuzz::kSmallSlot}, {0.8F, 0, 0.6F, 0}, 3}});
        if (by_file) {
            auto tables = std::make_shared<braid::VectorTables>(
                braid::VectorTables::kMostBytes, braid::VectorTables::When::kWorthIt);
            const auto access = tables->topics(
                database, {braid::fuzz::kSmallModel, braid::fuzz::kSmallSlot}, kDimensions);
            is_mapped_ = access.table != nullptr && access.table->is_mapped();
            source.use_tables(std::move(tables));
        }
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(Xapian::CoordWeight());
        enquire.set_query(Query(source.clone()->release()));
        Results results;
        for (const Xapian::doccount count : {database.get_doccount(), Xapian::doccount{5}}) {
            const Xapian::MSet matches = enquire.get_mset(0, count);
            for (auto match = matches.begin(); match != matches.end(); ++match) {
                const double score = match.get_weight();
                require(std::isfinite(score) && score >= 0, "finite scores from 0");
                results.emplace_back(*match, match.get_weight());
            }
        }
        return results;
    }

  private:
    static constexpr std::size_t kDimensions = 4;

    std::string file() const { return path() + "/" + TableFile::kName; }

    std::string folder_;
    std::string whole_;
    Results without_;
    bool is_mapped_ = false;
};

// Every byte that a reader may come to.
void read_all(const TableFile& file) {
    file.damaged_pieces();
    const auto& lengths = file.lengths();
    for (std::size_t docid = 0; docid < (lengths.size + 1) * TableFile::Lengths::kEach; ++docid) {
        lengths.of(docid);
    }
}

// What `Piece` of the file has its checksum in `check`; places are where the whole file has them.
template <typename Piece, typename Expected>
void set_right(std::string& bytes, const void* begin, const TableFile& whole, std::size_t count,
               std::size_t stride, const Expected& expected) {
    const auto first = static_cast<std::size_t>(
        static_cast<const char*>(begin) - reinterpret_cast<const char*>(whole.lengths().lines));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = first + i * stride;
        if (at + stride > bytes.size()) return;
        // Aligned as in the file.
        alignas(64) std::array<char, 256> piece{};
        require(stride <= piece.size(), "a small piece");
        std::memcpy(piece.data(), bytes.data() + at, stride);
        auto& placed = *reinterpret_cast<Piece*>(piece.data());
        placed.check = expected(placed, i);
        std::memcpy(bytes.data() + at, piece.data(), stride);
    }
}

void set_pieces_right(std::string& bytes, const TableFile& whole) {
    const auto& lengths = whole.lengths();
    set_right<TableFile::Lengths::Line>(bytes, lengths.lines, whole, lengths.size, 64,
                                        [](auto& line, std::size_t i) { return line.expected(i); });
    for (const TableFile::Vectors& model : whole.vectors()) {
        set_right<TableFile::Row>(
            bytes, model.rows, whole, model.row_count, model.stride,
            [&](auto& row, std::size_t i) { return row.expected(i, model.stride); });
        set_right<TableFile::Block>(bytes, model.blocks, whole, model.block_count,
                                    sizeof(TableFile::Block),
                                    [](auto& block, std::size_t i) { return block.expected(i); });
    }
}

// Its checksum ends a stored value, before the value's size.
void set_tail_right(std::string& bytes) {
    std::uint32_t size = 0;
    if (bytes.size() < kSize) return;
    std::memcpy(&size, bytes.data() + bytes.size() - kSize, kSize);
    if (size < kSize || size > bytes.size() - kSize) return;
    const std::size_t begin = bytes.size() - kSize - size;
    const std::uint32_t check = braid::crc32c({bytes.data() + begin, size - kSize});
    std::memcpy(bytes.data() + begin + size - kSize, &check, kSize);
}

}  // namespace

// Xapian leaves its posting lists behind where a source's `next` throws within get_mset.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libxapian\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Database database;
    static const auto whole_file = TableFile::open(database.path());
    if (size == 0) return 0;
    const unsigned right = data[0];
    std::string bytes = database.whole();
    std::size_t at = 1;
    const auto place = [&](std::size_t i) { return std::size_t{data[i]} << 8 | data[i + 1]; };
    if ((right & kOtherLength) != 0 && size >= at + kChange) {
        bytes.resize(place(at) % (2 * bytes.size()), static_cast<char>(data[at + 2]));
        at += kChange;
    }
    for (; at + kChange <= size && !bytes.empty(); at += kChange) {
        const std::size_t where = place(at) / 2;
        const std::size_t from_end = where % std::min(kEnd, bytes.size()) + 1;
        const bool is_at_end = place(at) % 2 == 1;
        bytes[is_at_end ? bytes.size() - from_end : where % bytes.size()] =
            static_cast<char>(data[at + 2]);
    }
    if ((right & kPiecesRight) != 0) set_pieces_right(bytes, *whole_file);
    if ((right & kTailRight) != 0) set_tail_right(bytes);
    database.replace_file(bytes);
    try {
        const auto file = TableFile::open(database.path());
        if (file != nullptr) read_all(*file);
    } catch (const braid::Error&) {
    }
    try {
        const Results results = database.found(true);
        if ((right & (kTailRight | kPiecesRight)) == 0) {
            require(results == database.without(), "the same as without the file");
        }
    } catch (const Xapian::Error&) {
        require((right & kPiecesRight) != 0, "no error by a damaged file");
    }
    return 0;
}
