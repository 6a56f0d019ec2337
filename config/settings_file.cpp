// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/settings_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "braid/config/presets.h"
#include "braid/config/source_text.h"
#include "braid/error.h"

namespace braid::yaml {
namespace {

[[noreturn]] void fail(const std::string& path, int error_number) {
    throw ConfigError(
        fmt::format("{}: can't be read: {}", path, std::generic_category().message(error_number)));
}

// One byte more than is allowed, at most, so that a device or a huge file can't fill the memory.
std::string read_text(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    if (file == nullptr) fail(path, errno);
    std::string text;
    char buffer[1 << 14];
    while (text.size() <= kMaxTextSize) {
        const std::size_t size = std::fread(buffer, 1, sizeof buffer, file.get());
        text.append(buffer, size);
        if (size < sizeof buffer) break;
    }
    if (std::ferror(file.get()) != 0) fail(path, errno);
    return text;
}

// Whether it can only be meant as a file: presets have neither folders nor endings.
bool looks_like_a_path(const std::string& name) {
    return name.find_first_of("/.") != std::string::npos;
}

}  // namespace

SettingsFile read_settings_file(const std::string& path_or_preset) {
    if (presets().contains(path_or_preset)) {
        return {"preset " + path_or_preset, {}, presets().find(path_or_preset).yaml};
    }
    std::error_code ignored;
    if (!looks_like_a_path(path_or_preset) && !std::filesystem::exists(path_or_preset, ignored)) {
        static_cast<void>(presets().find(path_or_preset));
    }
    const std::filesystem::path path = path_or_preset;
    return {path_or_preset, std::filesystem::absolute(path).parent_path(),
            read_text(path_or_preset)};
}

}  // namespace braid::yaml
