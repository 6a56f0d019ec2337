// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace braid::yaml {

/// The text of a configuration and its source.
struct SettingsFile {
    std::string name;              ///< For messages: the path, or "preset mail".
    std::filesystem::path folder;  ///< Absolute; empty for a preset.
    std::string text;
};

/// Reads the preset of that name, or else the file. Throws ConfigError if the file can't be read,
/// and UnknownComponent, listing the presets, for a word that is neither.
SettingsFile read_settings_file(const std::string& path_or_preset);

}  // namespace braid::yaml
