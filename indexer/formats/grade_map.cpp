// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/grade_map.h"

#include <cmath>
#include <limits>

#include "braid/core/base/error.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

std::optional<Grade> whole(double value) {
    if (!(std::abs(value) <= std::numeric_limits<Grade>::max())) return std::nullopt;
    if (value != std::floor(value)) return std::nullopt;
    return static_cast<Grade>(value);
}

[[noreturn]] void refuse(std::string_view part, const std::string& problem) {
    throw InvalidArgument("grade map: " + quoted(part) + ": " + problem +
                          "; expected grade=grade, for example 1=3,2=2,all=0");
}

}  // namespace

GradeMap::GradeMap(const std::string& text) {
    std::string_view rest = text;
    while (!trim(rest).empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = trim(rest.substr(0, comma));
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) refuse(part, "there is no =");
        const std::string_view left = trim(part.substr(0, equals));
        const std::string_view right = trim(part.substr(equals + 1));
        Entry entry;
        if (right != "same") {
            const auto value = parse_number(right);
            if (value) entry.to = whole(*value);
            if (!entry.to) refuse(part, quoted(right) + " is no whole number and not 'same'");
        }
        if (left == "all") {
            if (others_) refuse(part, "'all' is there twice");
            others_ = entry;
            continue;
        }
        const auto from = parse_number(left);
        if (!from || !std::isfinite(*from)) refuse(part, quoted(left) + " is no number");
        entry.from = *from;
        for (const Entry& other : entries_) {
            if (other.from == entry.from) refuse(part, quoted(left) + " is there twice");
        }
        entries_.push_back(entry);
    }
}

std::optional<Grade> GradeMap::map(double grade) const {
    if (empty()) return whole(grade);
    const Entry* found = others_ ? &*others_ : nullptr;
    for (const Entry& entry : entries_) {
        if (entry.from == grade) found = &entry;
    }
    if (found == nullptr) return std::nullopt;
    return found->to ? found->to : whole(grade);
}

}  // namespace braid
