// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/config.h"
#include "braid/error.h"

namespace braid::test {

/// What parse_settings says of a text that it refuses, without the file's name; "" where it
/// doesn't refuse it. Any exception but ConfigError passes through and fails the test.
inline std::string config_error(std::string_view yaml) {
    try {
        parse_settings(yaml, "file.yaml");
    } catch (const ConfigError& error) {
        const std::string message = error.what();
        return message.starts_with("file.yaml:") ? message.substr(10) : "no file: " + message;
    }
    return "";
}

}  // namespace braid::test
