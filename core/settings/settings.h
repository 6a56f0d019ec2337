// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/settings/analysis_settings.h"
#include "braid/core/settings/limits.h"
#include "braid/core/settings/topic_settings.h"

namespace braid {

struct IndexSettings {
    AnalysisSettings analysis = {};
    std::vector<FieldSettings> fields = default_fields();
    /// Fields whose text is stored in the document data, to show results; "*" stores all.
    std::vector<std::string> stored = {"*"};

    static constexpr std::size_t kMaxBatch = 100'000'000;
    /// Documents between two commits. A killed writer loses at most this many.
    std::size_t batch = 10000;

    bool operator==(const IndexSettings&) const = default;
};

struct SearchSettings {
    std::string default_operator = "or";  ///< or, and: what joins a query's words.
    bool wildcards = false;               ///< `foo*` in queries.
    bool spelling = false;                ///< Suggests a spelling if nothing was found.

    using Candidates = braid::Candidates;
    /// Which documents a query finds; empty: the model's choice (FusionModel::candidates).
    std::optional<Candidates> candidates = {};

    static constexpr std::size_t kMaxClustersVisited = 1'000'000;
    /// With kHybrid: clusters to visit, the most promising first; 0: all that can have a result,
    /// which makes the answer exact.
    std::size_t clusters_visited = 0;

    static constexpr std::size_t kMaxSnippetLength = 100'000;
    std::size_t snippet_length = 200;  ///< Characters; 0 for no snippets.

    bool operator==(const SearchSettings&) const = default;
};

/// The contents of a YAML file. An empty file gives these defaults.
struct Settings {
    IndexSettings index;
    SearchSettings search;
    Limits limits;
    std::vector<TopicSettings> topics;  ///< Topic models to learn, with distinct names.
    FusionModel model;                  ///< Ranks if no model was trained or named.

    bool operator==(const Settings&) const = default;
};

/// Throws InvalidSetting for a value out of its range, and for settings that contradict each other
/// or would have no effect: two fields of one name or slot, `exact` without a prefix, a field that
/// is neither searched nor filtered nor sorted by. Doesn't check whether the stemmer and the stop
/// word file exist: their use does.
BRAID_API void validate(const IndexSettings& settings);

/// Throws InvalidSetting for a value out of its range.
BRAID_API void validate(const SearchSettings& settings);

/// Throws as `validate(const TopicSettings&)` does, naming the index in the list, and for two
/// models of one name.
BRAID_API void validate(const std::vector<TopicSettings>& settings);

/// The first difference that changes the index, with both values, `first`'s first: "stemmer:
/// english, german"; "" if they index alike. Stop words are compared word by word and must be
/// resolved (resolve_stop_words); `batch` is ignored.
BRAID_API std::string difference(const IndexSettings& first, const IndexSettings& second);

}  // namespace braid
