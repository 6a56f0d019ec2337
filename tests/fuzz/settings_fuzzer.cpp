// SPDX-License-Identifier: GPL-2.0-or-later
// Configurations as YAML: what is read is written in a form that reads back equal; what is refused
// is refused by a ConfigError of one line.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "braid/config.h"
#include "braid/error.h"

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const braid::Settings settings = braid::parse_settings(text, "fuzz.yaml");
        for (const bool comments : {false, true}) {
            const std::string written = braid::format_settings(settings, comments);
            require(braid::parse_settings(written, "written.yaml") == settings);
        }
    } catch (const braid::ConfigError& error) {
        const std::string message = error.what();
        require(message.starts_with("fuzz.yaml:"));
        require(message.find('\n') == std::string::npos);
    }
    return 0;
}
