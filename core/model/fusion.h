// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/fuse.h"
#include "braid/parameters.h"

namespace braid {

struct AnchorGraphOptions {
    std::size_t anchors = 20;
    std::size_t neighbours = 3;
    /// Treats a document whose features are all zero as having no place: it has no neighbours and
    /// keeps its score.
    bool zero_is_nowhere = false;
};

/// Replaces `scores`, one a document, by (1 - alpha) (I - alpha S)^-1 scores, where S connects
/// documents through the best-scored ones (anchors); docs/algorithms/fusion.md (6) to (9).
/// `features` are row-major, finite, and equally many for each document; 0 <= alpha < 1.
/// O(documents anchors (features + neighbours) + anchors^3).
void smooth_over_anchors(std::span<const double> features, const AnchorGraphOptions& options,
                         double alpha, std::span<double> scores);

/// The documents that several lists found for one query. Borrows all.
struct FusionPool {
    std::size_t lists = 0;
    /// Row-major, documents x lists; NaN if the list lacks the document. No infinities.
    std::span<const double> scores;
    /// Row-major, documents x any width: coordinates in which similar documents are near; all zero
    /// for a document without a place. Read only by amanx with graph=features.
    std::span<const double> features = {};

    std::size_t documents() const { return lists == 0 ? 0 : scores.size() / lists; }
};

/// A fusion method, without learning. docs/algorithms/fusion.md numbers the formulas.
struct FusionInfo {
    std::string name;     ///< "rrf"
    std::string summary;  ///< One line with the formula.
    std::string source;
    std::vector<ParameterInfo> parameters = {};
    std::vector<ChoiceInfo> choices = {};
    /// Uses scores, so a normaliser must make them comparable; other methods use each list's order
    /// only.
    bool uses_scores = true;
    /// A document's score is the sum of the scores it gets from each list alone.
    bool adds_up = false;
    /// Writes one score a document to `fused`. A pure function of its arguments.
    std::function<void(const FusionPool&, const FusionSettings&, std::span<double> fused)> fuse;
};

/// All fusion methods. A new one is a line in core/model/fusion.cpp.
const Registry<FusionInfo>& fusion_methods();

}  // namespace braid
