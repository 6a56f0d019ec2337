// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <vector>

#include "braid/config.h"
#include "braid/config/presets.h"
#include "braid/config/settings_file.h"
#include "braid/config/settings_schema.h"
#include "braid/config/source_text.h"
#include "braid/config/yaml_parser.h"
#include "braid/config/yaml_writer.h"

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

}  // namespace

Settings parse_settings(std::string_view text, const std::string& file) {
    const SourceText source(text, file);
    return read_settings(source, yaml::parse(source));
}

Settings load_settings(const std::string& path_or_preset) {
    const yaml::SettingsFile file = yaml::read_settings_file(path_or_preset);
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
    const yaml::SettingsFile file = yaml::read_settings_file(path_or_preset);
    return parse_model(file.text, file.name);
}

std::string format_model(const FusionModel& model) {
    validate(model);
    Node root = Node::map(false);
    root.entries.push_back({.key = "model", .value = yaml::model_type().write(model)});
    return yaml::write(root, false);
}

}  // namespace braid
