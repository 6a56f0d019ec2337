// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ranker.h"
#include "braid/model.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/sources/time_limit.h"

namespace braid {

/// Queries that learn from the best results of a first pass: docs/algorithms/feedback.md.

struct TermFeedbackSettings {
    std::size_t documents = 10;  ///< Documents of the first pass.
    std::size_t terms = 20;      ///< Terms added to the query's own.
    double mix = 0.5;            ///< The share of the query's own words.
};

/// An expanded query, and what it scores: BM25, in which a term counts in proportion to its weight.
class ExpandedQuery {
  public:
    /// `text` is the query; its words are the terms that score in it. Runs the first pass, under
    /// the filters and exclusions around it, until `limit` is over.
    ExpandedQuery(const Xapian::Database& database, const Xapian::Query& text,
                  const TermFeedbackSettings& settings,
                  const std::shared_ptr<TimeLimit>& limit = {});

    /// The terms with their weights as query occurrences, which sum up to the query's length.
    const BagOfWords& bag() const { return bag_; }
    /// The rankers whose sum is the score, as FusedSource takes them.
    static FusionModel model(double weight);

    /// `counts`: how often the document has each of the bag's terms.
    double score(std::span<const double> counts, double length) const;
    /// No document of the database scores more.
    double bound() const { return bound_; }

  private:
    void expand(const Xapian::Database& database, const Xapian::Query& text,
                const TermFeedbackSettings& settings, const std::shared_ptr<TimeLimit>& limit);

    BagOfWords bag_;
    std::vector<std::shared_ptr<const LexicalScorer>> scorers_;
    double bound_ = 0;
};

/// Times a first pass, from construction on.
class Stopwatch {
  public:
    double milliseconds() const {
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start_;
        return time.count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct FeedbackDocument {
    Xapian::docid docid = 0;
    double score = 0;
};

/// The best of a search for `query`, whose sources weigh by themselves: ties by docid. Of the
/// documents seen before `limit` was over, where it isn't null.
std::vector<FeedbackDocument> best_documents(const Xapian::Database& database,
                                             const Xapian::Query& query, std::size_t count,
                                             const std::shared_ptr<TimeLimit>& limit = {});

/// `query` moved towards the mean of `documents`' vectors, all of length 1 or 0: mix * query +
/// (1 - mix) * mean, scaled to length 1. As it was where there is nothing to move it.
std::vector<float> moved_towards(std::span<const float> query,
                                 const std::vector<std::vector<float>>& documents, double mix);

}  // namespace braid
