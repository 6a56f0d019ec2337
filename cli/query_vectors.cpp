// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/query_vectors.h"

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/models/model_rankers.h"

namespace braid::cli {

NamedFile named_file(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return {kVectorsModel, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

QueryVectors::QueryVectors(const std::vector<std::string>& files) {
    for (const std::string& text : files) {
        const NamedFile named = named_file(text);
        const auto [entry, is_new] = entries_.try_emplace(named.name);
        if (!is_new) {
            throw InvalidArgument(fmt::format("vectors of queries: '{}' is given by {} and by {}",
                                              named.name, entry->second.file, named.file));
        }
        entry->second.file = named.file;
        entry->second.vectors = read_vectors(named.file);
        const std::vector<std::string>& ids = entry->second.vectors.ids;
        for (std::size_t i = 0; i < ids.size(); ++i) entry->second.rows.emplace(ids[i], i);
    }
}

std::map<std::string, std::vector<float>> QueryVectors::single() const {
    std::map<std::string, std::vector<float>> result;
    for (const auto& [name, entry] : entries_) {
        if (entry.vectors.size() != 1) {
            throw InvalidArgument(fmt::format("{} has {} vectors, expected the query's alone",
                                              entry.file, entry.vectors.size()));
        }
        result.emplace(name, entry.vectors.values);
    }
    return result;
}

void QueryVectors::check_count(std::size_t queries) const {
    for (const auto& [name, entry] : entries_) {
        if (!entry.rows.empty() || entry.vectors.size() == queries) continue;
        throw InvalidArgument(
            fmt::format("{} has {} vectors without ids, expected {}, in the order of the queries",
                        entry.file, entry.vectors.size(), queries));
    }
}

std::map<std::string, std::vector<float>> QueryVectors::of(const std::string& id,
                                                           std::size_t place) const {
    std::map<std::string, std::vector<float>> result;
    for (const auto& [name, entry] : entries_) {
        std::size_t row = place;
        if (!entry.rows.empty()) {
            const auto found = entry.rows.find(id);
            if (found == entry.rows.end()) continue;
            row = found->second;
        }
        const auto vector = entry.vectors.row(row);
        result.emplace(name, std::vector<float>(vector.begin(), vector.end()));
    }
    return result;
}

}  // namespace braid::cli
