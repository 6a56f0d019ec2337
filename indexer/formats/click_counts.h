// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/core/eval/judgements.h"

namespace braid {

/// Clicks and showings by query, document and position, and the grades they give. Private to the
/// reader of clicks.
class ClickCounts {
  public:
    /// `position` counts from 1; 0 where it isn't known.
    void add(std::string_view query, std::string_view document, std::size_t position, double shown,
             double clicks);

    /// docs/formats.md, Clicks. Pairs that were shown less than `least_shown` times and never
    /// clicked are left out.
    Judgements judge(double least_shown) const;

  private:
    struct Pair {
        std::string query;
        std::string document;
        double shown = 0;
        double clicks = 0;
    };
    struct Place {
        double shown = 0;
        double clicks = 0;
    };
    struct Showing {
        std::size_t pair;
        std::size_t position;
        double shown;
    };

    std::vector<double> expected_clicks() const;

    std::vector<Pair> pairs_;
    std::unordered_map<std::string, std::size_t> by_name_;  // Query, a 0 byte, document.
    std::vector<Showing> showings_;
    std::map<std::size_t, Place> places_;
};

}  // namespace braid
