// SPDX-License-Identifier: GPL-2.0-or-later
// One ranking of several runs, by reciprocal ranks:
//
//     #include "braid/read.h"
//
//     std::vector<braid::Run> runs;
//     for (const char* path : {"bm25.run", "lsa.run"}) runs.push_back(braid::read_run(path));
//     braid::FusionOptions options;
//     options.method = "rrf";
//     const braid::Fuser fuser(options);
//     for (const braid::RunQuery& query : braid::queries_of(runs)) {
//         const braid::QueryRun fused = braid::fuse_lists(fuser, query);
//     }
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/parameters.h"
#include "braid/run.h"

namespace braid {

struct FusionInfo;
struct FusionPool;

/// A fusion method's settings besides the pool, with all defaults filled in.
struct FusionSettings {
    ParameterMap parameters;
    ChoiceMap choices;
    std::vector<double> weights;  ///< Weights of the lists: one a list, >= 0.
};

struct FusionOptions {
    std::string method = "rrf";
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    /// A normaliser that needs no bounds, applied to each list's scores; "": min-max for
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

/// The queries of several runs, each with its lists.
struct RunQuery {
    std::string query;                   ///< As named by the first run that has it.
    std::vector<const QueryRun*> lists;  ///< One a run; nullptr if the run lacks the query.
};

/// In order of first appearance, the first run's queries first. Borrows the runs.
BRAID_API std::vector<RunQuery> queries_of(std::span<const Run> runs);

/// A document's vector, for methods whose graph uses features: the same length for all, or empty
/// for a document without one.
using PlaceFinder = std::function<std::span<const float>(std::string_view document)>;

/// Fuses one query's lists; the best document is first (rank_documents). `depth`: number of
/// documents used from each list, in the order of rank_documents; 0: all. A null list counts as
/// empty. `places` may be empty if the method reads none. Names are views into the runs of the
/// lists. Throws InvalidArgument for a score that is not finite and for a document twice in a list.
BRAID_API QueryRun fuse_lists(const Fuser& fuser, const RunQuery& query, std::size_t depth = 0,
                              const PlaceFinder& places = {});

}  // namespace braid
