// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/bench/common/program.h"
#include "braid/bench/learner_quality/contenders.h"
#include "braid/bench/learner_quality/text_rankers.h"
#include "braid/bench/learner_quality/text_trials.h"

namespace braid::bench {

/// What the command texts was asked for.
struct TextPlan : Arguments {
    std::string data = required("DATA", &data, kClassicHelp);
    std::string cache = required("CACHE", &cache, kCacheHelp);
    std::vector<std::string> collections =
        option("--collections", &collections, "Names, or merged for all four in one",
               {"med", "cran", "cisi", "cacm", "merged"});
    std::vector<std::string> rankers =
        option("--rankers", &rankers,
               "papers (the papers' four), kinds (one of each kind), all, or names: families, or "
               "variants, which are not tuned then",
               {"papers"});
    std::vector<std::string> learners = option(
        "--learners", &learners,
        "Rows of the table; NAME:PARAMETER=VALUE.. is one with another setting", contender_names());
    std::size_t seeds = option("--seeds", &seeds, "Pairs of folds", 5);
    std::string normaliser =
        option("--normaliser", &normaliser,
               "A normaliser, or scale: one number a ranker, as braid train has it", "z-score");
    std::size_t pool = option("--pool", &pool, "First documents of each ranker to train on", 500);
    std::string judged =
        option("--judged", &judged,
               "Whether a training pool gets the relevant documents that no ranker has there "
               "(added), or what rankers find only, as a search (found)",
               "added", {"added", "found"});
    std::vector<std::string> features =
        option("--features", &features,
               "What weights by query may follow from: lists, words, topics, origin", {"lists"});
    std::size_t topic_dimensions =
        option("--topic-dimensions", &topic_dimensions, "Dimensions of the topics", 20);
    std::string baseline =
        option("--baseline", &baseline, "Whose MAP differences are taken from", "uniform");
    bool in_sample =
        option("--in-sample", &in_sample, "Learn from all queries and measure on them");
    std::vector<std::size_t> labels = option(
        "--labels", &labels, "Instead, MAP after training on so many queries of each fold, N,N..");
    std::string picture =
        option("--picture", &picture, "A picture of what --labels gives, FILE.svg");
    std::string recall_picture =
        option("--recall-picture", &recall_picture, "Precision over recall, FILE.svg");
    std::string curve_picture =
        option("--curve-picture", &curve_picture,
               "MAP on the test folds after each step of a learner, FILE.svg");
    std::string keep =
        option("--keep", &keep,
               "A file that keeps every fold's figures as they come, and gives those it has");
    std::size_t threads = option("--threads", &threads, "Threads; 0: as the machine has", 0);
};

/// What trials are made by.
TrialOptions trial_options(const TextPlan& plan, const TextRankers& rankers);

/// MAPs that the papers print, for whatever rankers they had.
const char* published_maps(const std::string& collection);

}  // namespace braid::bench
