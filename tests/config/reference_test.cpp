// SPDX-License-Identifier: GPL-2.0-or-later
#include <set>

#include "braid/config.h"
#include "braid/config/presets.h"
#include "braid/config/types.h"
#include "braid/tests/config/config_errors.h"
#include "braid/tests/support/support.h"

using braid::KeyInfo;
using braid::settings_keys;

namespace {

const std::string kGuide = "docs/guide/configuration.md";

// The part of the guide between two comments that name it.
std::pair<std::size_t, std::size_t> generated_part(const std::string& guide,
                                                   const std::string& name) {
    const std::string begin = "<!-- generated: " + name + " -->\n";
    const std::size_t start = guide.find(begin);
    const std::size_t end = guide.find("<!-- end: " + name + " -->\n");
    REQUIRE(start != std::string::npos);
    REQUIRE(end != std::string::npos);
    return {start + begin.size(), end};
}

std::map<std::string, std::string> generated_parts() {
    std::string rows;
    for (const braid::Preset& preset : braid::presets()) {
        rows += "| `" + preset.name + "` | " + preset.summary + " |\n";
    }
    return {{"presets", "\n| name | for |\n|---|---|\n" + rows + "\n"},
            {"reference", "\n" + braid::settings_reference() + "\n"},
            {"defaults", "\n```yaml\n" + braid::format_settings({}, true) + "```\n\n"}};
}

void for_each_key(const std::vector<KeyInfo>& keys, const std::function<void(const KeyInfo&)>& f) {
    for (const KeyInfo& key : keys) {
        f(key);
        for_each_key(key.keys, f);
    }
}

}  // namespace

TEST_CASE("Reference: every key is documented, and says what it may be") {
    std::set<std::string> paths;
    for_each_key(settings_keys(), [&](const KeyInfo& key) {
        INFO(key.path);
        CHECK(paths.insert(key.path).second);
        CHECK(key.values != "");
        CHECK(key.summary.ends_with('.'));
        CHECK((key.default_value.empty() == (key.required || !key.keys.empty())));
    });
    for (const char* path :
         {"index", "index.analysis.stemmer", "index.fields[].prefix", "search.wildcards",
          "model.rankers[].parameters", "model.provenance.topic_models[].id"}) {
        CHECK(paths.count(path) == 1);
    }
}

TEST_CASE("Reference: the guide has what the schema says") {
    const std::string guide = braid::test::read_file(braid::test::source_dir() / kGuide);
    for (const auto& [name, text] : generated_parts()) {
        INFO("to write it anew: test_config '[regenerate]'");
        const auto [start, end] = generated_part(guide, name);
        CHECK(guide.substr(start, end - start) == text);
    }
}

TEST_CASE("Reference: the guide's examples are valid, and say something") {
    const std::string guide = braid::test::read_file(braid::test::source_dir() / kGuide);
    const std::string fence = "```yaml\n";
    std::size_t examples = 0;
    for (std::size_t at = guide.find(fence); at != std::string::npos; at = guide.find(fence, at)) {
        at += fence.size();
        const std::string example = guide.substr(at, guide.find("```", at) - at);
        INFO(example);
        CHECK(braid::test::config_error(example) == "");
        ++examples;
    }
    CHECK(examples >= 4);
}

TEST_CASE("Reference: the messages in the guide are those that files get") {
    const std::string guide = braid::test::read_file(braid::test::source_dir() / kGuide);
    for (const char* wrong : {"index: {fields: [{name: a}, {name: b, prefx: S}]}",
                              "index: {batch: 10k}", "search: {wildcards: yes}"}) {
        const std::string message = braid::test::config_error(wrong);
        INFO(message);
        CHECK(guide.find(message.substr(message.find(": ")) + "\n") != std::string::npos);
    }
}

TEST_CASE("Reference: write the guide's generated parts anew", "[.regenerate]") {
    const auto path = braid::test::source_dir() / kGuide;
    std::string guide = braid::test::read_file(path);
    for (const auto& [name, text] : generated_parts()) {
        const auto [start, end] = generated_part(guide, name);
        guide.replace(start, end - start, text);
    }
    braid::test::write_file(path, guide);
}
