// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/models/fusion_model.h"
#include "braid/core/settings/analysis_settings.h"

namespace braid {

struct IndexSettings {
    AnalysisSettings analysis;
    std::vector<FieldSettings> fields = default_fields();
    /// Fields whose text is kept in the document data for showing results; "*" keeps all.
    std::vector<std::string> stored = {"*"};
    /// Documents between two commits. A killed writer loses at most this many.
    std::size_t batch = 10000;

    bool operator==(const IndexSettings&) const = default;
};

struct SearchSettings {
    std::string default_operator = "or";  ///< or, and: what joins a query's words.
    bool wildcards = false;               ///< `foo*` in queries.
    bool spelling = false;                ///< Suggest a spelling where nothing was found.
    std::size_t snippet_length = 200;     ///< Characters; 0 for no snippets.

    bool operator==(const SearchSettings&) const = default;
};

/// Everything one YAML file can say. An empty file means the defaults written here.
struct Settings {
    IndexSettings index;
    SearchSettings search;
    FusionModel model;  ///< What ranks where no model was trained or named.

    bool operator==(const Settings&) const = default;
};

}  // namespace braid
