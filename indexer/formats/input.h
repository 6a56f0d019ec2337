// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/error.h"
#include "braid/core/export.h"

namespace braid {

/// The bytes of a file, or of standard input for "-"; gzip is unpacked as it is read. One thread.
class BRAID_API Input {
  public:
    /// Throws FormatError, naming the file and the system's reason: absent, a folder, no rights.
    explicit Input(const std::string& path);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    /// Reads up to `capacity` bytes; 0 at the end. Throws FormatError where the input breaks off:
    /// a truncated or damaged gzip, a read error.
    std::size_t read(char* buffer, std::size_t capacity);

    /// Bytes consumed of the file as it is stored, for progress.
    std::uint64_t bytes_read() const;
    const std::string& path() const { return path_; }

  private:
    struct Handle;
    std::string path_;
    std::unique_ptr<Handle> handle_;
};

/// Lines of an input, without their ends ("\n", "\r\n"); the last may lack one. A line longer
/// than `max_line` bytes is cut there and the rest of it skipped, in bounded memory.
class BRAID_API LineReader {
  public:
    explicit LineReader(const std::string& path, std::size_t max_line = kDefaultMaxLine);

    /// The view is valid until the next call.
    bool next(std::string_view& line);

    /// The line that `next` returned last, from 1.
    std::size_t line_number() const { return line_number_; }
    bool was_cut() const { return was_cut_; }
    SourceLocation where() const { return {input_.path(), line_number_}; }
    std::uint64_t bytes_read() const { return input_.bytes_read(); }

    static constexpr std::size_t kDefaultMaxLine = std::size_t{64} << 20;

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

/// The whole input in memory: for formats that are parsed in one go, fast (runs, LETOR).
BRAID_API std::string read_whole(const std::string& path);

/// The first bytes, unpacked, for guessing a format; leaves standard input alone (returns "").
BRAID_API std::string read_head(const std::string& path, std::size_t bytes = 4096);

}  // namespace braid
