// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/presets.h"

#include <utility>
#include <vector>

namespace braid {
namespace {

// A preset begins with one line of comment that says what it is for.
std::string first_comment(const std::string& text) {
    const std::size_t begin = text.find_first_not_of("# ");
    return text.substr(begin, text.find('\n') - begin);
}

Registry<Preset> make_presets() {
    std::vector<Preset> entries;
    for (yaml::PresetText& preset : yaml::preset_texts()) {
        std::string summary = first_comment(preset.text);
        entries.push_back({std::move(preset.name), std::move(summary), std::move(preset.text)});
    }
    return Registry<Preset>("configuration", std::move(entries));
}

}  // namespace

const Registry<Preset>& presets() {
    static const Registry<Preset> registry = make_presets();
    return registry;
}

}  // namespace braid
