// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/query_vectors.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/ranking/query_features.h"

namespace braid::cli {
namespace {

// In an error.
constexpr std::size_t kNamedQueries = 10;

}  // namespace

NamedFile named_file(const std::string& text, const std::string& usual_name) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return {usual_name, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

VectorOptions vector_reading(const Session& session) {
    return {.max_line = session.limits.line, .max_dimensions = session.limits.dimensions};
}

QueryVectors::QueryVectors(const std::vector<std::string>& files, const VectorOptions& reading,
                           const std::string& usual_name) {
    for (const std::string& text : files) {
        const NamedFile named = named_file(text, usual_name);
        const auto [entry, is_new] = entries_.try_emplace(named.name);
        if (!is_new) {
            throw InvalidArgument(fmt::format("vectors of queries: '{}' is given by {} and by {}",
                                              named.name, entry->second.file, named.file));
        }
        entry->second.file = named.file;
        entry->second.vectors = read_vectors(named.file, reading);
        const std::vector<std::string>& ids = entry->second.vectors.ids;
        for (std::size_t i = 0; i < ids.size(); ++i) entry->second.rows.emplace(ids[i], i);
    }
}

QueryVectors QueryVectors::embeddings(const std::vector<std::string>& files,
                                      const VectorOptions& reading) {
    QueryVectors read(files, reading, "embedding");
    for (const auto& [name, entry] : read.entries_) {
        for (std::size_t i = 0; i < entry.vectors.size(); ++i) {
            const auto row = entry.vectors.row(i);
            if (std::any_of(row.begin(), row.end(), [](float value) { return value != 0; })) {
                continue;
            }
            const std::vector<std::string>& ids = entry.vectors.ids;
            throw InvalidArgument(fmt::format(
                "{}: the embedding {} is all zero, expected numbers other than 0", entry.file,
                ids.empty() ? fmt::format("in row {} (from 0)", i) : "of query " + ids[i]));
        }
    }
    return read;
}

std::map<std::string, std::size_t> QueryVectors::dimensions() const {
    std::map<std::string, std::size_t> result;
    for (const auto& [name, entry] : entries_) result.emplace(name, entry.vectors.dimensions);
    return result;
}

std::map<std::string, std::vector<float>> QueryVectors::single() const {
    std::map<std::string, std::vector<float>> result;
    for (const auto& [name, entry] : entries_) {
        if (entry.vectors.size() != 1) {
            throw InvalidArgument(fmt::format("{} has {} vectors, expected one, the query's",
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

void QueryVectors::add_to(TrainingSet& set) const {
    check_count(set.queries.size());
    const std::size_t before = set.query_feature_names.size();
    for (const auto& [name, size] : dimensions()) {
        for (std::size_t i = 0; i < size; ++i) {
            set.query_feature_names.push_back(embedding_feature(name, i));
        }
    }
    std::vector<double> features;
    features.reserve(set.queries.size() * set.query_feature_names.size());
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const auto own = set.query_features.begin() + static_cast<std::ptrdiff_t>(q * before);
        features.insert(features.end(), own, own + static_cast<std::ptrdiff_t>(before));
        const auto vectors = of(set.queries[q], q);
        for (const auto& [name, entry] : entries_) {
            const auto found = vectors.find(name);
            if (found == vectors.end()) {
                throw InvalidArgument(
                    fmt::format("{}: has no embedding of the query {}, expected one for each query",
                                entry.file, shown(set.queries[q])));
            }
            features.insert(features.end(), found->second.begin(), found->second.end());
        }
    }
    set.query_features = std::move(features);
}

void add_query_extras(CLI::App& command, QueryExtras& extras) {
    add_values(command, "--query-vectors", extras.vectors, "[NAME=]FILE",
               "Query vectors, called NAME in models [vectors]: .npy or JSON lines, by query "
               "id or in query order");
    add_value(command, "--now", extras.now, "SECONDS",
              "The time that ages count from, in seconds since 1970 UTC [now, read once for "
              "all queries]")
        ->check(CLI::PositiveNumber);
}

std::vector<QueryInputs> query_inputs(const QueryExtras& extras,
                                      const std::vector<SourceQuery>& queries,
                                      const Session& session) {
    const QueryVectors vectors(extras.vectors, vector_reading(session));
    vectors.check_count(queries.size());
    const double now = extras.now > 0 ? extras.now : clock_time();
    std::vector<QueryInputs> inputs;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        inputs.push_back({.vectors = vectors.of(queries[i].id, i), .now = now});
    }
    return inputs;
}

void check_vectors(const FusionModel& model, bool all, const std::vector<std::string>& ids,
                   const std::vector<QueryInputs>& inputs) {
    for (const RankerSpec& spec : model.rankers) {
        if (family_of(spec) != RankerFamily::kVector || (!all && !(spec.weight > 0))) continue;
        const std::string name = topic_model_of(spec);
        std::string without;
        std::size_t count = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (inputs[i].vectors.contains(name)) continue;
            if (++count <= kNamedQueries) without += (count > 1 ? ", " : "") + ids[i];
        }
        if (count == 0) continue;
        if (count > kNamedQueries) without += fmt::format(" and {} more", count - kNamedQueries);
        throw InvalidArgument(
            fmt::format("ranker {}: {} of {} queries have no vector '{}' (--query-vectors): {}",
                        spec.label(), count, ids.size(), name, without));
    }
}

bool reads_vectors(const std::vector<FusionModel>& models, const std::string& name) {
    return std::any_of(models.begin(), models.end(), [&](const FusionModel& model) {
        return std::any_of(model.rankers.begin(), model.rankers.end(), [&](const auto& spec) {
            return family_of(spec) == RankerFamily::kVector && topic_model_of(spec) == name;
        });
    });
}

std::string unread_vectors(const std::string& option, const std::string& name) {
    return fmt::format(
        "{}: no ranker of the model reads the vectors '{}', so they change nothing; a model with "
        "`ranker: vector` does (docs/guide/topics.md)",
        option, name);
}

bool counts_ages(const FusionModel& model) {
    return std::any_of(model.rankers.begin(), model.rankers.end(),
                       [](const RankerSpec& spec) { return spec.ranker == "value-decay"; });
}

void note_time(const FusionModel& model, double now, const Session& session) {
    if (!counts_ages(model)) return;
    session.note(fmt::format("ages are counted from --now {:.0f}, {:%Y-%m-%d %H:%M:%S} UTC", now,
                             fmt::gmtime(static_cast<std::time_t>(now))));
}

}  // namespace braid::cli
