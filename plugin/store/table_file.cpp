// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/table_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr StoredFormat kMarkFormat{.magic = "BrTM", .version = 1, .kind = "mark of a table file"};
constexpr StoredFormat kFileFormat{.magic = "BrTF", .version = 1, .kind = "table file"};

constexpr bool kIsServed = std::endian::native == std::endian::little;
constexpr std::size_t kLine = 64;
constexpr std::size_t kBits = 64;
constexpr std::size_t kPage = 4096;
/// Docids for each document, at most: pieces are found by docid.
constexpr std::size_t kMostDocids = 8;
constexpr char kTable[] = "/postlist.glass";
constexpr int kPopulate = 22;  // MADV_POPULATE_READ, which older headers lack.

struct Mark {
    std::uint64_t number = 0;
    std::uint64_t revision = 0;
};

std::string serialise(const Mark& mark) {
    ByteWriter body;
    body.varint(mark.number);
    body.varint(mark.revision);
    return write_stored(kMarkFormat, body);
}

std::optional<Mark> mark_of(const Xapian::Database& shard) {
    const std::string bytes = shard.get_metadata(kTableFileKey);
    if (bytes.empty()) return {};
    StoredBody stored =
        read_stored(kMarkFormat, bytes, std::string("metadata key ") + kTableFileKey);
    Mark mark;
    mark.number = stored.body.varint("number");
    mark.revision = stored.body.varint("revision");
    stored.body.finish();
    return mark;
}

// Databases' folders, by the files that this process has open: a handle doesn't tell its own.
// Until `look` says that it is found.
template <typename Look>
void look_in_open_folders(const Look& look) {
    constexpr int kMostFiles = 256;
    char target[4096];
    for (int file = 3; file < kMostFiles; ++file) {
        char link[32] = "/proc/self/fd/";
        *std::to_chars(link + std::strlen(link), link + sizeof link - 1, file).ptr = '\0';
        const ssize_t size = readlink(link, target, sizeof target);
        if (size <= 0 || static_cast<std::size_t>(size) == sizeof target) continue;
        std::string_view path(target, static_cast<std::size_t>(size));
        if (!path.ends_with(kTable)) continue;
        path.remove_suffix(sizeof kTable - 1);
        if (look(std::string(path))) return;
    }
}

}  // namespace

std::shared_ptr<const TableFile> TableFile::of(const Xapian::Database& shard,
                                               const std::string& uuid, std::uint64_t revision) {
    if (!kIsServed) return nullptr;
    std::shared_ptr<const TableFile> found;
    try {
        const std::optional<Mark> mark = mark_of(shard);
        if (!mark || mark->revision != revision) return nullptr;
        look_in_open_folders([&](const std::string& folder) {
            try {
                const std::shared_ptr<const TableFile> file = open(folder);
                if (file != nullptr && file->number_ == mark->number &&
                    file->revision_ == revision && file->uuid_ == uuid) {
                    found = file;
                }
            } catch (const Error&) {  // Another database's may be there.
            }
            return found != nullptr;
        });
    } catch (const Error&) {  // The mark is damaged or newer.
    }
    return found;
}

std::shared_ptr<const TableFile> TableFile::open(const std::string& folder) {
    const std::string path = folder + "/" + kName;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return nullptr;
    struct stat status {};
    const bool has_bytes =
        fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    void* bytes = MAP_FAILED;
    if (has_bytes) {
        bytes =
            mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, file, 0);
    }
    close(file);
    if (!has_bytes) throw FormatError(path + ": found nothing, expected a table file");
    if (bytes == MAP_FAILED) throw Error(path + ": can't be mapped");  // No damage: no memory.
    const std::shared_ptr<TableFile> made(
        new TableFile(static_cast<const char*>(bytes), static_cast<std::size_t>(status.st_size)));
    made->read(path);
    return made;
}

TableFile::~TableFile() { munmap(const_cast<char*>(bytes_), size_); }

// Populating the last page says what touching it would do, and doesn't do it.
bool TableFile::is_whole() const noexcept {
    const std::size_t last = (size_ - 1) / kPage * kPage;
    return madvise(const_cast<char*>(bytes_) + last, size_ - last, kPopulate) == 0;
}

// The end of the file says what is where: its size in 4 bytes comes last.
void TableFile::read(const std::string& where) {
    if (!is_whole())
        throw Error(where + ": can't be read, or this system is older than Linux 5.14");
    std::uint32_t tail = 0;
    if (size_ < sizeof tail) throw FormatError(where + ": is too short");
    std::memcpy(&tail, bytes_ + size_ - sizeof tail, sizeof tail);
    const std::size_t before = size_ - sizeof tail;
    if (tail > before || before - tail > size_) throw FormatError(where + ": is cut off");
    const std::size_t most = before - tail;
    // The first of its pages may be gone where the last is not.
    if (tail > kPage * 1024) throw FormatError(where + ": has no end");
    StoredBody stored = read_stored(kFileFormat, {bytes_ + most, tail}, where);
    ByteReader& in = stored.body;
    const auto place = [&](std::string_view name, std::size_t count, std::size_t each) {
        const std::uint64_t at = in.varint(name);
        if (at % kLine != 0 || at > most || count > (most - at) / each) in.fail(name, "is outside");
        return bytes_ + at;
    };
    uuid_ = in.text("uuid");
    revision_ = in.varint("revision");
    number_ = in.varint("number");
    lengths_.size = in.varint("lengths");
    lengths_.lines = reinterpret_cast<const Lengths::Line*>(place("lengths", lengths_.size, kLine));
    constexpr std::size_t kSmallest = 9;
    vectors_.resize(in.count("topic models", kSmallest));
    for (Vectors& model : vectors_) {
        model.id = in.text("topic model");
        model.slot = static_cast<std::uint32_t>(in.varint_in("slot", 0, Xapian::BAD_VALUENO));
        model.dimensions = in.varint_in("dimensions", 1, most);
        model.stride = in.varint_in("stride", kLine, most + kLine);
        if (model.stride % kLine != 0) in.fail("stride", "is no multiple of 64");
        model.row_count = static_cast<std::uint32_t>(in.varint_in("rows", 0, 0xfffffff0));
        model.damaged = in.varint("damaged");
        model.rows = place("rows", model.row_count, model.stride);
        model.block_count = in.varint("blocks");
        model.blocks =
            reinterpret_cast<const Block*>(place("blocks", model.block_count, sizeof(Block)));
    }
    in.finish();
}

TableFileState look_at_table_file(const Xapian::Database& shard) {
    if (!kIsServed) return {};
    std::optional<Mark> mark;
    try {
        mark = mark_of(shard);
    } catch (const NewerFormat&) {
        return {false, "a newer Braid's: searches read the database itself"};
    } catch (const FormatError& error) {
        return {true, error.what()};
    }
    if (!mark) return {};
    TableFileState state;
    look_in_open_folders([&](const std::string& folder) {
        try {
            if (Xapian::Database(folder).get_uuid() != shard.get_uuid()) return false;
            const auto found = TableFile::open(folder);
            if (found == nullptr) return false;
            const std::uint64_t damaged = found->damaged_pieces();
            if (damaged > 0) {
                state = {true, fmt::format("found {} damaged pieces: searches read these from the "
                                           "database",
                                           damaged)};
            }
        } catch (const Xapian::Error&) {
            return false;
        } catch (const FormatError& error) {
            state = {true, error.what()};
        } catch (const Error&) {  // Nothing can be mapped here.
        }
        return true;
    });
    return state;
}

std::uint64_t TableFile::damaged_pieces() const noexcept {
    std::uint64_t damaged = 0;
    for (std::size_t i = 0; i < lengths_.size; ++i) {
        damaged += lengths_.lines[i].check == lengths_.lines[i].expected(i) ? 0 : 1;
    }
    for (const Vectors& model : vectors_) {
        for (std::size_t i = 0; i < model.block_count; ++i) {
            damaged += model.blocks[i].check == model.blocks[i].expected(i) ? 0 : 1;
        }
        for (std::size_t i = 0; i < model.row_count; ++i) {
            const auto& row = *reinterpret_cast<const Row*>(model.rows + i * model.stride);
            damaged += row.check == row.expected(i, model.stride) ? 0 : 1;
        }
    }
    return damaged;
}

namespace {

/// A file that gets its name once it is whole, with the owner and rights of a database's table.
/// Under the database's lock: what is there of it, a process left that was killed.
class NewFile {
  public:
    explicit NewFile(const std::string& folder)
        : path_(folder + "/" + TableFile::kName), part_(path_ + ".part"), file_(create(part_)) {
        if (file_ < 0) throw Error(fmt::format("{}: {}", part_, std::strerror(errno)));
        struct stat table {};
        const bool is_read = stat((folder + kTable).c_str(), &table) == 0;
        // Who is not the owner of both can't give it away: then it is for its owner alone.
        const bool is_given = is_read && fchown(file_, table.st_uid, table.st_gid) == 0;
        constexpr mode_t kReaders = S_IRUSR | S_IRGRP | S_IROTH;
        if (is_given && fchmod(file_, table.st_mode & kReaders) != 0) is_good_ = false;
    }
    ~NewFile() {
        close(file_);
        if (!is_kept_) unlink(part_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    std::size_t size() const { return size_; }

    void add(const void* bytes, std::size_t size) {
        size_ += size;
        buffer_.append(static_cast<const char*>(bytes), size);
        if (buffer_.size() >= kMostBuffered) write_out();
    }
    /// Ends in a whole cache line.
    std::size_t align() {
        static constexpr char kZeros[kLine] = {};
        add(kZeros, (kLine - size_ % kLine) % kLine);
        return size_;
    }
    void keep() {
        write_out();
        is_kept_ = is_good_ && rename(part_.c_str(), path_.c_str()) == 0;
    }

  private:
    static int create(const std::string& path) {
        unlink(path.c_str());
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                      S_IRUSR | S_IWUSR);
    }

    /// What is written at once, Linux keeps and maps in large pieces, where it can.
    static constexpr std::size_t kMostBuffered = std::size_t{16} << 20;

    void write_out() {
        std::size_t written = 0;
        while (is_good_ && written < buffer_.size()) {
            const ssize_t some = write(file_, buffer_.data() + written, buffer_.size() - written);
            if (some < 0 && errno == EINTR) continue;
            is_good_ = some > 0;
            if (is_good_) written += static_cast<std::size_t>(some);
        }
        buffer_.clear();
        if (!is_good_) throw Error(fmt::format("{}: {}", part_, std::strerror(errno)));
    }

    std::string path_;
    std::string part_;
    int file_;
    std::string buffer_;
    std::size_t size_ = 0;
    bool is_good_ = true;
    bool is_kept_ = false;
};

// Gives how many lines.
std::size_t write_lengths(const Xapian::Database& shard, NewFile& out) {
    using Lengths = TableFile::Lengths;
    const std::size_t size = std::size_t{shard.get_lastdocid()} / Lengths::kEach + 1;
    Lengths::Line line{};
    std::size_t number = 0;
    const auto reset = [&] {
        std::fill(std::begin(line.lengths), std::end(line.lengths), Lengths::kUnknown);
    };
    const auto write_until = [&](std::size_t end) {
        for (; number < end; ++number) {
            line.check = line.expected(number);
            out.add(&line, sizeof line);
            reset();
        }
    };
    reset();
    const Xapian::PostingIterator end = shard.postlist_end("");
    for (auto document = shard.postlist_begin(""); document != end; ++document) {
        write_until(std::min<std::size_t>(*document / Lengths::kEach, size - 1));
        if (*document / Lengths::kEach != number) continue;
        line.lengths[*document % Lengths::kEach] = document.get_doclength();
    }
    write_until(size);
    return size;
}

struct Section {
    std::size_t rows_at = 0;
    std::uint32_t rows = 0;
    std::size_t stride = 0;
    std::uint64_t damaged = 0;
    std::vector<TableFile::Block> blocks = {};
    std::size_t blocks_at = 0;
};

bool is_zero(const StoredVector& stored, std::vector<float>& decoded) {
    decode_vector(stored, decoded);
    return std::all_of(decoded.begin(), decoded.end(), [](float x) { return x == 0; });
}

// Rows as TopicTable::load takes them, all in the record's coding.
Section write_vectors(const Xapian::Database& shard, const std::string& id,
                      const TopicRecord& record, NewFile& out) {
    const std::size_t dimensions = record.header.dimensions;
    const std::size_t bytes = sizeof(TableFile::Row) + dimensions * sizeof(float);
    Section section;
    const std::size_t most_component = bytes_per_component(record.coding);
    section.stride =
        (sizeof(TableFile::Row) + dimensions * most_component + kLine - 1) / kLine * kLine;
    section.rows_at = out.align();
    section.blocks.resize(std::size_t{shard.get_lastdocid()} / kBits + 1);
    std::vector<float> decoded(dimensions);
    std::string row(std::max(bytes, section.stride), '\0');
    const std::uint8_t tag = topic_model_tag(id);
    const Xapian::ValueIterator end = shard.valuestream_end(record.slot);
    for (auto value = shard.valuestream_begin(record.slot); value != end; ++value) {
        const std::size_t docid = value.get_docid();
        const std::string stored_bytes = *value;
        const auto stored = try_open_vector(stored_bytes, dimensions);
        if (!stored) ++section.damaged;
        if (!stored || stored->info.model_tag != tag || is_zero(*stored, decoded)) continue;
        if (docid / kBits >= section.blocks.size() ||
            sizeof(TableFile::Row) + stored->codes.size() > section.stride) {
            throw FormatError("a vector that the table file has no room for");
        }
        TableFile::Block& block = section.blocks[docid / kBits];
        if (block.have == 0) block.begin = section.rows;
        block.have |= std::uint64_t{1} << (docid % kBits);
        const TableFile::Row head{
            0, stored->scale, QueryVector::rest_of(*stored, dimensions), stored->info.coding, {}};
        std::fill(row.begin(), row.end(), '\0');
        std::memcpy(row.data(), &head, sizeof head);
        std::memcpy(row.data() + sizeof head, stored->codes.data(), stored->codes.size());
        auto& placed = *reinterpret_cast<TableFile::Row*>(row.data());
        placed.check = placed.expected(section.rows, section.stride);
        out.add(row.data(), section.stride);
        ++section.rows;
    }
    for (std::size_t i = 0; i < section.blocks.size(); ++i) {
        section.blocks[i].check = section.blocks[i].expected(i);
    }
    section.blocks_at = out.align();
    out.add(section.blocks.data(), section.blocks.size() * sizeof(TableFile::Block));
    return section;
}

// The file of a shard in the state that `mark` names.
void write_file(const Xapian::Database& shard, const Mark& mark, const std::string& folder) {
    NewFile out(folder);
    ByteWriter body;
    body.text(shard.get_uuid());
    body.varint(mark.revision);
    body.varint(mark.number);
    body.varint(write_lengths(shard, out));
    body.varint(0);
    // Neighbours are no vectors.
    std::vector<std::pair<TopicModelIdentity, TopicRecord>> models;
    for (const TopicModelIdentity& model : load_topic_catalogue(shard)) {
        models.emplace_back(model, load_topic_record(shard, model.id));
        if (models.back().second.header.model == kNeighboursModel) models.pop_back();
    }
    body.varint(models.size());
    for (const auto& [model, record] : models) {
        const Section section = write_vectors(shard, model.id, record, out);
        body.text(model.id);
        body.varint(record.slot);
        body.varint(record.header.dimensions);
        body.varint(section.stride);
        body.varint(section.rows);
        body.varint(section.damaged);
        body.varint(section.rows_at);
        body.varint(section.blocks.size());
        body.varint(section.blocks_at);
    }
    out.align();
    const std::string tail = write_stored(kFileFormat, body);
    const auto size = static_cast<std::uint32_t>(tail.size());
    out.add(tail.data(), tail.size());
    out.add(&size, sizeof size);
    out.keep();
}

// The folders of the shards of `opened`, without those that hold the same shard: it is ambiguous.
std::vector<std::string> folders_of(const Xapian::Database& opened) {
    std::multimap<std::string, std::string> found;
    look_in_open_folders([&](const std::string& folder) {
        try {
            found.emplace(Xapian::Database(folder).get_uuid(), folder);
        } catch (const Xapian::Error&) {
        }
        return false;
    });
    std::vector<std::string> folders;
    for (const std::string& uuid : shard_uuids(opened)) {
        const auto [first, last] = found.equal_range(uuid);
        if (first == last) continue;
        const std::string& folder = first->second;
        const bool is_one =
            std::all_of(first, last, [&](const auto& other) { return other.second == folder; });
        if (is_one) folders.push_back(folder);
    }
    return folders;
}

// That no other mark has: of the time, the process and the state.
std::uint64_t new_number(const Xapian::Database& shard) {
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    Fnv1a hash;
    hash.add(fmt::format("{} {} {} {} {} {}", std::chrono::nanoseconds(time).count(), getpid(),
                         shard.get_uuid(), shard.get_revision(), shard.get_doccount(),
                         shard.get_total_length()));
    return hash.value();
}

void write_for(const std::string& folder, TableFiles which) {
    if (access(folder.c_str(), W_OK) != 0) return;
    const Xapian::Database before(folder);
    const bool is_marked = !before.get_metadata(kTableFileKey).empty();
    if (which == TableFiles::kRenew && !is_marked) return;
    const auto file = TableFile::of(before, before.get_uuid(), before.get_revision());
    if (file != nullptr && file->damaged_pieces() == 0) return;
    constexpr std::chrono::milliseconds kPatience{1'000};
    Xapian::WritableDatabase target =
        wait_for_lock(kPatience, [&] { return open_for_writing(folder); });
    if (target.get_lastdocid() / kMostDocids > target.get_doccount()) return;
    const Mark mark{new_number(target), target.get_revision() + 1};
    target.set_metadata(kTableFileKey, serialise(mark));
    target.commit();
    if (target.get_revision() == mark.revision) write_file(target, mark, folder);
}

}  // namespace

void write_table_files(const std::vector<std::string>& specs, TableFiles which) {
    if (!kIsServed) return;
    for (const std::string& spec : specs) {
        try {
            if (is_on_server(spec)) continue;
            const Xapian::Database opened = open_shards({spec}).front();
            for (const std::string& folder : folders_of(opened)) write_for(folder, which);
        } catch (const Xapian::Error&) {
        } catch (const std::exception&) {
        }
    }
}

}  // namespace braid
