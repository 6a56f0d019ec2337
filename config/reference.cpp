// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "braid/config/settings_schema.h"
#include "braid/config/types.h"

namespace braid {
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
