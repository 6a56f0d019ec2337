// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/base/registry.h"

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
BRAID_API void smooth_over_anchors(std::span<const double> features,
                                   const AnchorGraphOptions& options, double alpha,
                                   std::span<double> scores);

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

/// A fusion method's settings besides the pool, with all defaults filled in.
struct FusionSettings {
    ParameterMap parameters;
    ChoiceMap choices;
    std::vector<double> weights;  ///< Weights of the lists: one a list, >= 0.
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
BRAID_API const Registry<FusionInfo>& fusion_methods();

struct FusionOptions {
    std::string method = "rrf";
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    /// One of `normalisers()` that needs no bounds, applied to each list's scores; "": min-max for
    /// methods that use scores. With any normaliser, a list adds nothing to a document that it
    /// lacks.
    std::string normaliser = {};
    ParameterMap normaliser_parameters = {};
    /// Weights of the lists: >= 0, at least one positive; empty: equal weights.
    std::vector<double> weights = {};
};

/// A fusion method with validated options. Immutable: threads may share one.
class BRAID_API Fuser {
  public:
    /// Throws UnknownComponent for an unknown method, parameter, choice or normaliser. Throws
    /// InvalidArgument for a value or weight out of range, a normaliser that needs bounds, and a
    /// normaliser for a method that doesn't use scores.
    explicit Fuser(const FusionOptions& options);

    const FusionInfo& info() const { return *info_; }

    /// One score a document; higher is better. O(documents lists), times log(documents) for methods
    /// that use the order. Throws InvalidArgument if the pool's sizes don't match, the number of
    /// weights is not the number of lists, a score is infinite, or a feature is infinite or NaN.
    std::vector<double> fuse(const FusionPool& pool) const;

    /// The scores that list `list` adds, one a document. Only for methods that add up.
    std::vector<double> part(const FusionPool& pool, std::size_t list) const;

  private:
    void normalise(std::vector<double>& scores, std::size_t lists) const;
    std::vector<double> weights_for(std::size_t lists) const;
    std::vector<double> fuse(const FusionPool& pool, std::vector<double> weights) const;

    const FusionInfo* info_;
    FusionSettings settings_;
    std::string normaliser_;
    std::vector<double> normaliser_parameters_;
};

}  // namespace braid
