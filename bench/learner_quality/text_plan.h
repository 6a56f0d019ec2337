// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/bench/learner_quality/text_rankers.h"
#include "braid/bench/learner_quality/text_trials.h"

namespace braid::bench {

/// What text_learners was asked for; its top says what the settings mean.
struct TextPlan {
    std::string data;
    std::string cache;
    std::vector<std::string> collections = {"med", "cran", "cisi", "cacm", "merged"};
    std::string rankers = "papers";
    std::vector<std::string> learners;
    std::size_t seeds = 5;
    TrialOptions trial;
    std::string baseline = "uniform";
    bool in_sample = false;
    std::vector<std::size_t> labels;
    std::string picture;
    std::string recall_picture;
    std::string curve_picture;
    std::string keep;
    std::size_t threads = 0;
};

/// Throws std::runtime_error for a setting there isn't.
TextPlan parse_text_plan(int argc, char** argv);

/// The families (or variants) that the plan's rankers are.
std::vector<std::string> families_of(const TextPlan& plan, const TextRankers& rankers);

/// MAPs that the papers print, for whatever rankers they had.
const char* published_maps(const std::string& collection);

}  // namespace braid::bench
