// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/output/output.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid::cli {
namespace {

bool shows_bold() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb" && isatty(STDOUT_FILENO) != 0;
}

// Bold type as a terminal takes it, or without; never beyond its line.
std::string with_type(std::string_view text) {
    const bool bold = shows_bold();
    bool is_on = false;
    std::string result;
    for (const char c : text) {
        const bool ends = is_on && (c == kPlain || c == '\n');
        if (ends && bold) result += "\033[0m";
        if (c == kBold && bold) result += "\033[1m";
        if (c != kBold && c != kPlain) result += c;
        is_on = c == kBold || (is_on && !ends);
    }
    return result;
}

// "\u202e" for what visible() writes out: two of them beyond 16 bits.
std::string json_escape(std::string_view character) {
    const std::string escaped = nlohmann::json(std::string(character)).dump(-1, ' ', true);
    return escaped.substr(1, escaped.size() - 2);
}

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const std::string& path) {
    throw Error(
        fmt::format("{}: can't be written: {}", path, std::generic_category().message(errno)));
}

// Removes the new file unless it was moved to its place.
class NewFile {
  public:
    NewFile(std::string path, int flags) : path_(std::move(path)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
        if (descriptor_ < 0) fail_to_write(path_);
        is_new_ = (flags & O_CREAT) != 0;
    }
    ~NewFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (is_new_) ::unlink(path_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail_to_write(path_);
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void close() {
        if (is_new_ && ::fsync(descriptor_) != 0) fail_to_write(path_);
        const int descriptor = descriptor_;
        descriptor_ = -1;
        if (::close(descriptor) != 0) fail_to_write(path_);
    }
    void move_to(const std::string& path) {
        if (std::rename(path_.c_str(), path.c_str()) != 0) fail_to_write(path);
        is_new_ = false;
    }

  private:
    std::string path_;
    int descriptor_ = -1;
    bool is_new_ = false;
};

bool is_device(const std::string& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

// Where a link leads, so that it stays a link.
std::string target_of(const std::string& path) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(path, error);
    return error ? path : target.string();
}

}  // namespace

void print_text(std::string_view text) {
    constexpr char kKept[] = {'\n', kBold, kPlain, '\0'};
    fmt::print(stdout, "{}", with_type(visible(text, kKept)));
}

void tell(std::string_view line) { fmt::print(stderr, "{}\n", visible(line)); }

void tell_out_of_memory() noexcept {
    // stderr has no buffer to allocate.
    std::fputs(
        "braid: out of memory: the command needs more than the machine, or a limit on the process, "
        "allows\n",
        stderr);
}

void show_status(std::string_view line) {
    fmt::print(stderr, "\r{}\033[K", visible(line));
    std::fflush(stderr);
}

void print_data(std::string_view bytes) { fmt::print(stdout, "{}", bytes); }

nlohmann::ordered_json finite_json(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string four_places(double value) { return fmt::format("{:.4f}", value); }

std::string signed_four_places(double value) { return fmt::format("{:+.4f}", value); }

std::string json_text(const nlohmann::ordered_json& json, int indent) {
    using Handler = nlohmann::ordered_json::error_handler_t;
    const std::string text = json.dump(indent, ' ', false, Handler::replace);
    if (visible(text, "\n") == text) return text + "\n";
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_sequence_length(text, i);
        const std::string_view character = std::string_view(text).substr(i, length);
        const bool hidden = character != "\n" && visible(character) != character;
        result += hidden ? json_escape(character) : std::string(character);
        i += length;
    }
    return result + "\n";
}

void print_json(const nlohmann::ordered_json& json, int indent) {
    print_data(json_text(json, indent));
    try {
        json.dump();
    } catch (const nlohmann::json::type_error&) {
        tell("warning: JSON can't hold bytes that are not UTF-8; they are printed as U+FFFD");
    }
}

std::string flush_output() {
    errno = 0;
    return std::fflush(stdout) != 0 || output_failed() ? std::strerror(errno) : "";
}

bool output_failed() { return std::ferror(stdout) != 0; }

void check_writable(const std::string& path) {
    if (is_device(path)) return;
    const fs::path target = target_of(path);
    if (fs::is_directory(target)) {
        errno = EISDIR;
        fail_to_write(path);
    }
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    if (::access(folder.c_str(), W_OK | X_OK) != 0) fail_to_write(path);
}

void append_to_log(const std::string& path, std::string_view header, std::string_view lines) {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) fail_to_write(path);
    // Released with the file.
    struct stat status {};
    bool is_written = ::flock(file, LOCK_EX) == 0 && ::fstat(file, &status) == 0;
    std::string text(is_written && status.st_size == 0 ? header : "");
    text += lines;
    is_written =
        is_written && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    ::close(file);
    errno = error;
    if (!is_written) fail_to_write(path);
}

void write_file(const std::string& path, std::string_view text) {
    if (is_device(path)) {
        NewFile device(path, 0);
        device.write(text);
        device.close();
        return;
    }
    const std::string target = target_of(path);
    NewFile file(fmt::format("{}.new-{}", target, ::getpid()), O_CREAT | O_EXCL);
    file.write(text);
    file.close();
    file.move_to(target);
}

}  // namespace braid::cli
