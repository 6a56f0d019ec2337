// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <regex>

#include "braid/tests/architecture/build_lists.h"
#include "braid/tests/architecture/code_scanner.h"
#include "braid/tests/architecture/rules.h"

namespace braid::architecture {
namespace {

constexpr std::size_t kMaxHeader = 200;
constexpr std::size_t kMaxSource = 600;
constexpr std::size_t kMaxFunction = 60;

constexpr std::string_view kLicence = "// SPDX-License-Identifier: GPL-2.0-or-later\n";

// A test program may list its cases one after the other, in one function.
bool may_be_long(const SourceFile& file) { return file.is_below("tests"); }

Violations lengths_of(const SourceFile& file) {
    Violations violations;
    const auto lines =
        static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n'));
    const std::size_t most = file.is_header() ? kMaxHeader : kMaxSource;
    if (lines > most) {
        violations.push_back(
            {file.path, 0,
             "has " + std::to_string(lines) + " lines, expected at most " + std::to_string(most)});
    }
    if (may_be_long(file)) return violations;
    for (const FunctionBody& function : scan_code(file.text).functions) {
        const std::size_t length = function.last - function.first + 1;
        if (length <= kMaxFunction) continue;
        violations.push_back({file.path, function.first,
                              "a function of " + std::to_string(length) +
                                  " lines, expected at most " + std::to_string(kMaxFunction)});
    }
    return violations;
}

struct Sign {
    std::string_view bytes;
    std::string_view instead;
};

constexpr std::array<Sign, 9> kSigns = {{{"\xE2\x80\x90", "-"},
                                         {"\xE2\x80\x91", "-"},
                                         {"\xE2\x80\x93", "-"},
                                         {"\xE2\x80\x94", "a comma or a colon"},
                                         {"\xE2\x80\x98", "'"},
                                         {"\xE2\x80\x99", "'"},
                                         {"\xE2\x80\x9C", "\""},
                                         {"\xE2\x80\x9D", "\""},
                                         {"\xE2\x80\xA6", "..."}}};

}  // namespace

Violations check_lengths(const SourceTree& tree,
                         const std::map<std::string, std::string>& excused) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code()) continue;
        const Violations found = lengths_of(file);
        if (excused.count(file.path) == 0) {
            violations.insert(violations.end(), found.begin(), found.end());
        } else if (found.empty()) {
            violations.push_back({file.path, 0, "is excused from the limits, but keeps them"});
        }
    }
    for (const auto& [path, reason] : excused) {
        if (tree.paths.count(path) == 0) {
            violations.push_back({path, 0, "is excused from the limits, but isn't there"});
        }
        if (reason.empty()) violations.push_back({path, 0, "is excused without a reason"});
    }
    return violations;
}

Violations check_file_heads(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code()) continue;
        if (!file.text.starts_with(kLicence)) {
            violations.push_back({file.path, 1, "doesn't begin with its licence"});
        }
        if (file.is_header() && file.text.find("\n#pragma once\n") == std::string::npos) {
            violations.push_back({file.path, 0, "is a header without #pragma once"});
        }
    }
    return violations;
}

Violations check_build_lists(const SourceTree& tree) {
    Violations violations;
    const BuildLists lists = read_build_lists(tree);
    for (const SourceFile& file : tree.files) {
        if (!file.is_source() || lists.named.count(file.path) > 0) continue;
        violations.push_back({file.path, 0, "is in no CMakeLists.txt"});
    }
    return violations;
}

Violations check_fuzz_targets(const SourceTree& tree) {
    const std::regex registered(R"(register_(?:posting_source|weighting_scheme)\((\w+)\()");
    const std::regex stored(R"re(magic = ("Br\w\w"),\s*\.version = (\d+))re");
    std::set<std::string> targets;
    std::set<std::string> formats;
    const auto each = [](const std::string& text, const std::regex& pattern, const auto& take) {
        for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
             at != std::sregex_iterator(); ++at) {
            take(*at);
        }
    };
    for (const SourceFile& file : tree.files) {
        if (!file.is_below("tests/fuzz")) continue;
        each(file.text, std::regex(R"(\b[A-Z]\w+)"),
             [&](auto& name) { targets.insert(name.str()); });
        each(file.text, std::regex(R"re(("Br\w\w"), (\d+))re"),
             [&](auto& format) { formats.insert(format.str()); });
    }
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_source() || file.is_below("tests")) continue;
        each(file.text, registered, [&](auto& known) {
            if (targets.contains(known[1])) return;
            violations.push_back({file.path, line_of(file.text, known.position()),
                                  "registers " + known[1].str() + ", which has no fuzz target"});
        });
        // Older versions that are still written are those of a format that is there as well.
        std::map<std::string, std::pair<int, std::size_t>> newest;
        each(file.text, stored, [&](auto& format) {
            newest[format[1]] =
                std::max(newest[format[1]], {std::stoi(format[2]), format.position()});
        });
        for (const auto& [magic, version] : newest) {
            const std::string format = magic + ", " + std::to_string(version.first);
            if (formats.contains(format)) continue;
            violations.push_back({file.path, line_of(file.text, version.second),
                                  "stores " + format + ", which no fuzz target reads"});
        }
    }
    return violations;
}

Violations check_punctuation(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        for (const Sign& sign : kSigns) {
            const std::size_t at = file.text.find(sign.bytes);
            if (at == std::string::npos) continue;
            violations.push_back(
                {file.path, line_of(file.text, at),
                 "has '" + std::string(sign.bytes) + "', expected " + std::string(sign.instead)});
        }
    }
    return violations;
}

}  // namespace braid::architecture
