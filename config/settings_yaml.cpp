// SPDX-License-Identifier: GPL-2.0-or-later
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "braid/config.h"
#include "braid/config/presets.h"
#include "braid/config/settings_schema.h"
#include "braid/config/source_text.h"
#include "braid/config/types.h"
#include "braid/config/yaml.h"
#include "braid/error.h"

namespace braid {
namespace {

using yaml::Node;
using yaml::SourceText;

Settings read_settings(const SourceText& source, const Node& root) {
    const yaml::Type<Settings>& type = yaml::settings_type();
    const std::vector<std::string> paths = yaml::all_paths(type.keys);
    return type.read(yaml::Place(source, root, paths));
}

bool names_a_file(const std::string& stop_words) {
    return stop_words != "none" && stop_words != "english";
}

/// The text of a configuration and its source.
struct SettingsFile {
    std::string name;              ///< For messages: the path, or "preset mail".
    std::filesystem::path folder;  ///< Absolute; empty for a preset.
    std::string text;
};

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
    while (text.size() <= yaml::kMaxTextSize) {
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

/// Reads the preset of that name, or else the file. Throws ConfigError if the file can't be read,
/// and UnknownComponent, listing the presets, for a word that is neither.
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

}  // namespace

Settings parse_settings(std::string_view text, const std::string& file) {
    const SourceText source(text, file);
    return read_settings(source, yaml::parse(source));
}

Settings load_settings(const std::string& path_or_preset) {
    const SettingsFile file = read_settings_file(path_or_preset);
    Settings settings = parse_settings(file.text, file.name);
    std::string& stop_words = settings.index.analysis.stop_words;
    if (!file.folder.empty() && names_a_file(stop_words)) {
        // The name goes into the database, which other folders' commands will open.
        stop_words = (file.folder / stop_words).lexically_normal().string();
    }
    TrainingSettings& training = settings.training;
    for (std::string* path : {&training.queries, &training.qrels, &training.clicks}) {
        if (file.folder.empty() || path->empty() || *path == "-") continue;
        *path = (file.folder / *path).lexically_normal().string();
    }
    return settings;
}

std::string format_settings(const Settings& settings, bool with_comments) {
    validate(settings.index);
    validate(settings.search);
    validate(settings.model);
    return yaml::write(yaml::settings_type().write(settings), with_comments);
}

FusionModel parse_model(std::string_view text, const std::string& file) {
    const SourceText source(text, file);
    const Node root = yaml::parse(source);
    Settings settings = read_settings(source, root);
    if (!has_entry(root, "model")) {
        source.fail(root.position, "model: found no such section, expected one with rankers");
    }
    return std::move(settings.model);
}

FusionModel load_model(const std::string& path_or_preset) {
    const SettingsFile file = read_settings_file(path_or_preset);
    return parse_model(file.text, file.name);
}

std::string format_model(const FusionModel& model) {
    validate(model);
    Node root = Node::map(false);
    root.entries.push_back({.key = "model", .value = yaml::model_type().write(model)});
    return yaml::write(root, false);
}

namespace {

// For a cell of a table: a bar would end it.
std::string cell(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

std::string row(const KeyInfo& key) {
    const std::string name = key.path.substr(key.path.find_last_of(".]") + 1);
    std::string initial = key.keys.empty() ? "`" + cell(key.default_value) + "`" : "see below";
    if (key.required) initial = "required";
    return fmt::format("| `{}` | {} | {} | {} |\n", name, cell(key.values), initial,
                       cell(key.summary));
}

bool is_list(const KeyInfo& key) { return key.keys.front().path.starts_with(key.path + "[]"); }

// A section for a key that has keys of its own, then sections for those of them that do.
std::string section(const KeyInfo& key) {
    std::string result = is_list(key) ? fmt::format("### {}: each entry\n\n", key.path)
                                      : fmt::format("### {}\n\n{}\n\n", key.path, key.summary);
    result += "| key | values | default | meaning |\n|---|---|---|---|\n";
    std::string below;
    for (const KeyInfo& each : key.keys) {
        if (each.keys.empty() || is_list(each)) result += row(each);
        if (!each.keys.empty()) below += "\n" + section(each);
    }
    return result + below;
}

}  // namespace

std::vector<KeyInfo> settings_keys() { return yaml::settings_type().keys; }

std::string settings_reference() {
    std::string result;
    for (const KeyInfo& key : settings_keys()) {
        result += (result.empty() ? "" : "\n") + section(key);
    }
    return result;
}

}  // namespace braid
