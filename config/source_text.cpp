// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/source_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid::yaml {
namespace {

constexpr std::size_t kMaxBracketDepth = 1000;

bool is_forbidden(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '\r') return at + 1 == text.size() || text[at + 1] != '\n';
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

}  // namespace

SourceText::SourceText(std::string_view text, const std::string& file)
    : text_(text), file_(file), line_starts_{0} {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (text_.size() > kMaxTextSize) {
        fail({}, fmt::format("found {} bytes, expected at most {}", text_.size(), kMaxTextSize));
    }
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (text_[i] == '\n') line_starts_.push_back(i + 1);
    }
    check();
}

void SourceText::check() const {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text_.size();) {
        const std::size_t length = utf8_sequence_length(text_, i);
        const auto byte = static_cast<unsigned char>(text_[i]);
        if (length == 0) {
            fail_at(i, fmt::format("found the byte 0x{:02X}, expected UTF-8", byte));
        }
        if (is_forbidden(text_, i)) {
            fail_at(i, fmt::format("found the control character 0x{:02X}, expected text", byte));
        }
        // Counts brackets in quotes and comments too: no text that is meant has so many.
        if (byte == '[' || byte == '{') {
            if (++depth > kMaxBracketDepth) fail_at(i, "found brackets nested too deep");
        } else if ((byte == ']' || byte == '}') && depth > 0) {
            --depth;
        }
        i += length;
    }
}

std::string_view SourceText::line(std::size_t line) const {
    if (line >= line_starts_.size()) return "";
    const std::size_t start = line_starts_[line];
    const std::size_t end =
        line + 1 < line_starts_.size() ? line_starts_[line + 1] - 1 : text_.size();
    return text_.substr(start, end - start);
}

std::size_t SourceText::offset(std::size_t line, std::size_t byte) const {
    if (line >= line_starts_.size()) return text_.size();
    return std::min(line_starts_[line] + byte, text_.size());
}

Position SourceText::position(std::size_t line, std::size_t byte) const {
    line = std::min(line, line_starts_.size() - 1);
    const std::string_view before = this->line(line).substr(0, byte);
    const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    return {line + 1, static_cast<std::size_t>(characters) + 1};
}

void SourceText::fail(Position position, const std::string& problem) const {
    throw ConfigError(fmt::format("{}:{}:{}: {}", file_, position.line, position.column, problem));
}

void SourceText::fail_at(std::size_t offset, const std::string& problem) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const auto line = static_cast<std::size_t>(after - line_starts_.begin()) - 1;
    fail(position(line, offset - line_starts_[line]), problem);
}

namespace {

std::string describe(const Node& node) {
    switch (node.kind) {
        case Node::Kind::kEmpty:
            return "nothing";
        case Node::Kind::kScalar:
            return shown(node.text) + (node.plain ? "" : " in quotes");
        case Node::Kind::kList:
            return node.items.empty() ? "an empty list" : "a list";
        case Node::Kind::kMap:
            return node.entries.empty() ? "an empty map" : "a map";
    }
    return "";
}

// A key as a step of a path; one that would not be read as such is quoted.
std::string step_of(const std::string& key) {
    const std::string quoted = shown(key);
    return quoted == "'" + key + "'" ? key : quoted;
}

std::string join(const std::string& path, std::string_view step) {
    if (path.empty()) return std::string(step);
    if (step.empty() || step.front() == '[') return path + std::string(step);
    return path + "." + std::string(step);
}

// The first step of a path: "fields" or "[2]"; takes it off, with the dot behind it.
std::string_view take_step(std::string_view& path) {
    const std::size_t end = path.front() == '[' ? path.find(']') + 1 : path.find_first_of(".[");
    const std::string_view step = path.substr(0, end);
    path.remove_prefix(step.size());
    if (path.starts_with('.')) path.remove_prefix(1);
    return step;
}

const Node* find_child(const Node& node, std::string_view step) {
    if (step.front() == '[') {
        std::size_t index = 0;
        std::from_chars(step.data() + 1, step.data() + step.size(), index);
        return index < node.items.size() ? &node.items[index] : nullptr;
    }
    for (const Entry& entry : node.entries) {
        if (entry.key == step) return &entry.value;
    }
    return nullptr;
}

// The last name of a path without marks of lists: "prefix" of "index.fields[].prefix".
std::string last_name(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

// A key of that very name in another map, or of a name close to it; best below `path`.
std::string key_elsewhere(const std::string& key, const std::string& path,
                          const std::vector<std::string>& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const std::string& other : known) names.push_back(last_name(other));
    const std::string near = nearest_word(key, names);
    std::string best;
    for (std::size_t i = 0; i < known.size() && !near.empty(); ++i) {
        if (names[i] != near) continue;
        if (known[i].starts_with(path)) return known[i];
        if (best.empty()) best = known[i];
    }
    return best;
}

std::string suggestion(const std::string& word) {
    return word.empty() ? "" : "; did you mean '" + word + "'?";
}

}  // namespace

std::string comma_list(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
    return result;
}

Place::Place(const SourceText& source, const Node& root,
             const std::vector<std::string>& known_paths)
    : source_(&source), known_paths_(&known_paths), node_(&root) {}

Place Place::entry(const Entry& entry) const {
    Place place = *this;
    place.node_ = &entry.value;
    place.path_ = join(path_, step_of(entry.key));
    return place;
}

Place Place::item(std::size_t index) const {
    Place place = *this;
    place.node_ = &node_->items[index];
    place.path_ = join(path_, fmt::format("[{}]", index));
    return place;
}

void Place::fail(const std::string& expected, const std::vector<std::string>& allowed) const {
    std::string problem = fmt::format("found {}, expected {}", describe(*node_), expected);
    if (node_->kind == Node::Kind::kScalar) {
        problem += suggestion(nearest_word(node_->text, allowed));
    }
    fail_below("", problem);
}

void Place::fail_unknown(const Entry& entry, const std::vector<std::string>& known) const {
    std::string near = nearest_word(entry.key, known);
    if (near.empty()) near = key_elsewhere(entry.key, path_, *known_paths_);
    source_->fail(entry.position, fmt::format("{}: found an unknown key, expected {}{}",
                                              join(path_, step_of(entry.key)), comma_list(known),
                                              suggestion(near)));
}

void Place::fail_below(std::string_view path, const std::string& problem) const {
    const std::string whole = join(path_, path);
    const Node* deepest = node_;
    while (!path.empty()) {
        const Node* child = find_child(*deepest, take_step(path));
        if (child == nullptr) break;
        deepest = child;
    }
    source_->fail(deepest->position, whole.empty() ? problem : whole + ": " + problem);
}

}  // namespace braid::yaml
