// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/text_plan.h"

#include <map>

namespace braid::bench {
namespace {

// Worse forms of rankers that `all` has.
bool is_paper_only(const std::string& family) {
    return family == "plsi-posterior" || family == "ldi-one-chain";
}

// The families (or variants) that the plan's rankers are.
std::vector<std::string> families_of(const TextPlan& plan, const TextRankers& rankers) {
    const std::string preset = plan.rankers.size() == 1 ? plan.rankers.front() : "";
    if (preset == "papers") {
        return {"tf-idf-cosine", "lsa", "plsi-posterior", "ldi-one-chain"};
    }
    if (preset == "kinds") return one_of_each_kind();
    if (preset != "all") return plan.rankers;
    std::vector<std::string> names;
    for (const auto& family : rankers.families()) {
        if (!is_paper_only(family.name)) names.push_back(family.name);
    }
    return names;
}

}  // namespace

TrialOptions trial_options(const TextPlan& plan, const TextRankers& rankers) {
    return {.families = families_of(plan, rankers),
            .normaliser = plan.normaliser,
            .pool = plan.pool,
            .adds_judged = plan.judged == "added",
            .features = plan.features,
            .topic_dimensions = plan.topic_dimensions};
}

const char* published_maps(const std::string& collection) {
    static const std::map<std::string, const char*> lines = {
        {"med", "EnM .6420, gEnM.BAT .6458, gEnM.ON .6467, UnsEnM .6465"},
        {"cran", "EnM .3766, gEnM.BAT .3937, gEnM.ON .3972, UnsEnM .3972"},
        {"cisi", "EnM .1637, gEnM.BAT .1945, gEnM.ON .1816, UnsEnM .1825"},
        {"cacm", "EnM .1890, gEnM.BAT .2166, gEnM.ON .2256, UnsEnM .1745"},
        {"merged", "EnM .2768, gEnM.BAT .3162, gEnM.ON .3099, UnsEnM .3169"}};
    return lines.at(collection);
}

}  // namespace braid::bench
