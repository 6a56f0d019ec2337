// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/settings/limits.h"
#include "braid/error.h"

namespace braid {

/// The bytes of a file, or of standard input for "-"; gzip is unpacked as it is read. Made for
/// text: a UTF-8 byte order mark at the start is dropped; UTF-16 and the other compressions are
/// refused with a hint how to convert them. One thread.
class Input {
  public:
    /// Throws FormatError with the file and the system's reason: absent, a folder, no permission.
    explicit Input(const std::string& path);

    /// The bytes of `text` as they are (gzip is not unpacked), under `name` in messages. A read
    /// gives at most `most_per_read` bytes (at least 1), as a slow pipe would.
    static Input from_memory(std::string text, const std::string& name,
                             std::size_t most_per_read = SIZE_MAX);

    ~Input();
    Input(Input&&) noexcept;
    Input& operator=(Input&&) noexcept;

    /// Reads up to `capacity` bytes; 0 at the end. Throws FormatError for truncated or damaged
    /// input (gzip, read errors) and for input that isn't readable text.
    std::size_t read(char* buffer, std::size_t capacity);

    /// The first `bytes` bytes, or all if fewer, without consuming them: for guessing a format,
    /// also of a pipe. Call only before the first `read`. The view is valid until the next call.
    /// Throws as `read` does.
    std::string_view peek(std::size_t bytes);

    /// Bytes of the stored file consumed, for progress.
    std::uint64_t bytes_read() const;
    const std::string& path() const { return path_; }

  private:
    struct Source;
    struct FileSource;
    struct MemorySource;
    Input(std::string path, std::unique_ptr<Source> source);
    void read_ahead(std::size_t bytes);

    std::string path_;
    std::unique_ptr<Source> source_;
    std::string head_;  // Bytes read ahead, consumed up to head_used_.
    std::size_t head_used_ = 0;
    bool checked_ = false;  // Whether the head was checked to be text.
    bool read_ = false;
};

/// Lines of an input, without their ends ("\n", "\r\n"); the last may lack one. A line longer
/// than `max_line` bytes is cut there and the rest of it skipped, in bounded memory.
class LineReader {
  public:
    explicit LineReader(const std::string& path, std::size_t max_line = kDefaultMaxLine);
    explicit LineReader(Input input, std::size_t max_line = kDefaultMaxLine);

    /// The view is valid until the next call.
    bool next(std::string_view& line);

    /// Number of the last line returned, from 1.
    std::size_t line_number() const { return line_number_; }
    bool was_cut() const { return was_cut_; }
    SourceLocation where() const { return {input_.path(), line_number_}; }
    std::uint64_t bytes_read() const { return input_.bytes_read(); }

    static constexpr std::size_t kDefaultMaxLine = Limits{}.line;

  private:
    bool fill();
    bool skip_rest_of_line();

    Input input_;
    std::size_t max_line_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool at_end_ = false;
    std::size_t line_number_ = 0;
    bool was_cut_ = false;
};

/// Throws FormatError for a line longer than `max_line` bytes.
[[noreturn]] void refuse_long_line(const SourceLocation& where, std::size_t max_line);

/// The whole input in memory: for formats that are parsed in one go, fast (runs, judgements).
/// Throws as refuse_long_line does, before more than that line is read.
std::string read_whole(const std::string& path, std::size_t max_line = LineReader::kDefaultMaxLine);

/// The same for an open input; `size` is a guess of its text's size.
std::string read_whole(Input input, std::size_t size = 0,
                       std::size_t max_line = LineReader::kDefaultMaxLine);

/// The first bytes, unpacked, for guessing a format; leaves standard input alone (returns "").
std::string read_head(const std::string& path, std::size_t bytes = 4096);

}  // namespace braid
