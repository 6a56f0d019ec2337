// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <zlib.h>

namespace braid {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kPiece = std::size_t{1} << 24;  // Read of a whole input at once.

// Opens for reading; a folder opens too, and only fails at the first read, so it is refused here.
int open_for_reading(const std::string& path) {
    if (path == "-") return dup(STDIN_FILENO);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        ::close(descriptor);
        errno = EISDIR;
        return -1;
    }
    return descriptor;
}

// A format that only looks like text until it is read: its first bytes, its name and what a user
// can do about it. UTF-16's marks are looked for last: they are the shortest.
struct Unreadable {
    std::string_view magic;
    std::string_view what;
    std::string_view remedy;
};

using namespace std::string_view_literals;
constexpr std::array<Unreadable, 7> kUnreadable{{
    {"\xFD\x37zXZ\0"sv, "xz-compressed", "xz -dc"},
    {"\x04\x22\x4D\x18"sv, "lz4-compressed", "lz4 -dc"},
    {"\x28\xB5\x2F\xFD"sv, "zstd-compressed", "zstd -dc"},
    {"BZh"sv, "bzip2-compressed", "bzip2 -dc"},
    {"PK\x03\x04"sv, "a zip archive", "unzip -p"},
    {"\xFF\xFE"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\xFE\xFF"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
}};
constexpr std::size_t kLongestMagic = 10;  // bzip2's
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void refuse_unreadable(const std::string& path, std::string_view head) {
    for (const Unreadable& kind : kUnreadable) {
        if (!head.starts_with(kind.magic)) continue;
        // Text may begin with the letters "BZh"; bzip2 goes on with a block size and pi.
        if (kind.magic == "BZh" && head.find("1AY&SY") != 4) continue;
        throw FormatError({path, 0},
                          "is " + std::string(kind.what) +
                              "; expected UTF-8 text, plain or in gzip: convert it with '" +
                              std::string(kind.remedy) + "' first");
    }
}

// Looks for a line of over `max_line` bytes in a text that grows. Lines are not searched one by
// one: from a line's start it looks back from the last byte that a newline may have, so that the
// cost is some bytes for each `max_line`.
class LongLineCheck {
  public:
    LongLineCheck(const std::string& path, std::size_t max_line)
        : path_(path), max_line_(max_line) {}

    void look_at(std::string_view text) {
        while (text.size() - line_ > max_line_) {
            const std::size_t end = text.rfind('\n', line_ + max_line_);
            if (end == std::string_view::npos || end < line_) {
                const auto lines = std::count(text.begin(), text.begin() + line_, '\n');
                refuse_long_line({path_, static_cast<std::size_t>(lines) + 1}, max_line_);
            }
            line_ = end + 1;
        }
    }

  private:
    const std::string& path_;
    std::size_t max_line_;
    std::size_t line_ = 0;  ///< Where a line begins.
};

}  // namespace

// Where the bytes come from; `read` and `bytes_read` as Input's.
struct Input::Source {
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;
    virtual std::size_t read(const std::string& path, char* buffer, std::size_t capacity) = 0;
    virtual std::uint64_t bytes_read() const = 0;
};

// Reads plain files as they are and unpacks gzip, also of several members; what follows the last
// one is ignored, as by gzip. zlib's own gzread isn't used: since 1.3.2 it takes a file that is cut
// off for a whole one.
struct Input::FileSource : Source {
    int descriptor;
    std::vector<unsigned char> buffer;
    z_stream stream{};
    std::uint64_t taken = 0;  ///< Of the file.
    bool is_begun = false;
    bool is_gzip = false;
    bool is_in_member = false;
    bool is_ended = false;

    explicit FileSource(const std::string& path)
        : descriptor(open_for_reading(path)), buffer(kChunk) {
        if (descriptor < 0) {
            throw FormatError({path, 0}, std::string("can't open: ") + std::strerror(errno));
        }
    }
    ~FileSource() override {
        if (is_gzip) inflateEnd(&stream);
        ::close(descriptor);
    }

    // Adds bytes behind those that are not used yet; whether there were any.
    bool fill(const std::string& path) {
        std::memmove(buffer.data(), stream.next_in, stream.avail_in);
        stream.next_in = buffer.data();
        ssize_t count = 0;
        do {
            count = ::read(descriptor, buffer.data() + stream.avail_in,
                           buffer.size() - stream.avail_in);
        } while (count < 0 && errno == EINTR);
        if (count < 0) fail(path, std::strerror(errno));
        stream.avail_in += static_cast<unsigned>(count);
        taken += static_cast<std::uint64_t>(count);
        return count > 0;
    }

    void begin(const std::string& path) {
        is_begun = true;
        stream.next_in = buffer.data();
        while (stream.avail_in < 2 && fill(path)) continue;
        is_gzip = stream.avail_in >= 2 && buffer[0] == 0x1f && buffer[1] == 0x8b;
        is_in_member = is_gzip;
        constexpr int kGzipOnly = 16;
        if (is_gzip && inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
    }

    // Whether another member begins.
    bool begin_member() {
        is_in_member = *stream.next_in == 0x1f && inflateReset(&stream) == Z_OK;
        is_ended = !is_in_member;
        return is_in_member;
    }

    // The rest of a chunk, or the next chunk.
    std::size_t read_plain(const std::string& path, char* to, std::size_t capacity) {
        if (stream.avail_in == 0 && !fill(path)) return 0;
        const std::size_t count = std::min<std::size_t>(capacity, stream.avail_in);
        std::memcpy(to, stream.next_in, count);
        stream.next_in += count;
        stream.avail_in -= static_cast<unsigned>(count);
        return count;
    }

    std::size_t read(const std::string& path, char* to, std::size_t capacity) override {
        if (!is_begun) begin(path);
        const auto wanted = static_cast<unsigned>(std::min<std::size_t>(capacity, 1U << 30));
        if (!is_gzip) return read_plain(path, to, wanted);
        stream.next_out = reinterpret_cast<unsigned char*>(to);
        stream.avail_out = wanted;
        while (stream.avail_out > 0 && !is_ended) {
            if (stream.avail_in == 0 && !fill(path)) {
                // A file that ends too early gives its last bytes first.
                if (!is_in_member || stream.avail_out < wanted) break;
                fail(path, "truncated gzip: it ends before its last block");
            }
            if (!is_in_member && !begin_member()) break;
            const int code = inflate(&stream, Z_NO_FLUSH);
            if (code == Z_STREAM_END) {
                is_in_member = false;
            } else if (code != Z_OK && code != Z_BUF_ERROR) {
                fail(path, stream.msg != nullptr ? stream.msg : zError(code));
            }
        }
        return wanted - stream.avail_out;
    }

    [[noreturn]] static void fail(const std::string& path, const char* reason) {
        throw FormatError({path, 0}, std::string("can't read on: ") + reason);
    }

    std::uint64_t bytes_read() const override { return taken - stream.avail_in; }
};

struct Input::MemorySource : Source {
    std::string text;
    std::size_t used = 0;
    std::size_t most_per_read;

    MemorySource(std::string given, std::size_t most)
        : text(std::move(given)), most_per_read(std::max<std::size_t>(most, 1)) {}

    std::size_t read(const std::string&, char* buffer, std::size_t capacity) override {
        const std::size_t count = std::min({capacity, most_per_read, text.size() - used});
        std::memcpy(buffer, text.data() + used, count);
        used += count;
        return count;
    }

    std::uint64_t bytes_read() const override { return used; }
};

Input::Input(std::string path, std::unique_ptr<Source> source)
    : path_(std::move(path)), source_(std::move(source)) {}

Input::Input(const std::string& path) : Input(path, std::make_unique<FileSource>(path)) {}

Input Input::from_memory(std::string text, const std::string& name, std::size_t most_per_read) {
    return {name, std::make_unique<MemorySource>(std::move(text), most_per_read)};
}

Input::~Input() = default;
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;

// Makes head_ hold at least `bytes` bytes, if there are as many. At the first call it refuses what
// is no text and drops a byte order mark.
void Input::read_ahead(std::size_t bytes) {
    std::size_t filled = head_.size();
    head_.resize(std::max(filled, bytes + head_used_));
    while (filled < head_.size()) {
        const std::size_t count =
            source_->read(path_, head_.data() + filled, head_.size() - filled);
        if (count == 0) break;
        filled += count;
    }
    head_.resize(filled);
    if (std::exchange(checked_, true)) return;
    refuse_unreadable(path_, head_);
    if (head_.starts_with(kByteOrderMark)) head_used_ = kByteOrderMark.size();
}

std::size_t Input::read(char* buffer, std::size_t capacity) {
    read_ = true;
    if (!checked_) read_ahead(kLongestMagic);
    if (head_used_ == head_.size()) return source_->read(path_, buffer, capacity);
    const std::size_t count = std::min(capacity, head_.size() - head_used_);
    std::memcpy(buffer, head_.data() + head_used_, count);
    head_used_ += count;
    return count;
}

std::string_view Input::peek(std::size_t bytes) {
    if (read_) throw InvalidArgument("Input::peek: called after reading began");
    if (!checked_) read_ahead(kLongestMagic);
    if (head_.size() - head_used_ < bytes) read_ahead(bytes);
    return std::string_view(head_).substr(head_used_, bytes);
}

std::uint64_t Input::bytes_read() const { return source_->bytes_read(); }

LineReader::LineReader(const std::string& path, std::size_t max_line)
    : LineReader(Input(path), max_line) {}

LineReader::LineReader(Input input, std::size_t max_line)
    : input_(std::move(input)), max_line_(max_line), buffer_(kChunk) {}

// Makes room behind what is not yet consumed and reads into it.
bool LineReader::fill() {
    if (at_end_) return false;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) {
        buffer_.resize(std::min(2 * buffer_.size(), std::max(end_, max_line_) + kChunk));
    }
    const std::size_t count = input_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += count;
    at_end_ = count == 0;
    return count > 0;
}

bool LineReader::skip_rest_of_line() {
    for (;;) {
        const char* start = buffer_.data() + begin_;
        const void* newline = std::memchr(start, '\n', end_ - begin_);
        if (newline != nullptr) {
            begin_ += static_cast<std::size_t>(static_cast<const char*>(newline) - start) + 1;
            return true;
        }
        begin_ = end_;
        if (!fill()) return false;
    }
}

bool LineReader::next(std::string_view& line) {
    if (was_cut_) skip_rest_of_line();
    was_cut_ = false;
    std::size_t searched = 0;
    for (;;) {
        const char* start = buffer_.data() + begin_;
        const std::size_t available = end_ - begin_;
        const void* newline = std::memchr(start + searched, '\n', available - searched);
        std::size_t length = available;
        if (newline != nullptr)
            length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
        if (length > max_line_) {
            line = {start, max_line_};
            begin_ += max_line_;
            was_cut_ = true;
            ++line_number_;
            return true;
        }
        if (newline == nullptr) {
            searched = available;
            if (fill()) continue;
            if (available == 0) return false;
            start = buffer_.data() + begin_;
        }
        line = {start, length};
        begin_ += length + (newline != nullptr ? 1 : 0);
        if (line.ends_with('\r')) line.remove_suffix(1);
        ++line_number_;
        return true;
    }
}

void refuse_long_line(const SourceLocation& where, std::size_t max_line) {
    throw FormatError(where, "found a line longer than " + std::to_string(max_line) +
                                 " bytes, which is the limit 'line'");
}

std::string read_whole(const std::string& path, std::size_t max_line) {
    Input input(path);
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    return read_whole(std::move(input), unknown ? 0 : static_cast<std::size_t>(size), max_line);
}

std::string read_whole(Input input, std::size_t size, std::size_t max_line) {
    std::string text(kChunk, '\0');
    LongLineCheck check(input.path(), max_line);
    std::size_t used = 0;
    for (;;) {
        // Once the first piece is no long line a plain file fits at once, with a byte to spare that
        // finds its end; growing a large text step by step costs more than reading it. What gzip
        // holds is larger than the file.
        if (used == text.size()) text.resize(std::max(size + 1, 2 * text.size()));
        const std::size_t wanted = std::min(text.size() - used, kPiece);
        const std::size_t count = input.read(text.data() + used, wanted);
        used += count;
        if (count == 0) break;
        check.look_at({text.data(), used});
    }
    text.resize(used);
    return text;
}

std::string read_head(const std::string& path, std::size_t bytes) {
    if (path == "-") return "";
    return std::string(Input(path).peek(bytes));
}

}  // namespace braid
