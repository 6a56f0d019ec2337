// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

namespace braid {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

// Opens for reading; a folder opens too, and only fails at the first read, so it is refused here.
int open_for_reading(const std::string& path) {
    if (path == "-") return dup(STDIN_FILENO);
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(descriptor);
        errno = EISDIR;
        return -1;
    }
    return descriptor;
}

}  // namespace

struct Input::Handle {
    gzFile file = nullptr;
    ~Handle() {
        if (file != nullptr) gzclose_r(file);
    }
};

Input::Input(const std::string& path) : path_(path), handle_(std::make_unique<Handle>()) {
    const int descriptor = open_for_reading(path);
    if (descriptor >= 0) {
        handle_->file = gzdopen(descriptor, "rb");
        if (handle_->file == nullptr) close(descriptor);
    }
    if (handle_->file == nullptr) {
        throw FormatError({path, 0}, std::string("can't open: ") + std::strerror(errno));
    }
    gzbuffer(handle_->file, kChunk);
}

Input::~Input() = default;

std::size_t Input::read(char* buffer, std::size_t capacity) {
    errno = 0;
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(capacity, 1U << 30));
    const int count = gzread(handle_->file, buffer, wanted);
    int code = Z_OK;
    const char* reason = gzerror(handle_->file, &code);
    // A gzip that ends too early gives its last bytes first and Z_BUF_ERROR with them.
    if (count > 0 && code == Z_BUF_ERROR) return static_cast<std::size_t>(count);
    if (count < 0 || (count == 0 && code != Z_OK && code != Z_STREAM_END)) {
        if (code == Z_BUF_ERROR) reason = "truncated gzip: it ends before its last block";
        if (code == Z_ERRNO) reason = std::strerror(errno);
        throw FormatError({path_, 0}, std::string("can't read on: ") + reason);
    }
    return static_cast<std::size_t>(count);
}

std::uint64_t Input::bytes_read() const {
    const auto offset = gzoffset(handle_->file);
    return offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
}

LineReader::LineReader(const std::string& path, std::size_t max_line)
    : input_(path), max_line_(max_line), buffer_(kChunk) {}

// Makes room behind what is not yet consumed and reads into it.
bool LineReader::fill() {
    if (at_end_) return false;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
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

std::string read_whole(const std::string& path) {
    Input input(path);
    std::string text;
    std::size_t used = 0;
    for (;;) {
        if (text.size() - used < kChunk) text.resize(std::max(4 * kChunk, 2 * text.size()));
        const std::size_t count = input.read(text.data() + used, text.size() - used);
        used += count;
        if (count == 0) break;
    }
    text.resize(used);
    return text;
}

std::string read_head(const std::string& path, std::size_t bytes) {
    if (path == "-") return "";
    Input input(path);
    std::string head(bytes, '\0');
    std::size_t used = 0;
    while (used < bytes) {
        const std::size_t count = input.read(head.data() + used, bytes - used);
        if (count == 0) break;
        used += count;
    }
    head.resize(used);
    return head;
}

}  // namespace braid
