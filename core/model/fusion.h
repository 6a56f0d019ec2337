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
    /// Documents whose features are all zero lie nowhere: tied to no other, they keep their score.
    bool zero_is_nowhere = false;
};

/// Replaces `scores`, one a document, by (1 - alpha) (I - alpha S)^-1 scores, where S ties
/// documents together through the best-scored ones; docs/algorithms/fusion.md (6) to (9).
/// `features` are row-major, as many for each document, and finite; 0 <= alpha < 1.
/// O(documents anchors (features + neighbours) + anchors^3).
BRAID_API void smooth_over_anchors(std::span<const double> features,
                                   const AnchorGraphOptions& options, double alpha,
                                   std::span<double> scores);

/// The documents that some lists found for one query. Borrows all.
struct FusionPool {
    std::size_t lists = 0;
    /// Row-major, documents x lists; NaN where a list lacks the document. No infinities.
    std::span<const double> scores;
    /// Row-major, documents x any width: where documents lie, near ones being alike; all zero for
    /// one that lies nowhere. Only amanx with graph=features reads it.
    std::span<const double> features = {};

    std::size_t documents() const { return lists == 0 ? 0 : scores.size() / lists; }
};

/// What a fusion method is told besides the pool, with everything filled in.
struct FusionSettings {
    ParameterMap parameters;
    ChoiceMap choices;
    std::vector<double> weights;  ///< What each list counts: one a list, from 0 up.
};

/// One way to make one ranking of several without judgements; docs/algorithms/fusion.md has the
/// formulas, numbered.
struct FusionInfo {
    std::string name;     ///< "rrf"
    std::string summary;  ///< One line with the formula.
    std::string source;
    std::vector<ParameterInfo> parameters = {};
    std::vector<ChoiceInfo> choices = {};
    /// Whether it adds scores, which a normaliser makes comparable first; the others only look at
    /// each list's order.
    bool uses_scores = true;
    /// Whether a document's score is the sum of what it gets where one list alone has a weight.
    bool adds_up = false;
    /// Fills `fused`, one a document. A function of its arguments alone.
    std::function<void(const FusionPool&, const FusionSettings&, std::span<double> fused)> fuse;
};

/// Every fusion method there is. A new one is a line in core/model/fusion.cpp.
BRAID_API const Registry<FusionInfo>& fusion_methods();

struct FusionOptions {
    std::string method = "rrf";
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    /// One of `normalisers()` that needs no bounds, applied to each list's scores; "": min-max
    /// for methods that use scores. A document that a list lacks adds nothing, whatever the
    /// normaliser.
    std::string normaliser = {};
    ParameterMap normaliser_parameters = {};
    /// What each list counts, from 0 up and one above it; empty: all alike.
    std::vector<double> weights = {};
};

/// A fusion method with its options checked. Immutable: one serves any number of threads.
class BRAID_API Fuser {
  public:
    /// Throws UnknownComponent for a method, parameter, choice or normaliser there isn't, and
    /// InvalidArgument for a value or weight out of range, a normaliser that needs bounds, and one
    /// for a method that doesn't use scores.
    explicit Fuser(const FusionOptions& options);

    const FusionInfo& info() const { return *info_; }

    /// One score a document, the higher the better. O(documents lists), and as much again
    /// log(documents) for methods that look at the order. Throws InvalidArgument where the pool's
    /// parts don't fit together or there are not as many weights as lists, or a number in it is
    /// infinite (or, among the features, NaN).
    std::vector<double> fuse(const FusionPool& pool) const;

    /// What list `list` adds to each document's score. For methods that add up only.
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
