// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/judgements.h"

namespace braid {

/// What clicks say, by docs/algorithms/clicks.md: a position is looked at with some probability,
/// and a document that is looked at is clicked by whether it is relevant.
struct ClickModel {
    /// By position, the largest 1: how often it is looked at.
    std::map<std::size_t, double> looks = {};
    double clicks_relevant = 0;    ///< Share of looks at relevant documents that end in a click.
    double clicks_irrelevant = 0;  ///< The same for others.
    /// By pair, in the order of ClickCounts: the probability that the document is relevant.
    std::vector<double> relevance = {};
    std::size_t iterations = 0;
};

/// Showings and clicks by query, document and position.
class ClickCounts {
  public:
    /// `position` counts from 1; 0: unknown. Counts of the same three add up.
    BRAID_API void add(std::string_view query, std::string_view document, std::size_t position,
                       double shown, double clicks);

    std::size_t pairs() const { return pairs_.size(); }
    const std::string& query(std::size_t pair) const { return pairs_[pair].query; }
    const std::string& document(std::size_t pair) const { return pairs_[pair].document; }
    /// Over all positions. A click without a showing counts as a showing, too.
    double shown(std::size_t pair) const;
    double clicks(std::size_t pair) const;
    /// Pairs that were clicked at a position more often than shown there.
    BRAID_API std::size_t unshown() const;
    /// Share of the showings whose document was shown at another position, too: only these tell
    /// positions and documents apart.
    BRAID_API double moved() const;

    /// (1) to (7), from fixed starting values: the same for the same counts. Throws nothing.
    /// O(showings x iterations).
    BRAID_API ClickModel fit() const;

    /// 1 for documents that are more likely relevant than not, else 0. Leaves out pairs shown less
    /// than `least_shown` times and never clicked.
    BRAID_API Judgements judge(const ClickModel& model, double least_shown) const;

  private:
    struct Place {
        std::size_t position;
        double shown;
        double clicks;
    };
    struct Pair {
        std::string query;
        std::string document;
        std::vector<Place> places;
    };
    class Fit;

    std::vector<Pair> pairs_;
    std::unordered_map<std::string, std::size_t> by_name_;  // Query, a 0 byte, document.
};

}  // namespace braid
